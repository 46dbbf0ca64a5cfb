// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// How a retrier answers: whether to ask again, and after how many seconds. The first answer counts; a retrier that
/// lets go of the closure without a word has said no.
@preconcurrency public typealias RequestRetryCompletion =
    @Sendable (_ shouldRetry: Bool, _ timeDelay: TimeInterval) -> Void

/// Decides whether a request that has failed is asked again.
@preconcurrency public protocol RequestRetrier: Sendable {
    /// Asked about every error a request would end with: of transport, of validation, or of an adapter. On the
    /// manager's callback queue; answer then or later, from any thread. Until then no handler of the request runs.
    ///
    /// - Parameters:
    ///   - manager: whose request it is.
    ///   - request: the request; its `retryCount` tells how often it was asked again before.
    ///   - error: why it has failed.
    ///   - completion: to be called with the answer.
    func should(
        _ manager: SessionManager, retry request: Request, with error: any Error,
        completion: @escaping RequestRetryCompletion)
}
