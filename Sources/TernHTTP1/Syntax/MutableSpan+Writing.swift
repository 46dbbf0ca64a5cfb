// SPDX-License-Identifier: Apache-2.0

/// Writes text into storage of sufficient size. Every function returns where it ended.
extension MutableSpan<UInt8> {
    /// Writes `text` at `start`; what does not fit is omitted, but callers provide sufficient storage.
    ///
    /// A string lends its bytes most cheaply as a buffer. If one does not, the NUL bytes remain and are refused later.
    /// Sound, because both buffers are used only while their owners are borrowed, and the length is bounded by both.
    @inline(__always)
    mutating func write(_ text: String, at start: Int) -> Int {
        let length = unsafe text.utf8.withContiguousStorageIfAvailable {
            unsafe copy(UnsafeRawBufferPointer($0), to: start)
        }
        return start &+ (length ?? 0)
    }

    /// Writes the bytes of a field value at `start`, likewise.
    @inline(__always)
    mutating func write(_ value: FieldValue, at start: Int) -> Int {
        value.isLatin1 ? write(value.bytes.span, at: start) : write(value.text, at: start)
    }

    /// Writes `bytes` at `start`; what does not fit is omitted, but callers provide sufficient storage.
    @inline(__always)
    mutating func write(_ bytes: Span<UInt8>, at start: Int) -> Int {
        unsafe bytes.withUnsafeBytes { unsafe start &+ copy($0, to: start) }
    }

    @inline(__always)
    mutating func write(_ byte: UInt8, at start: Int) -> Int {
        self[start] = byte
        return start &+ 1
    }

    /// Writes a number that is not negative.
    mutating func write(decimal number: Int, at start: Int) -> Int {
        let end = start &+ Decimal.digits(number)
        var rest = number
        var position = end
        while position > start {
            position &-= 1
            self[position] = .zero &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        return end
    }

    @inline(__always)
    mutating func writeLineEnd(at start: Int) -> Int {
        write(.lineFeed, at: write(.carriageReturn, at: start))
    }

    @inline(__always)
    private mutating func copy(_ source: UnsafeRawBufferPointer, to start: Int) -> Int {
        unsafe withUnsafeMutableBytes { target in
            let length = Swift.min(source.count, target.count &- start)
            guard start >= 0, length > 0, let from = source.baseAddress, let to = target.baseAddress else { return 0 }
            unsafe (to + start).copyMemory(from: from, byteCount: length)
            return length
        }
    }
}

extension [UInt8] {
    /// Appends a copy of `bytes[range]`. A span is not a collection, so its bytes are passed as a buffer, which is used
    /// only while the span is borrowed.
    mutating func append(copying bytes: Span<UInt8>, _ range: Range<Int>) {
        unsafe bytes.extracting(range).withUnsafeBufferPointer { buffer in
            unsafe append(contentsOf: buffer)
        }
    }
}
