// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern

/// Whether what went wrong may be better the next time, and when that is; curl's rules.
struct RetryRule: Sendable {
    private static let longestDoubling = 600.0
    private static let longestWait = 1e9

    /// How often a request may be repeated.
    let count: Int
    /// In seconds; nil doubles from one second.
    let fixedDelay: Double?

    static func isTransient(status: Int) -> Bool { [408, 429, 500, 502, 503, 504].contains(status) }

    static func isTransient(_ error: any Error) -> Bool {
        guard let error = error as? EngineError else { return false }
        switch error.reason {
        case .timedOut, .connecting(.unresolved): return true
        default: return false
        }
    }

    /// Seconds until the next attempt.
    ///
    /// - Parameters:
    ///   - attempt: how many have been made, 1 or more.
    ///   - retryAfter: the field of that name, which counts if it is later (RFC 9110 §10.2.3).
    func delay(after attempt: Int, retryAfter: String?, now: Date) -> Double {
        let own = fixedDelay ?? min(Self.longestDoubling, Double(sign: .plus, exponent: attempt - 1, significand: 1))
        return max(own, retryAfter.flatMap { Self.seconds(in: $0, now: now) } ?? 0)
    }

    /// A number of seconds, or a date.
    private static func seconds(in field: String, now: Date) -> Double? {
        if let seconds = Double(field), field.allSatisfy(\.isNumber) { return min(seconds, longestWait) }
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.date(from: field).map { min(max(0, $0.timeIntervalSince(now)), longestWait) }
    }
}
