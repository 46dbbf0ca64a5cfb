// SPDX-License-Identifier: Apache-2.0

/// The printable excerpt of input that an error shows.
enum Excerpt {
    /// The last 32 bytes of `range`. Bytes after the offending one are not shown: they may not have arrived yet, and an
    /// error must not depend on how the input was split.
    static func of(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        var text = ""
        for index in range.clamped(to: bytes.indices).suffix(32) { append(bytes[index], to: &text) }
        return text
    }

    /// The beginning of a status or field line up to the byte at `position`. The bytes of a value are omitted, except
    /// the offending one: a value may be secret, and errors are logged.
    static func ofLine(_ bytes: Span<UInt8>, _ line: Int, upTo position: Int) -> String {
        let colon = bytes.firstNonToken(from: line)
        guard colon < position, colon > line, bytes[colon] == .colon, position < bytes.count else {
            return of(bytes, line..<max(line, position.addingSaturating(1)))
        }
        var text = of(bytes, line..<(colon + 1)) + "\u{2026}"
        append(bytes[position], to: &text)
        return text
    }

    static func append(_ byte: UInt8, to text: inout String) {
        switch byte {
        case .carriageReturn: text += "\\r"
        case .lineFeed: text += "\\n"
        case .horizontalTab: text += "\\t"
        case UInt8(ascii: "\\"), UInt8(ascii: "\""): text += "\\" + String(UnicodeScalar(byte))
        case 0x20..<0x7F: text.unicodeScalars.append(UnicodeScalar(byte))
        case _:
            let digits = String(byte, radix: 16, uppercase: true)
            text += "\\x" + (byte < 0x10 ? "0" : "") + digits
        }
    }
}

extension String {
    /// The maximum length of a text that an error message quotes, in characters.
    private static var maximumQuotedLength: Int { 100 }

    /// The beginning of a text that a peer or a URL has chosen, for a message: at most 100 characters, the last of
    /// which marks a truncation.
    package var excerpt: String {
        // No character is shorter than a byte.
        if utf8.count <= Self.maximumQuotedLength { return self }
        // A character has no maximum length: truncate by scalars, which have one.
        let scalars = unicodeScalars.prefix(Self.maximumQuotedLength)
        if scalars.endIndex == unicodeScalars.endIndex { return self }
        return String(String.UnicodeScalarView(scalars.dropLast())) + "\u{2026}"
    }
}
