// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// The header fields of a part.
enum FormField {
    /// `form-data; name="…"; filename="…"` (RFC 7578 §4.2).
    static func disposition(name: String, fileName: String?) -> HeaderField {
        disposition(name: Array(name.utf8), fileName: fileName.map { Array($0.utf8) })
    }

    /// The same for a name and a file name that need not be UTF-8.
    static func disposition(name: [UInt8], fileName: [UInt8]?) -> HeaderField {
        var value = Array("form-data; name=\"".utf8) + escaped(name)
        if let fileName { value += Array("\"; filename=\"".utf8) + escaped(fileName) }
        return HeaderField(name: "Content-Disposition", bytes: value + [UInt8(ascii: "\"")])
    }

    /// As in browsers (HTML, "multipart form data"): characters that would end the quotes or the line are
    /// percent-encoded, and so are the other control characters, which some parsers end a string at. All other
    /// bytes are unchanged.
    private static func escaped(_ text: [UInt8]) -> [UInt8] {
        guard text.contains(where: isDangerous) else { return text }
        var escaped: [UInt8] = []
        for byte in text {
            if isDangerous(byte) {
                escaped += [0x25, digit(byte >> 4), digit(byte & 0x0F)]
            } else {
                escaped.append(byte)
            }
        }
        return escaped
    }

    private static func isDangerous(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "\"") }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 &+ value : 0x37 &+ value }

    /// Whether it is exactly one field: its value cannot end its line (RFC 9110 §5.5).
    static func isValid(_ field: HeaderField) -> Bool {
        isToken(field.name) && field.bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    /// RFC 9110 §5.6.2.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                case _: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
