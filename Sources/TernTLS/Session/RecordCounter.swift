// SPDX-License-Identifier: Apache-2.0

/// Counts the TLS records in a stream of ciphertext (RFC 8446 §5.1): five bytes of header, the last two of which say
/// how many follow.
struct RecordCounter {
    /// Records that have ended since the counting began.
    private(set) var count = 0
    /// Bytes of the present record's header that have passed; five while its contents do.
    private var headerCount = 0
    /// Bytes of the present record that are still to come, as far as its header has told.
    private var remaining = 0

    /// Begins to count at zero, also in the middle of a record.
    mutating func startOver() { count = 0 }

    /// Takes note of `bytes`, which follow those of before. OpenSSL reads a header, then the contents: one step each.
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
