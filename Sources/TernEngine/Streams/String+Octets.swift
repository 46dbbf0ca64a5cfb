// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text that octets are in UTF-8, with U+FFFD for what is none.
    init(decoding octets: Span<UInt8>) {
        // The span is lent for this call; the text is a copy of it.
        self = unsafe octets.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
