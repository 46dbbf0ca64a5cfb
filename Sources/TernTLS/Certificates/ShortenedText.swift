// SPDX-License-Identifier: Apache-2.0

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
