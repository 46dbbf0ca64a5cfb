// SPDX-License-Identifier: Apache-2.0
import Foundation
public import TernEngine
import TernLock

/// A policy as a ``SessionManager/retrier``: it decides about the errors of requests, also those of validation, by the rule
/// that sessions follow by themselves, from what the error and the response say.
///
/// What the session's own policy retries, or that of the request, is left to it, and its retries count here, too: a policy in
/// both places retries as often as in one. A wait counts to ``TernEngine/Timeouts/total`` of the task that has ended, and
/// ``TernEngine/RetryPolicy/maximumTime`` begins with the request's first task. A wait that is too long for one of them, or
/// for ``TernEngine/RetryPolicy/maximumDelay``, does not begin: the response or the error is the result. The budget is that
/// of a session; a retrier has none.
extension RetryPolicy: RequestRetrier {
    /// Creates a policy with the names and values of Alamofire 5's `RetryPolicy`: after `n` retries the next one waits
    /// `exponentialBackoffScale` seconds times the `n`th power of `exponentialBackoffBase`, and at most a minute, or the
    /// scale if that is more. As a retrier it retries no other methods, whatever has happened, unless the request has an
    /// `Idempotency-Key`.
    public init(
        retryLimit: UInt, exponentialBackoffBase: UInt = 2, exponentialBackoffScale: Double = 0.5,
        retryableHTTPMethods: Set<HTTPMethod> = [.delete, .get, .head, .options, .put, .trace],
        retryableHTTPStatusCodes: Set<Int> = [408, 500, 502, 503, 504]
    ) {
        self.init()
        maximumRetries = Int(clamping: retryLimit)
        requests = .methods(Set(retryableHTTPMethods.map(\.rawValue)))
        statusCodes = retryableHTTPStatusCodes
        let scale = Duration.seconds(min(max(0, exponentialBackoffScale), 1e9))
        maximumDelay = max(maximumDelay, scale)
        backOff = BackOff(
            base: scale, factor: Int(clamping: exponentialBackoffBase), maximum: maximumDelay, jitter: .none)
    }

    /// Answers by the error of the request, and by the response if its status is one of the policy's.
    public func should(
        _ manager: SessionManager, retry request: Request, with error: any Error,
        completion: @escaping RequestRetryCompletion
    ) {
        guard case .retry(let delay)? = verdict(on: request, error, manager.session.configuration) else {
            return completion(false, 0)
        }
        completion(true, delay / .seconds(1))
    }

    /// Nil for an error that is none of a task, and for what is not this policy's to decide.
    private func verdict(
        on request: Request, _ error: any Error, _ configuration: SessionConfiguration
    ) -> RetryRule.Verdict? {
        let failure = error as? SessionError
        guard let sent = request.request,
            let outcome = failure.map({ RetryRule.Outcome(of: $0) })
                ?? request.response.map({ RetryRule.Outcome(of: $0.head) })
        else { return nil }
        // A validation may fail with an error that knows of no request.
        let facts = RetryRule.Facts(ofWhole: sent, wasSent: request.response != nil || failure?.wasSent != false)
        // Methods that are named are asked for first, as in Alamofire 5.
        if case .methods(let methods) = requests, !facts.hasIdempotencyKey, !methods.contains(facts.method) {
            return nil
        }
        // The session retries it as long as it can, but for content that breaks off.
        let planner = RetryRule(sent.retryPolicy ?? configuration.retryPolicy)
        if failure?.phase != .body, outcome.isRetried(by: planner.policy), planner.isSafeToRepeat(facts) { return nil }
        let metrics = request.task?.metrics
        let earlier = request.delegate.state.withLock { $0.earlier }
        let now = MonotonicInstant.now(by: configuration.clock)
        let elapsed = (earlier.start ?? metrics?.start)?.duration(to: now) ?? .zero
        var policy = self
        // A task that has run out of its time is followed by one with a time of its own.
        if let metrics, let total = (sent.timeouts ?? configuration.timeouts).total, !outcome.isOutOfTime {
            let left = total - metrics.start.duration(to: now)
            policy.maximumTime = min(policy.maximumTime ?? .seconds(Int64.max), elapsed + left)
        }
        let retries = Int(clamping: request.retryCount) + earlier.retries + (metrics?.retries.last?.number ?? 0)
        return RetryRule(policy).verdict(on: outcome, facts, RetryRule.Count(retries: retries), elapsed: elapsed)
    }
}

/// Retries requests whose connection was lost, with the name of Alamofire 5.
public struct ConnectionLostRetryPolicy: RequestRetrier {
    private let policy: RetryPolicy

    /// Creates a retrier with the values of ``TernEngine/RetryPolicy``.
    public init(
        retryLimit: UInt = 2, exponentialBackoffBase: UInt = 2, exponentialBackoffScale: Double = 0.5,
        retryableHTTPMethods: Set<HTTPMethod> = [.delete, .get, .head, .options, .put, .trace]
    ) {
        var policy = RetryPolicy(
            retryLimit: retryLimit, exponentialBackoffBase: exponentialBackoffBase,
            exponentialBackoffScale: exponentialBackoffScale, retryableHTTPMethods: retryableHTTPMethods,
            retryableHTTPStatusCodes: [])
        policy.failures = .connectionLost
        self.policy = policy
    }

    /// Answers by the error of the request.
    public func should(
        _ manager: SessionManager, retry request: Request, with error: any Error,
        completion: @escaping RequestRetryCompletion
    ) {
        policy.should(manager, retry: request, with: error, completion: completion)
    }
}
