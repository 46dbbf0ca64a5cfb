// SPDX-License-Identifier: Apache-2.0

/// Bytes as text that is valid in a URL or a form (RFC 3986 §2.1, §2.3).
package enum PercentEncoding {
    /// Nil if a `%` is not followed by two hexadecimal digits.
    package static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text
        bytes.reserveCapacity(rest.count)
        while let escape = rest.firstIndex(of: UInt8(ascii: "%")) {
            bytes += rest[..<escape]
            let digits = rest[escape...].dropFirst().prefix(2)
            guard digits.count == 2, let high = digits.first.flatMap(digit), let low = digits.last.flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
            rest = rest[digits.endIndex...]
        }
        return bytes + rest
    }

    /// The same for text that people type: a `%` that begins no escape stands for itself.
    static func leniently(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            let escape = rest.prefix(2).compactMap(digit)
            guard byte == UInt8(ascii: "%"), escape.count == 2 else {
                bytes.append(byte)
                continue
            }
            bytes.append(escape[0] << 4 | escape[1])
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    /// Everything but unreserved characters is escaped.
    package static func component(_ bytes: some Sequence<UInt8>) -> String { encoded(bytes, space: "%20") }

    /// The same, with a plus sign for a space.
    package static func form(_ bytes: some Sequence<UInt8>) -> String { encoded(bytes, space: "+") }

    private static func encoded(_ bytes: some Sequence<UInt8>, space: String) -> String {
        var text = ""
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: " "): text += space
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                text += (digits.utf8.count < 2 ? "%0" : "%") + digits
            }
        }
        return text
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
