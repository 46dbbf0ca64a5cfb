// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text of UTF-8 bytes, with U+FFFD for invalid ones.
    init(decoding bytes: Span<UInt8>) {
        // The span is valid for this call; the text is a copy of it.
        self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
