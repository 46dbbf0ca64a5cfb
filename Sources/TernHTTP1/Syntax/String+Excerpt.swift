// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The maximum length of a text that an error message quotes, in characters.
    private static var maximumQuotedLength: Int { 100 }

    /// The beginning of a text that a peer or a URL has chosen, for a message: 100 characters at most, the last of
    /// which says that there are more.
    package var excerpt: String {
        // No character is shorter than a byte.
        if utf8.count <= Self.maximumQuotedLength { return self }
        // A character has no longest length: cut by scalars, which have.
        let scalars = unicodeScalars.prefix(Self.maximumQuotedLength)
        if scalars.endIndex == unicodeScalars.endIndex { return self }
        return String(String.UnicodeScalarView(scalars.dropLast())) + "\u{2026}"
    }
}
