// SPDX-License-Identifier: Apache-2.0
import TernTLS

/// Limits reports to one per subject and day. Stores a bounded number of subjects: an application that connects to ten
/// thousand hosts, perhaps because an attacker makes it, must not fill its memory.
struct PinReportLimiter {
    static let interval: Int64 = 86400
    static let capacity = 1024

    /// The subject of a report: after a harmless mismatch in the morning, an attacker's key in the afternoon is
    /// reported as well.
    struct Subject: Hashable {
        let rule: String
        let host: String
        /// The leaf's.
        let key: X509Certificate.PublicKey?
        let pins: [X509Certificate.PublicKey]
    }

    private var lastReports: [Subject: Int64] = [:]

    /// - Parameter time: the time of the report, in seconds since 1970-01-01T00:00:00Z. After the clock was set back,
    ///   the next report passes.
    mutating func admits(_ subject: Subject, at time: Int64) -> Bool {
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

extension PinReportLimiter.Subject {
    init(_ report: PinFailureReport) {
        self.init(
            rule: report.failure.rule, host: report.result.host, key: report.result.sentChain.first?.publicKey,
            pins: report.pinSet.allPins)
    }
}
