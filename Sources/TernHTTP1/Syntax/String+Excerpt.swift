// SPDX-License-Identifier: Apache-2.0

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
