// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Appends a copy of `bytes[range]`. A span is not a collection, so its bytes are passed as a buffer, which is used
    /// only while the span is borrowed.
    mutating func append(copying bytes: Span<UInt8>, _ range: Range<Int>) {
        unsafe bytes.extracting(range).withUnsafeBufferPointer { buffer in
            unsafe append(contentsOf: buffer)
        }
    }
}
