// SPDX-License-Identifier: Apache-2.0

extension URIReference {
    /// Parses a Location as servers really send it; nil if it has a control character, which no honest server sends.
    ///
    /// Path, query and fragment are repaired as in browsers and curl: invalid characters (spaces, UTF-8, backslashes,
    /// brackets, a percent sign that begins no escape) are percent-encoded, and no escape is encoded twice. A backslash
    /// is not a slash. Scheme and authority are unchanged: an invalid host is refused, never repaired. Text in
    /// ISO-8859-1 is decoded to Unicode before, and leaves as escapes of UTF-8.
    init?(location text: String) {
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        self.init(text)
        path = Self.escaped(path)
        query = query.map(Self.escaped)
        fragment = fragment.map(Self.escaped)
    }

    private static func escaped(_ part: String) -> String {
        let bytes = Array(part.utf8)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() {
            let isEscape = byte == UInt8(ascii: "%") && bytes.dropFirst(index &+ 1).beginsWithTwoDigits
            if byte.mayStandInPath || isEscape {
                output.append(byte)
            } else {
                output += [UInt8(ascii: "%"), (byte >> 4).hexDigit, (byte & 0xF).hexDigit]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}

extension ArraySlice<UInt8> {
    fileprivate var beginsWithTwoDigits: Bool {
        count >= 2 && prefix(2).allSatisfy(\.isHexDigit)
    }
}

extension UInt8 {
    /// RFC 3986 §3.3 to §3.5: a pchar without its escapes, or one of "/?". A path's question mark has ended it already.
    fileprivate var mayStandInPath: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "&")...UInt8(ascii: ";"), UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "="),
            UInt8(ascii: "?"), UInt8(ascii: "@"), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    fileprivate var isHexDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    /// The hexadecimal digit of a number below sixteen (RFC 3986 §2.1: in upper case).
    fileprivate var hexDigit: UInt8 { self < 10 ? UInt8(ascii: "0") &+ self : UInt8(ascii: "A") &+ (self &- 10) }
}
