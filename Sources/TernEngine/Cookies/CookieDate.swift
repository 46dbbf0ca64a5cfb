// SPDX-License-Identifier: Apache-2.0

/// Dates as cookies bring them, in all the forms that servers have ever written (RFC 6265bis §5.1.1).
enum CookieDate {
    /// Seconds since 1970-01-01T00:00:00Z; nil if `text` is no date.
    static func seconds(_ text: String) -> Int64? {
        var (time, day, month, year): ((Int64, Int64, Int64)?, Int64?, Int64?, Int64?)
        for token in text.utf8.split(whereSeparator: isDelimiter) {
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
    private static func number(_ token: Substring.UTF8View, digits: ClosedRange<Int>) -> Int64? {
        let prefix = token.prefix(while: isDigit)
        guard digits.contains(prefix.count) else { return nil }
        return Int64(String(Substring(prefix)))
    }

    private static func time(_ token: Substring.UTF8View) -> (Int64, Int64, Int64)? {
        let parts = token.split(separator: 0x3A, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].allSatisfy(isDigit), parts[1].allSatisfy(isDigit),
            let hour = number(parts[0], digits: 1...2), let minute = number(parts[1], digits: 1...2),
            let second = number(parts[2], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    private static func month(_ token: Substring.UTF8View) -> Int64? {
        guard token.count >= 3 else { return nil }
        let name = String(Substring(token.prefix(3))).lowercased()
        return months.firstIndex(of: name).map { Int64($0) + 1 }
    }
}
