// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
public import TernEngine
import TernLock

/// The adapter and the retrier of a manager.
final class RequestInterception: TaskInterception {
    private struct State {
        var adapter: (any RequestAdapter)?
        var retrier: RequestRetry.Retrier?
    }

    private let state = Lock(State())
    private let registry: TaskRegistry
    // Read once per request, without the lock.
    private let adapts = Atomic<Bool>(false)
    private let retries = Atomic<Bool>(false)

    init(_ registry: TaskRegistry) { self.registry = registry }

    var adapter: (any RequestAdapter)? {
        get { state.withLock { $0.adapter } }
        set {
            state.replace(\.adapter, with: newValue)
            adapts.store(newValue != nil, ordering: .relaxed)
        }
    }

    var retrier: RequestRetry.Retrier? {
        get { state.withLock { $0.retrier } }
        set {
            state.replace(\.retrier, with: newValue)
            retries.store(newValue != nil, ordering: .relaxed)
        }
    }

    var hasRetrier: Bool { retries.load(ordering: .relaxed) }

    func adapt(_ request: URLRequest) throws -> URLRequest {
        guard adapts.load(ordering: .relaxed), let adapter else { return request }
        return try adapter.adapt(request)
    }

    func retry(of task: SessionTask) -> (any TaskRetry)? {
        guard let retrier, let request = registry[task] else { return nil }
        return RequestRetry(request, retrier, registry)
    }

    /// Asks the retrier about an adapter's error that left a request without a task. Returns false without a retrier.
    func askAboutAdaptation(of request: Request) -> Bool {
        guard let retrier, request.delegate.asks() else { return false }
        request.delegate.askSoon(RequestRetry(request, retrier, registry))
        return true
    }
}

/// One retry of a request. Retains the request, and keeps one without a task in the registry.
final class RequestRetry: TaskRetry {
    /// Asks a retrier about the error of a request.
    typealias Retrier = @Sendable (Request, any Error, @escaping RetrierAnswer) -> Void

    private let request: Request
    private let retrier: Retrier
    private let registry: TaskRegistry

    init(_ request: Request, _ retrier: @escaping Retrier, _ registry: TaskRegistry) {
        (self.request, self.retrier, self.registry) = (request, retrier, registry)
        if request.task == nil { registry.addWaiting(request) }
    }

    deinit { registry.removeWaiting(request) }

    func ask(about error: any Error, _ answer: @escaping RetrierAnswer) {
        let question = RetryQuestion(answer)
        retrier(request, error) { question.answer($0, after: $1) }
    }

    func perform() {
        let delegate = request.delegate
        guard let original = request.original, !delegate.context.isOver else { return delegate.settle(with: nil) }
        do {
            let last = delegate.task
            let key = last?.originalRequest.headers["Idempotency-Key"]
            let next = try original.task(telling: delegate, keeping: key)
            registry[next] = request
            // Not with this object, which the thread that runs this may release after the response has come.
            registry.removeWaiting(request)
            guard delegate.restart(with: next) else { return registry.remove(next) }
            if let last { registry.remove(last) }
            // The manager may have been released before it could cancel this task.
            if delegate.context.isOver { next.cancel() } else { next.resume() }
        } catch {
            delegate.settle(with: (error as? AdaptError)?.underlying ?? error)
        }
    }
}

/// A question to a retrier. The first answer counts. If the last reference to the question is released without an
/// answer, the answer is no.
final class RetryQuestion: Sendable {
    /// Released with the first answer: a retrier may keep the question.
    private let receive: Lock<RetrierAnswer?>

    init(_ receive: @escaping RetrierAnswer) { self.receive = Lock(receive) }

    deinit { answer(false, after: 0) }

    func answer(_ retries: Bool, after delay: TimeInterval) {
        let receive = receive.withLock { $0.take() }
        receive?(retries, delay)
    }
}

/// Changes requests before they are sent, for example by adding an access token.
@preconcurrency public protocol RequestAdapter: Sendable {
    /// Returns the request to send in place of `urlRequest`. Called for every new task, so again for each retry, and
    /// always with the original request: on the thread that creates the request, or on one of Tern's threads for a
    /// retry. An `Idempotency-Key` that it adds is that of the request: a later task keeps the first one's.
    ///
    /// - Throws: the error of the response, unless a retrier has the request retried.
    func adapt(_ urlRequest: URLRequest) throws -> URLRequest
}
