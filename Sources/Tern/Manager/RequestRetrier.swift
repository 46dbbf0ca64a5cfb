// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// A retrier's answer: whether to retry, and after how many seconds. The first answer counts; releasing the closure
/// without an answer means no.
@preconcurrency public typealias RequestRetryCompletion =
    @Sendable (_ shouldRetry: Bool, _ timeDelay: TimeInterval) -> Void

/// Decides whether a failed request is retried.
@preconcurrency public protocol RequestRetrier: Sendable {
    /// Decides about an error that would end a request: of transport, of validation, or of an adapter. Called on the
    /// manager's callback queue; `completion` may be called later and from any thread. Until then no handler runs.
    ///
    /// - Parameters:
    ///   - manager: the manager of the request.
    ///   - request: the request; its `retryCount` is the number of retries so far.
    ///   - error: the reason of the failure.
    ///   - completion: receives the answer.
    func should(
        _ manager: SessionManager, retry request: Request, with error: any Error,
        completion: @escaping RequestRetryCompletion)
}
