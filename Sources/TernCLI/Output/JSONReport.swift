// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernFiles
import TernTLS

/// How the commands write JSON. It is UTF-8: another byte becomes U+FFFD.
enum JSONReport {
    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return ByteText.replacing(in: String(decoding: try encoder.encode(value), as: UTF8.self)) { _ in "\u{FFFD}" }
    }

    /// RFC 3339.
    static func time(_ seconds: Int64) -> String { Timestamp.rfc3339(seconds) }
}

/// JSON strings, written directly because lines are written ten thousand times.
enum JSONText {
    /// The string in quotes. Control characters are escaped, and so are all line ends and characters that change the
    /// direction of text, so that a line stays a line.
    static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "\"")]
        bytes.reserveCapacity(text.utf8.count + 2)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": bytes += [UInt8(ascii: "\\"), UInt8(ascii: scalar)]
            case "\n": bytes += Array("\\n".utf8)
            case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{ad}", "\u{200b}"..."\u{200f}", "\u{2028}"..."\u{202e}",
                "\u{2060}"..."\u{206f}", "\u{feff}":
                bytes += Array("\\u".utf8) + [12, 8, 4, 0].map { digit(UInt8(scalar.value >> $0 & 0xf)) }
            default: bytes.append(contentsOf: scalar.utf8)
            }
        }
        bytes.append(UInt8(ascii: "\""))
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 { value + (value < 10 ? UInt8(ascii: "0") : 87) }
}
