// SPDX-License-Identifier: Apache-2.0

/// Text from outside, for display: the author of the certificate or the field chose the characters, and none of them
/// may control a terminal, end a line, or reverse its direction.
package enum PrintableText {
    /// The text with every control or format character, and every line end, replaced.
    package static func replacing(_ text: String, by replacement: (Unicode.Scalar) -> String) -> String {
        // Hardly any certificate has one.
        guard text.unicodeScalars.contains(where: steers) else { return text }
        return text.unicodeScalars.map { steers($0) ? replacement($0) : String($0) }.joined()
    }

    private static func steers(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

/// Text from a certificate inside an error message: the author of the certificate must not make the message long.
package enum ShortenedText {
    private static let maximumLength = 100
    private static let maximumCount = 5

    /// The beginning, and a mark of truncation.
    package static func shortened(_ text: String) -> String {
        guard text.utf8.count > maximumLength else { return text }
        return String(decoding: text.utf8.prefix(maximumLength - 1), as: UTF8.self) + "…"
    }

    /// The first few, and how many more there are.
    package static func list(_ texts: some Collection<String>) -> String {
        let shown = texts.prefix(maximumCount).map(shortened).joined(separator: ", ")
        return texts.count > maximumCount ? "\(shown) and \(texts.count - maximumCount) more" : shown
    }
}
