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
