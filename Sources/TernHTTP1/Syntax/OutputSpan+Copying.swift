// SPDX-License-Identifier: Apache-2.0

extension OutputSpan<UInt8> {
    /// Appends as many of `bytes` as there is room for; callers make room for all. Sound, because the buffers are used
    /// only while their owners are borrowed, copying is bounded by both, and the count grows by what was copied.
    @inline(__always)
    mutating func append(copying bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { unsafe append(copying: $0) }
    }

    /// Appends a table as it lies in memory: positions are four words each without padding, so all of it is
    /// initialised.
    @inline(__always)
    mutating func append(copying table: Span<FieldPosition>) {
        unsafe table.withUnsafeBytes { unsafe append(copying: $0) }
    }

    @inline(__always)
    private mutating func append(copying bytes: UnsafeRawBufferPointer) {
        unsafe withUnsafeMutableBufferPointer { output, count in
            let length = min(bytes.count, output.count &- count)
            guard length > 0, let start = output.baseAddress, let source = bytes.baseAddress else { return }
            unsafe UnsafeMutableRawPointer(start + count).copyMemory(from: source, byteCount: length)
            count &+= length
        }
    }
}
