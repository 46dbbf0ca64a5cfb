// SPDX-License-Identifier: Apache-2.0

/// Dates as cookies bring them, in all the forms that servers have ever written (RFC 6265bis §5.1.1).
enum CookieDate {
    /// The most bytes of a date. No form has more than 50, and each word costs work.
    static let maximumSize = 128

    /// Seconds since 1970-01-01T00:00:00Z; nil if `text` is no date.
    static func seconds(_ text: String) -> Int64? { seconds(Array(text.utf8)[...]) }

    /// The same for bytes.
    static func seconds(_ text: ArraySlice<UInt8>) -> Int64? {
        guard text.count <= maximumSize else { return nil }
        var (time, day, month, year): ((Int64, Int64, Int64)?, Int64?, Int64?, Int64?)
        var rest = text.drop(while: isDelimiter)
        while !rest.isEmpty {
            let token = rest.prefix { !isDelimiter($0) }
            rest = rest[token.endIndex...].drop(while: isDelimiter)
            if time == nil, let found = Self.time(token) {
                time = found
            } else if day == nil, let found = number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = Self.month(token) {
                month = found
            } else if year == nil, let found = number(token, digits: 2...4) {
                year = found
            }
        }
        guard let time, let day, let month, var year else { return nil }
        if (70...99).contains(year) { year += 1900 }
        if (0...69).contains(year) { year += 2000 }
        guard (1...31).contains(day), year >= 1601, time.0 <= 23, time.1 <= 59, time.2 <= 59,
            day <= HTTPDate.dayCount(of: month, in: year)
        else { return nil }
        return HTTPDate.days(year, month, day) * 86400 + time.0 * 3600 + time.1 * 60 + time.2
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// The digits that `token` begins with, if their number fits and another character or the end follows.
    private static func number(_ token: ArraySlice<UInt8>, digits: ClosedRange<Int>) -> Int64? {
        let prefix = token.prefix(while: isDigit)
        guard digits.contains(prefix.count) else { return nil }
        return prefix.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    private static func time(_ token: ArraySlice<UInt8>) -> (Int64, Int64, Int64)? {
        guard let colon = token.firstIndex(of: 0x3A), let last = token[(colon + 1)...].firstIndex(of: 0x3A),
            token[..<colon].allSatisfy(isDigit), token[(colon + 1)..<last].allSatisfy(isDigit),
            let hour = number(token[..<colon], digits: 1...2),
            let minute = number(token[(colon + 1)..<last], digits: 1...2),
            let second = number(token[(last + 1)...], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    private static func month(_ token: ArraySlice<UInt8>) -> Int64? {
        guard token.count >= 3 else { return nil }
        return months.firstIndex { token.prefix(3).isWord($0) }.map { Int64($0) + 1 }
    }
}

extension ArraySlice<UInt8> {
    /// Whether the bytes are this word of ASCII, which is in lower case; the case of ASCII letters is ignored.
    func isWord(_ word: String) -> Bool {
        count == word.utf8.count && elementsEqual(word.utf8) { $0.lowercasedLetter == $1 }
    }
}

extension UInt8 {
    /// The letter in lower case if this is an ASCII letter.
    var lowercasedLetter: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}
