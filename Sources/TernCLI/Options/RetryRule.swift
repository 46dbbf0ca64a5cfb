// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernEngine

/// Whether a failure may be temporary, and when to retry; curl's rules.
struct RetryRule: Sendable {
    private static let longestDoubling = 600.0
    /// A later time from a server is not waited for.
    private static let longestWait = 3600.0

    /// The maximum number of retries.
    let count: Int
    /// In seconds; nil doubles from one second.
    let fixedDelay: Double?
    /// The time since the first attempt, in seconds, after which no other begins; nil has no limit.
    var maximumTime: Double?
    /// The maximum delay before an attempt, in seconds; nil has no limit of its own.
    var maximumDelay: Double?
    /// Whether a refused connection is retried, too.
    var includesRefusals = false
    /// Whether every error, and every status that is an error, is retried.
    var includesEverything = false

    static func isTransient(status: Int) -> Bool { [408, 429, 500, 502, 503, 504].contains(status) }

    func isTransient(_ error: any Error) -> Bool {
        if includesEverything { return !(error is OutputError) && !(error is StandardStreams.WriteError) }
        guard let error = error as? SessionError else { return false }
        switch error.reason {
        case .timedOut: return true
        case .connecting(.unresolved(let failure)): return failure.reason != .otherFamily
        case .connecting(.unreachable(let failure)):
            return includesRefusals && failure.attempts.contains { $0.error.code == ECONNREFUSED }
        default: return false
        }
    }

    /// Returns the seconds until the next attempt; nil if it would come too late.
    ///
    /// - Parameters:
    ///   - attempt: the number of attempts made, 1 or more.
    ///   - retryAfter: the field of that name, which counts if it is later (RFC 9110 §10.2.3).
    ///   - elapsed: seconds since the first attempt began.
    func delay(after attempt: Int, elapsed: Double = 0, retryAfter: String?, now: Date) -> Double? {
        let own = fixedDelay ?? min(Self.longestDoubling, Double(sign: .plus, exponent: attempt - 1, significand: 1))
        let asked = retryAfter.flatMap { Self.seconds(in: $0, now: now) } ?? 0
        if asked > Self.longestWait { return nil }
        let delay = max(own, asked)
        if let maximumDelay, delay > maximumDelay { return nil }
        if let maximumTime, elapsed + delay > maximumTime { return nil }
        return delay
    }

    /// A number of seconds, or a date.
    private static func seconds(in field: String, now: Date) -> Double? {
        if let seconds = Double(field), field.allSatisfy(\.isNumber) { return seconds }
        return HTTPDate.seconds(field).map { max(0, Double($0) - now.timeIntervalSince1970) }
    }
}
