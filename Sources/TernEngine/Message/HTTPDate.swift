// SPDX-License-Identifier: Apache-2.0

/// Dates in the required form, such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7). The two obsolete forms are
/// not supported.
package enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Seconds since 1970-01-01T00:00:00Z; nil for anything else. The day of the week is not checked.
    package static func seconds(_ text: String) -> Int64? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, words[0].utf8.count == 4, words[0].hasSuffix(","), words[5] == "GMT",
            let day = number(words[1], 2, 1...31), let month = months.firstIndex(of: String(words[2])),
            let year = number(words[3], 4, 1583...9999)
        else { return nil }
        let time = words[4].split(separator: ":", omittingEmptySubsequences: false)
        guard time.count == 3, let hour = number(time[0], 2, 0...23), let minute = number(time[1], 2, 0...59),
            let second = number(time[2], 2, 0...60)
        else { return nil }
        return days(year, Int64(month) + 1, day) * 86400 + hour * 3600 + minute * 60 + second
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

    /// The number of days in a month, from 1 to 12.
    static func dayCount(of month: Int64, in year: Int64) -> Int64 {
        days(month == 12 ? year + 1 : year, month == 12 ? 1 : month + 1, 1) - days(year, month, 1)
    }
}
