// SPDX-License-Identifier: Apache-2.0

/// JSON strings as one writes them, for lines that are written ten thousand times.
enum JSONText {
    /// The string in quotes. Everything below 0x20 is escaped, so that a line stays a line.
    static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "\"")]
        bytes.reserveCapacity(text.utf8.count + 2)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\n"): bytes += Array("\\n".utf8)
            case 0..<0x20, 0x7f: bytes += Array("\\u00".utf8) + [digit(byte >> 4), digit(byte & 0x0f)]
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 { value + (value < 10 ? UInt8(ascii: "0") : 87) }
}
