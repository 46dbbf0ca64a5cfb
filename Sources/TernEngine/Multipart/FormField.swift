// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// The header fields of a part.
enum FormField {
    /// `form-data; name="…"; filename="…"` (RFC 7578 §4.2).
    static func disposition(name: String, fileName: String?) -> HeaderField {
        let file = fileName.map { "; filename=\"\(escaped($0))\"" } ?? ""
        return HeaderField(name: "Content-Disposition", value: "form-data; name=\"\(escaped(name))\"\(file)")
    }

    /// As in browsers (HTML, "multipart form data"): characters that would end the quotes or the line are
    /// percent-encoded, and so are the other control characters, which some parsers end a string at. All other
    /// characters are unchanged, in UTF-8.
    private static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: isDangerous) else { return text }
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            if isDangerous(byte) {
                escaped += [0x25, digit(byte >> 4), digit(byte & 0x0F)]
            } else {
                escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    private static func isDangerous(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "\"") }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 &+ value : 0x37 &+ value }

    /// Whether it is exactly one field: its value cannot end its line (RFC 9110 §5.5).
    static func isValid(_ field: HeaderField) -> Bool {
        isToken(field.name) && field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
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
