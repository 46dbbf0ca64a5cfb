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
