// SPDX-License-Identifier: Apache-2.0

/// The bytes of RFC 9112's grammar, and its character classes.
extension UInt8 {
    static var horizontalTab: UInt8 { 0x09 }
    static var lineFeed: UInt8 { 0x0A }
    static var carriageReturn: UInt8 { 0x0D }
    static var space: UInt8 { 0x20 }
    static var hash: UInt8 { 0x23 }
    static var percent: UInt8 { 0x25 }
    static var comma: UInt8 { 0x2C }
    static var slash: UInt8 { 0x2F }
    static var zero: UInt8 { 0x30 }
    static var colon: UInt8 { 0x3A }
    static var semicolon: UInt8 { 0x3B }
    static var questionMark: UInt8 { 0x3F }
    static var at: UInt8 { 0x40 }
    static var leftBracket: UInt8 { 0x5B }
    static var rightBracket: UInt8 { 0x5D }
    static var delete: UInt8 { 0x7F }

    /// `tchar` (RFC 9110 §5.6.2), as two words of a bit map: no table to load, no branch to mispredict.
    package var isToken: Bool {
        let word: UInt64 = self & 0x40 == 0 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return self < 0x80 && (word &>> UInt64(self & 0x3F)) & 1 == 1
    }

    /// `VCHAR`: visible ASCII (RFC 5234 §B.1).
    var isVisible: Bool { self > 0x20 && self < 0x7F }

    /// A space or a tab: `OWS` (RFC 9110 §5.6.3).
    package var isBlank: Bool { self == .space || self == .horizontalTab }

    var isDigit: Bool { self &- .zero < 10 }

    var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }

    var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

    /// The value of `HEXDIG`, upper or lower case; 16 or more for any other byte.
    var hexadecimalDigit: UInt8 {
        let digit = self &- .zero
        if digit < 10 { return digit }
        let letter = (self | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : .max
    }

    /// The characters of an IPv6 address, without a zone, which names an interface of this machine (RFC 6874).
    var isAddressByte: Bool { hexadecimalDigit < 16 || self == .colon || self == UInt8(ascii: ".") }
}

extension String {
    /// Whether two field names are equal: ASCII letters without regard to case (RFC 9110 §5.1).
    func isFieldName(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return utf8.span.isEqualIgnoringCase(to: other.utf8.span)
    }
}

extension String {
    /// The text with ASCII letters in lower case and all else unchanged: Unicode case folding would turn the Kelvin
    /// sign into a "k".
    var asciiLowercased: String {
        guard utf8.span.hasCapital else { return self }
        return String(decoding: utf8.map(\.lowercased), as: UTF8.self)
    }
}

extension Span<UInt8> {
    fileprivate var hasCapital: Bool {
        for index in indices where self[index] != self[index].lowercased { return true }
        return false
    }

    func contains(_ byte: UInt8) -> Bool {
        for index in indices where self[index] == byte { return true }
        return false
    }

    func isEqualIgnoringCase(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index].lowercased != other[index].lowercased { return false }
        return true
    }
}
