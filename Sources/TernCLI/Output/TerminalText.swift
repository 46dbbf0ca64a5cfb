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

/// Finds bytes of a body that a terminal executes instead of showing: control characters except tab, line feed and
/// carriage return, in ASCII, in UTF-8 and as the single bytes 0x80 to 0x9F that terminals without UTF-8 interpret
/// (ECMA-48 §5.3). A character may be split between two chunks.
struct TerminalBytes {
    /// The first byte of an incomplete UTF-8 sequence, and the number of bytes missing.
    private var lead: UInt8 = 0
    private var following = 0

    /// Returns the offset of the first such byte in the next chunk.
    mutating func firstControl(in piece: some Collection<UInt8>) -> Int? {
        var offset = 0
        for byte in piece {
            if isControl(byte) { return offset }
            offset += 1
        }
        return nil
    }

    private mutating func isControl(_ byte: UInt8) -> Bool {
        if following > 0, byte & 0xC0 == 0x80 {
            following -= 1
            defer { lead = 0 }
            return isHidden(byte, behind: lead)
        }
        (lead, following) = (byte, Self.following(byte))
        switch byte {
        case 0x09, 0x0A, 0x0D: return false
        case 0..<0x20, 0x7F..<0xA0: return true
        default: return false
        }
    }

    /// U+0080 to U+009F, and overlong encodings of them and of ASCII control characters (RFC 3629 §3).
    private func isHidden(_ byte: UInt8, behind lead: UInt8) -> Bool {
        switch lead {
        case 0xC2: byte < 0xA0
        case 0xC0, 0xC1: true
        case 0xE0: byte < 0xA0
        case 0xF0: byte < 0x90
        default: false
        }
    }

    private static func following(_ byte: UInt8) -> Int {
        switch byte {
        case 0xC0..<0xE0: 1
        case 0xE0..<0xF0: 2
        case 0xF0..<0xF8: 3
        default: 0
        }
    }
}
