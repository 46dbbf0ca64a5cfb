// SPDX-License-Identifier: Apache-2.0
import TernFiles
import TernTLS

/// Text for display that may quote a peer, without characters that control the terminal.
enum TerminalText {
    /// Every control and format character as JSON escapes it, so that JSON stays valid; a byte that is not UTF-8 as
    /// `\xE9`. Line ends are kept.
    static func cleaned(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 && $0 != 0x0A || $0 >= 0x7F }) else { return text }
        return text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { ByteText.replacing(in: PrintableText.replacing(String($0), by: escaped), by: escaped) }
            .joined(separator: "\n")
    }

    private static func escaped(_ byte: UInt8) -> String { "\\x" + String(byte, radix: 16, uppercase: true) }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        scalar.utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }.joined()
    }
}
