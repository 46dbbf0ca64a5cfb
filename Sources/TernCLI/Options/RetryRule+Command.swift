// SPDX-License-Identifier: Apache-2.0
import TernEngine

extension RetryRule {
    /// curl's rules: waits double from one second to ten minutes, and none is longer than an hour. There is no
    /// budget, and every method is repeated: a person sends the request.
    ///
    /// - Parameters:
    ///   - fixedDelay: seconds in place of the waits that double; nil or 0 for these.
    ///   - maximumTime: seconds since the first attempt, after which no other begins; nil or 0 for no limit.
    ///   - maximumDelay: no attempt is waited for longer, in seconds; nil or 0 for no limit of its own.
    init(
        retries: Int, fixedDelay: Double? = nil, maximumTime: Double? = nil, maximumDelay: Double? = nil,
        includesRefusals: Bool = false, includesEverything: Bool = false
    ) {
        func limit(_ seconds: Double?) -> Duration? { seconds.flatMap { $0 > 0 ? .seconds($0) : nil } }
        var policy = RetryPolicy()
        policy.maximumRetries = retries
        policy.failures = includesEverything ? .all : [.unresolved, .timedOut, .outOfTime]
        if includesRefusals { policy.failures.insert(.refused) }
        policy.statusCodes = [408, 429, 500, 502, 503, 504]
        policy.requests = .all
        let fixed = limit(fixedDelay)
        policy.backOff = .init(base: fixed ?? .seconds(1), maximum: fixed ?? .seconds(600), jitter: .none)
        policy.maximumDelay = max(.seconds(3600), fixed ?? .zero)
        if let limit = limit(maximumDelay) { policy.maximumDelay = min(policy.maximumDelay, limit) }
        policy.maximumTime = limit(maximumTime)
        policy.budget = nil
        self.init(policy)
    }

    /// Returns how long the next attempt waits; nil if there is none.
    ///
    /// - Parameter attempt: the number of attempts made, 1 or more.
    func delay(
        on outcome: Outcome, of request: URLRequest, after attempt: Int, elapsed: Duration = .zero
    ) -> Duration? {
        let count = Count(retries: attempt - 1)
        let verdict = verdict(on: outcome, Facts(ofWhole: request), count, elapsed: elapsed)
        return if case .retry(let delay) = verdict { delay } else { nil }
    }

    /// The same for an error. What is no error of a session, such as a refused response, may pass if all may; but output
    /// that cannot be written does not.
    func delay(
        on error: any Error, of request: URLRequest, after attempt: Int, elapsed: Duration = .zero
    ) -> Duration? {
        if error is OutputError || error is StandardStreams.WriteError { return nil }
        let failure = error as? SessionError ?? SessionError(.transfer(.provider(error)), phase: .body)
        return delay(on: Outcome(of: failure), of: request, after: attempt, elapsed: elapsed)
    }
}
