// SPDX-License-Identifier: Apache-2.0

/// Parses a challenge from left to right, each byte once.
struct ChallengeScanner {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The text up to a space or a comma, in lower case; nil if it is empty.
    mutating func scheme() -> String? {
        let start = place
        while place < bytes.count, bytes[place] != UInt8(ascii: " "), bytes[place] != UInt8(ascii: ",") { place += 1 }
        return start == place ? nil : String(decoding: bytes[start..<place], as: UTF8.self).lowercased()
    }

    /// The first quoted string after this name and `=`, with its escapes resolved (RFC 9110 §5.6.4). Nil if there is
    /// none, or it is not terminated.
    mutating func quotedValue(of name: StaticString) -> String? {
        while place < bytes.count {
            if bytes[place] == UInt8(ascii: "\"") {
                guard quotedString() != nil else { return nil }
            } else if Self.isWord(bytes[place]) {
                let isName = word(is: name)
                guard isName, place + 1 < bytes.count, bytes[place] == UInt8(ascii: "="),
                    bytes[place + 1] == UInt8(ascii: "\"")
                else { continue }
                place += 1
                return quotedString()
            } else {
                place += 1
            }
        }
        return nil
    }

    /// Skips the next word. Returns whether it is this one; case is ignored.
    private mutating func word(is name: StaticString) -> Bool {
        let start = place
        while place < bytes.count, Self.isWord(bytes[place]) { place += 1 }
        guard place - start == name.utf8CodeUnitCount else { return false }
        return bytes[start..<place].elementsEqual("\(name)".utf8) { $0 | 0x20 == $1 }
    }

    /// Skips the quoted string that begins here; nil if it is not terminated.
    private mutating func quotedString() -> String? {
        var content: [UInt8] = []
        place += 1
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\""):
                place += 1
                return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"):
                if place + 1 < bytes.count { content.append(bytes[place + 1]) }
                place += 2
            default:
                content.append(bytes[place])
                place += 1
            }
        }
        return nil
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
