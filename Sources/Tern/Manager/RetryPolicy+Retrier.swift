// SPDX-License-Identifier: Apache-2.0
import Foundation
public import TernEngine

/// A policy as a ``SessionManager/retrier``: it decides about the errors of requests, also those of validation, by the rule
/// that sessions follow by themselves. A manager whose configuration has a policy needs no retrier for the same.
///
/// The policy's `budget` and `maximumTime` are those of a session; a retrier has none.
extension RetryPolicy: RequestRetrier {
    /// Creates a policy with the names and values of Alamofire 5's `RetryPolicy`: after `n` retries the next one waits
    /// `exponentialBackoffScale` seconds times the `n`th power of `exponentialBackoffBase`.
    public init(
        retryLimit: UInt, exponentialBackoffBase: UInt = 2, exponentialBackoffScale: Double = 0.5,
        retryableHTTPMethods: Set<HTTPMethod> = [.delete, .get, .head, .options, .put, .trace],
        retryableHTTPStatusCodes: Set<Int> = [408, 500, 502, 503, 504]
    ) {
        self.init()
        maximumRetries = Int(clamping: retryLimit)
        requests = .methods(Set(retryableHTTPMethods.map(\.rawValue)))
        statusCodes = retryableHTTPStatusCodes
        let scale = min(max(0, exponentialBackoffScale), 1e9)
        backOff = BackOff(
            base: .seconds(scale), factor: Int(clamping: exponentialBackoffBase), maximum: .seconds(1_000_000_000),
            jitter: .none)
        maximumDelay = .seconds(1_000_000_000)
    }

    /// Answers by the error of the request, and by the response if its status is one of the policy's.
    public func should(
        _ manager: SessionManager, retry request: Request, with error: any Error,
        completion: @escaping RequestRetryCompletion
    ) {
        let rule = RetryRule(self)
        let outcome: RetryRule.Outcome
        let wasSent: Bool
        if let error = error as? SessionError {
            (outcome, wasSent) = (RetryRule.Outcome(of: error), !error.isSafeToRepeat)
        } else if let response = request.response {
            (outcome, wasSent) = (RetryRule.Outcome(of: response.head), true)
        } else {
            return completion(false, 0)
        }
        guard let sent = request.request else { return completion(false, 0) }
        let count = RetryRule.Count(retries: Int(clamping: request.retryCount))
        switch rule.verdict(
            on: outcome, RetryRule.Facts(ofWhole: sent, wasSent: wasSent), count, elapsed: .zero)
        {
        case .retry(let delay): completion(true, delay / .seconds(1))
        case .end: completion(false, 0)
        }
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
