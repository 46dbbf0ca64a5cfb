// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TernEngine
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
