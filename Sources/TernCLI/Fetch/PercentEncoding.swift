// SPDX-License-Identifier: Apache-2.0

/// Bytes as text that is valid in a URL or a form (RFC 3986 §2.1, §2.3).
enum PercentEncoding {
    /// Everything but unreserved characters is escaped.
    static func component(_ bytes: some Sequence<UInt8>) -> String { encoded(bytes, space: "%20") }

    /// The same, with a plus sign for a space.
    static func form(_ bytes: some Sequence<UInt8>) -> String { encoded(bytes, space: "+") }

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
}
