// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Dates such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7). Two obsolete forms of them, and what servers write
/// besides, are read and not written.
///
/// Cookies have a reader of their own, ``CookieDate``, as RFC 6265bis says how their dates are read: zones do not count.
package enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

    /// Seconds since 1970-01-01T00:00:00Z; nil for what is no date. Reads all that curl and browsers read: RFC 9110
    /// §5.6.7 asks recipients to be robust. The day of the week is not checked.
    package static func seconds(_ text: String) -> Int64? { seconds(text, now: clock) }

    /// The same at another time than the present.
    static func seconds(_ text: String, now: () -> Int64) -> Int64? {
        exactSeconds(text, now: now) ?? DateReader.seconds(text, now: now)
    }

    /// The same for the three forms of RFC 9110 to the letter, and nothing else: for the date that is a validator, and the
    /// `Date` that it is compared with. Read as another time it may seem old enough to be a strong one, and parts of two
    /// contents would become one file.
    static func exactSeconds(_ text: String) -> Int64? { exactSeconds(text, now: clock) }

    private static func exactSeconds(_ text: String, now: () -> Int64) -> Int64? {
        if text.utf8.count > DateReader.maximumLength { return nil }
        let words = text.split(separator: " ", maxSplits: 6, omittingEmptySubsequences: false)
        if words.count == 6, words[0].utf8.count == 4, words[0].hasSuffix(","), words[5] == "GMT" {
            return seconds(day: number(words[1], 2, 1...31), words[2], number(words[3], 4, 1583...9999), words[4])
        }
        return rfc850(words, now: now) ?? asctime(words)
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT`.
    private static func rfc850(_ words: [Substring], now: () -> Int64) -> Int64? {
        guard words.count == 4, words[3] == "GMT", words[0].hasSuffix(","),
            weekdays.contains(String(words[0].dropLast()))
        else { return nil }
        let date = words[1].split(separator: "-", maxSplits: 3, omittingEmptySubsequences: false)
        guard date.count == 3, let year = number(date[2], 2, 0...99) else { return nil }
        return parts(inShortYear: year, now: now()) {
            parts(day: number(date[0], 2, 1...31), date[1], $0, words[2])
        }?.seconds
    }

    /// `Sun Nov  6 08:49:37 1994`: a day of one digit follows two spaces.
    private static func asctime(_ words: [Substring]) -> Int64? {
        guard let first = words.first, weekdays.contains(where: { $0.prefix(3) == first }) else { return nil }
        if words.count == 6, words[2].isEmpty {
            return seconds(day: number(words[3], 1, 1...9), words[1], number(words[5], 4, 1583...9999), words[4])
        }
        guard words.count == 5 else { return nil }
        return seconds(day: number(words[2], 2, 1...31), words[1], number(words[4], 4, 1583...9999), words[3])
    }

    private static func seconds(day: Int64?, _ month: Substring, _ year: Int64?, _ time: Substring) -> Int64? {
        parts(day: day, month, year, time)?.seconds
    }

    private static func parts(day: Int64?, _ month: Substring, _ year: Int64?, _ time: Substring) -> Parts? {
        let time = time.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
        guard let day, let month = months.firstIndex(of: String(month)), let year, time.count == 3,
            let hour = number(time[0], 2, 0...23), let minute = number(time[1], 2, 0...59),
            let second = number(time[2], 2, 0...60)
        else { return nil }
        return Parts(year: year, month: Int64(month) + 1, day: day, hour: hour, minute: minute, second: second)
    }

    /// The date whose year has these two digits, and which is at most 50 years ahead: a later one is past (RFC 9110
    /// §5.6.7).
    ///
    /// - Parameter date: returns the date in a year; nil if the year has none.
    static func parts(inShortYear digits: Int64, now: Int64, _ date: (_ year: Int64) -> Parts?) -> Parts? {
        guard let now = Parts(seconds: now) else { return nil }
        let last = now.year + 50
        let year = last - (last - digits) % 100
        let parts = date(year)
        if year == last, let parts, parts.placeInYear > now.placeInYear { return date(year - 100) }
        return parts
    }

    /// The present, in seconds since 1970-01-01T00:00:00Z.
    private static func clock() -> Int64 { Int64(exactly: Date().timeIntervalSince1970.rounded(.down)) ?? 0 }

    /// The date in the required form; nil for one before the year 1583 or after 9999.
    package static func text(_ seconds: Int64) -> String? {
        guard let date = Parts(seconds: seconds) else { return nil }
        let days = days(date.year, date.month, date.day)
        // 1970-01-01 was a Thursday.
        let weekday = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][Int(((days + 3) % 7 + 7) % 7)]
        let two = { (number: Int64) in (number < 10 ? "0" : "") + String(number) }
        return "\(weekday), \(two(date.day)) \(months[Int(date.month) - 1]) \(date.year) "
            + "\(two(date.hour)):\(two(date.minute)):\(two(date.second)) GMT"
    }

    private static func number(_ digits: Substring, _ width: Int, _ range: ClosedRange<Int64>) -> Int64? {
        guard digits.utf8.count == width, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int64(digits), range.contains(number)
        else { return nil }
        return number
    }

    /// Days since 1970-01-01 in the Gregorian calendar. Years begin in March here, so that the leap day comes last.
    static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }

    /// A date and a time of day, in GMT.
    package struct Parts: Sendable, Equatable {
        package let year: Int64
        /// From 1 to 12.
        package let month: Int64
        /// From 1.
        package let day: Int64
        package let hour: Int64
        package let minute: Int64
        package let second: Int64

        /// Nil for an invalid date, or a year outside 1583 to 9999.
        package init?(year: Int64, month: Int64, day: Int64, hour: Int64, minute: Int64, second: Int64) {
            guard (1583...9999).contains(year), (1...12).contains(month), day >= 1,
                day <= dayCount(of: month, in: year),
                (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
            else { return nil }
            (self.year, self.month, self.day) = (year, month, day)
            (self.hour, self.minute, self.second) = (hour, minute, second)
        }

        /// From seconds since 1970-01-01T00:00:00Z.
        package init?(seconds: Int64) {
            let first = HTTPDate.days(1583, 1, 1) * 86400
            guard seconds >= first, seconds < HTTPDate.days(10_000, 1, 1) * 86400 else { return nil }
            let days = (seconds - first) / 86400 + HTTPDate.days(1583, 1, 1)
            let rest = (seconds - first) % 86400
            // By the length of an average year: this year or a later one, and seldom by more than one.
            var year = min(9999, days * 400 / 146_097 + 1971)
            while HTTPDate.days(year, 1, 1) > days { year -= 1 }
            var month: Int64 = 12
            while HTTPDate.days(year, month, 1) > days { month -= 1 }
            self.init(
                year: year, month: month, day: days - HTTPDate.days(year, month, 1) + 1, hour: rest / 3600,
                minute: rest / 60 % 60, second: rest % 60)
        }

        /// Grows within each year.
        fileprivate var placeInYear: Int64 { (((month * 31 + day) * 24 + hour) * 60 + minute) * 61 + second }

        /// Seconds since 1970-01-01T00:00:00Z.
        package var seconds: Int64 { HTTPDate.days(year, month, day) * 86400 + hour * 3600 + minute * 60 + second }
    }

    /// The number of days in a month, from 1 to 12.
    static func dayCount(of month: Int64, in year: Int64) -> Int64 {
        days(month == 12 ? year + 1 : year, month == 12 ? 1 : month + 1, 1) - days(year, month, 1)
    }
}
