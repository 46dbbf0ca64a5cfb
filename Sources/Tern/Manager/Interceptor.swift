// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

/// An adapter that is also a retrier.
public typealias RequestInterceptor = RequestAdapter & RequestRetrier

/// A list of adapters and retriers that serves as a manager's `adapter` and `retrier`.
///
/// Each adapter receives the result of the previous one. Retriers are asked in turn until one answers yes.
public final class Interceptor: RequestInterceptor {
    private let adapters: [any RequestAdapter]
    private let retriers: [any RequestRetrier]

    /// First the adapters and retriers, then the interceptors, which are both; each in the order given.
    public init(
        adapters: [any RequestAdapter] = [], retriers: [any RequestRetrier] = [],
        interceptors: [any RequestInterceptor] = []
    ) {
        self.adapters = adapters + interceptors
        self.retriers = retriers + interceptors
    }

    /// Returns the result of the last adapter.
    public func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
        try adapters.reduce(urlRequest) { try $1.adapt($0) }
    }

    /// Asks the retriers in turn until one answers yes.
    public func should(
        _ manager: SessionManager, retry request: Request, with error: any Error,
        completion: @escaping RequestRetryCompletion
    ) {
        ask(retriers[...], manager, request, error, completion)
    }

    private func ask(
        _ retriers: ArraySlice<any RequestRetrier>, _ manager: SessionManager, _ request: Request, _ error: any Error,
        _ completion: @escaping RequestRetryCompletion
    ) {
        guard let retrier = retriers.first else { return completion(false, 0) }
        // A retrier that never answers, or answers twice, must not stop the queue, or run it twice.
        let question = RetryQuestion { [self] retries, delay in
            if retries { return completion(true, delay) }
            ask(retriers.dropFirst(), manager, request, error, completion)
        }
        retrier.should(manager, retry: request, with: error) { question.answer($0, after: $1) }
    }
}

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
