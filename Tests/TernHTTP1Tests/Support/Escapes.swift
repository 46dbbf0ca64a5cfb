// SPDX-License-Identifier: Apache-2.0

/// Readable text as bytes: `\r`, `\n`, `\t`, `\0`, `\\` and `\xHH` are escapes; real line breaks are layout and drop
/// out.
func unescaped(_ text: some StringProtocol) -> [UInt8] {
    var mark: Int?
    return unescaped(text, mark: &mark)
}

/// The same; `\^` adds nothing and marks the place where it stands.
func unescaped(_ text: some StringProtocol, mark: inout Int?) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Substring(text).utf8
    while let byte = rest.popFirst() {
        switch byte {
        case UInt8(ascii: "\n"): continue
        case UInt8(ascii: "\\"):
            switch rest.popFirst() {
            case UInt8(ascii: "r"): bytes.append(13)
            case UInt8(ascii: "n"): bytes.append(10)
            case UInt8(ascii: "t"): bytes.append(9)
            case UInt8(ascii: "0"): bytes.append(0)
            case UInt8(ascii: "^"): mark = bytes.count
            case UInt8(ascii: "x"):
                let digits = rest.prefix(2)
                rest = rest.dropFirst(2)
                bytes.append(UInt8(String(Substring(digits)), radix: 16) ?? 0)
            case let other: bytes.append(other ?? UInt8(ascii: "\\"))
            }
        case _: bytes.append(byte)
        }
    }
    return bytes
}

/// Bytes as readable text, the inverse of ``unescaped(_:)``.
func escaped(_ bytes: some Sequence<UInt8>) -> String {
    var text = ""
    for byte in bytes {
        switch byte {
        case 13: text += "\\r"
        case 10: text += "\\n"
        case 9: text += "\\t"
        case 0: text += "\\0"
        case UInt8(ascii: "\\"): text += "\\\\"
        case 0x20..<0x7F: text.unicodeScalars.append(UnicodeScalar(byte))
        case _:
            let digits = String(byte, radix: 16, uppercase: true)
            text += "\\x" + (digits.count < 2 ? "0" : "") + digits
        }
    }
    return text
}
