// SPDX-License-Identifier: Apache-2.0

/// The bytes of a field value, which are opaque (RFC 9110 §5.5), and a text as a view of them: UTF-8 where they are
/// UTF-8, else ISO-8859-1, in which each byte is one character. So the bytes can be read from the text again.
package struct FieldValue: Sendable {
    /// The view.
    package let text: String
    /// Whether each character of the text is one byte. True only where the bytes are not UTF-8, so that equal bytes make
    /// equal values.
    package let isLatin1: Bool

    /// A text that is sent as UTF-8.
    @inline(__always)
    package init(_ text: String) {
        self.text = text
        isLatin1 = false
    }

    /// Bytes as received.
    package init(_ bytes: Span<UInt8>) {
        if let text = try? UTF8Span(validating: bytes) {
            (self.text, isLatin1) = (String(copying: text), false)
        } else {
            // Each byte beyond ASCII is two in UTF-8.
            var encoded: [UInt8] = []
            encoded.reserveCapacity(bytes.count &+ bytes.count / 2)
            for index in bytes.indices {
                let byte = bytes[index]
                if byte >= 0x80 { encoded.append(0xC0 | byte &>> 6) }
                encoded.append(byte < 0x80 ? byte : 0x80 | byte & 0x3F)
            }
            (text, isLatin1) = (String(decoding: encoded, as: UTF8.self), true)
        }
    }

    /// Bytes as received.
    package init(_ bytes: [UInt8]) { self.init(bytes.span) }

    /// Bytes that are not UTF-8, from the text that was made of them; nil if the text has other characters than
    /// ISO-8859-1 has.
    package init?(latin1 text: String) {
        guard text.unicodeScalars.allSatisfy({ $0.value < 0x100 }) else { return nil }
        self.init(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
    }

    /// The number of bytes.
    @inline(__always)
    package var count: Int { isLatin1 ? text.unicodeScalars.count : text.utf8.count }

    /// The bytes as they are sent.
    package var bytes: [UInt8] {
        isLatin1 ? text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } : Array(text.utf8)
    }
}

extension FieldValue: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self.init(text) }
}

extension FieldValue: Hashable {
    /// Whether both have the same bytes: as text, "é" equals "e" with a combining accent.
    package static func == (left: FieldValue, right: FieldValue) -> Bool {
        left.isLatin1 == right.isLatin1 && left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// By the text alone: equal bytes make equal texts.
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
