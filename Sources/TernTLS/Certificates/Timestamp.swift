// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// Seconds since 1970-01-01T00:00:00Z and their text, without a calendar library.
package enum Timestamp {
    static var now: Int64 { tern_unix_time() }

    /// Nil if the certificate's value is not a time.
    @unsafe static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        guard let time = unsafe time, let epoch = unsafe ASN1_TIME_set(nil, 0) else { return nil }
        defer { unsafe ASN1_TIME_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard unsafe ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else {
            OpenSSLError.clear()
            return nil
        }
        return Int64(days) * 86400 + Int64(seconds)
    }

    /// `2026-01-31T23:59:59Z`, by the proleptic Gregorian calendar; `unknown` for nil.
    static func text(_ seconds: Int64?) -> String {
        guard let seconds else { return "unknown" }
        let (day, second) = floorDivision(seconds, 86400)
        // Days are counted from 1 March of year 0, so that the leap day comes last; then 400 years are 146097 days.
        let (era, dayOfEra) = floorDivision(day &+ 719_468, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))"
        return "\(date)T\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))Z"
    }

    private static func floorDivision(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let remainder = value % divisor
        return remainder < 0 ? (value / divisor - 1, remainder + divisor) : (value / divisor, remainder)
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}

extension Timestamp {
    /// Parses `2026-01-31T23:59:59Z`, with an optional fraction of a second or an offset such as `+01:00` (RFC 3339
    /// §5.6). The fraction is dropped; a leap second counts as the following second.
    ///
    /// Strict: nil for an impossible date, for a space instead of the `T`, and for any text before or after.
    package static func seconds(rfc3339 text: String) -> Int64? { moment(rfc3339: text)?.seconds }

    /// As `seconds`, and whether a fraction was dropped: the actual time is then after that second.
    package static func moment(rfc3339 text: String) -> (seconds: Int64, hasFraction: Bool)? {
        var reader = DigitReader(text)
        guard let day = reader.day(), reader.take("T") || reader.take("t"), let hour = reader.number(2, 0...23),
            reader.take(":"), let minute = reader.number(2, 0...59), reader.take(":"),
            let second = reader.number(2, 0...60), let hasFraction = reader.fraction(), let offset = reader.offset(),
            reader.isAtEnd
        else { return nil }
        return (day * 86400 + hour * 3600 + minute * 60 + second - offset, hasFraction)
    }

    /// Parses `2026-01-31`: the first second of that day in UTC.
    package static func seconds(fullDate text: String) -> Int64? {
        var reader = DigitReader(text)
        guard let day = reader.day(), reader.isAtEnd else { return nil }
        return day * 86400
    }

    /// Parses either: a date, which is its first second in UTC, or an RFC 3339 time.
    package static func seconds(dateOrTime text: String) -> Int64? { moment(dateOrTime: text)?.seconds }

    /// As `seconds`, and whether a fraction was dropped.
    package static func moment(dateOrTime text: String) -> (seconds: Int64, hasFraction: Bool)? {
        seconds(fullDate: text).map { ($0, false) } ?? moment(rfc3339: text)
    }

    /// `2026-01-31T23:59:59Z`.
    package static func rfc3339(_ seconds: Int64) -> String { text(seconds) }

    /// The current time, in seconds since 1970-01-01T00:00:00Z.
    package static var current: Int64 { now }
}

/// Parses numbers of fixed width, and separators, from the front of a text.
private struct DigitReader {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard let first = rest.first, UInt32(first) == character.value else { return false }
        rest.removeFirst()
        return true
    }

    mutating func number(_ width: Int, _ range: ClosedRange<Int64>) -> Int64? {
        let digits = rest.prefix(width)
        guard digits.count == width, digits.allSatisfy(Self.isDigit) else { return nil }
        rest.removeFirst(width)
        let value = digits.reduce(0) { $0 * 10 + Int64($1 & 0x0f) }
        return range.contains(value) ? value : nil
    }

    /// A full date, as days since 1970-01-01 in the proleptic Gregorian calendar.
    mutating func day() -> Int64? {
        guard let year = number(4, 0...9999), take("-"), let month = number(2, 1...12), take("-"),
            let day = number(2, 1...Self.length(of: month, in: year))
        else { return nil }
        // Years that begin in March, so that the leap day comes last; then 400 years are 146097 days.
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Whether a digit is not zero; nil for a dot without digits.
    mutating func fraction() -> Bool? {
        guard take(".") else { return false }
        let digits = rest.prefix(while: Self.isDigit)
        rest.removeFirst(digits.count)
        return digits.isEmpty ? nil : digits.contains { $0 != UInt8(ascii: "0") }
    }

    /// Seconds east of UTC.
    mutating func offset() -> Int64? {
        if take("Z") || take("z") { return 0 }
        let sign: Int64
        if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
        guard let hours = number(2, 0...23), take(":"), let minutes = number(2, 0...59) else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func length(of month: Int64, in year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
