// SPDX-License-Identifier: Apache-2.0

/// Lets one report pass per rule, host and day. Holds a bounded number of them: an application that meets ten thousand
/// hosts, or whoever makes it do so, must not fill its memory.
struct PinReportLimiter {
    static let interval: Int64 = 86400
    static let capacity = 1024

    private struct Subject: Hashable {
        let rule: String
        let host: String
    }

    private var lastReports: [Subject: Int64] = [:]

    /// - Parameter time: the moment of the report, in seconds since 1970-01-01T00:00:00Z. A clock that was set back
    ///   lets the next report pass.
    mutating func admits(rule: String, host: String, at time: Int64) -> Bool {
        let subject = Subject(rule: rule, host: host)
        if let last = lastReports[subject], Self.isRecent(last, at: time) { return false }
        if lastReports.count >= Self.capacity {
            lastReports = lastReports.filter { Self.isRecent($0.value, at: time) }
            guard lastReports.count < Self.capacity else { return false }
        }
        lastReports[subject] = time
        return true
    }

    private static func isRecent(_ last: Int64, at time: Int64) -> Bool {
        let (age, overflows) = time.subtractingReportingOverflow(last)
        return !overflows && (0..<interval).contains(age)
    }
}
