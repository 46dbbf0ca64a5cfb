// SPDX-License-Identifier: Apache-2.0

/// Counts the TLS records in a stream of ciphertext (RFC 8446 §5.1): a header of five bytes, the last two of which give
/// the length of the content.
struct RecordCounter {
    /// The number of complete records so far.
    private(set) var count = 0
    /// The number of header bytes of the current record read so far; five within its content.
    private var headerCount = 0
    /// The number of bytes of the current record still to come, as known from its header.
    private var remaining = 0

    /// Starts to count at zero, also in the middle of a record.
    mutating func startOver() { count = 0 }

    /// Counts `bytes`, which follow the previous ones. OpenSSL reads a header, then the content: one step each.
    mutating func take(_ bytes: Span<UInt8>) {
        var offset = 0
        while offset < bytes.count {
            if headerCount < 5 {
                if headerCount == 3 { remaining = Int(bytes[offset]) << 8 }
                if headerCount == 4 { remaining |= Int(bytes[offset]) }
                headerCount += 1
                offset += 1
            } else {
                let passed = min(remaining, bytes.count - offset)
                remaining -= passed
                offset += passed
            }
            if headerCount == 5, remaining == 0 {
                count += 1
                headerCount = 0
            }
        }
    }
}
