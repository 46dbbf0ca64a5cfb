// SPDX-License-Identifier: Apache-2.0
import TernEngine
import TernLock

/// The requests that have not ended, by task, and those that wait for one. Those that were never started are not held.
final class TaskRegistry: Sendable {
    private struct State {
        var requests: [Int: Request] = [:]
        var unstarted: [Int: WeakRequest] = [:]
        var waiting: [ObjectIdentifier: Request] = [:]
    }

    private struct WeakRequest {
        weak var request: Request?
    }

    private let state = Lock(State())

    subscript(task: SessionTask) -> Request? {
        get {
            state.withLock { $0.requests[task.taskIdentifier] ?? $0.unstarted[task.taskIdentifier]?.request }
        }
        set {
            // What is replaced may be the last reference: let go of it when the lock is free.
            let replaced = state.withLock { state in
                guard let newValue else {
                    state.unstarted[task.taskIdentifier] = nil
                    return state.requests.removeValue(forKey: task.taskIdentifier)
                }
                return state.requests.updateValue(newValue, forKey: task.taskIdentifier)
            }
            withExtendedLifetime(replaced) {}
        }
    }

    /// Knows of a request without holding it.
    func note(_ request: Request, for task: SessionTask) {
        state.withLock { $0.unstarted[task.taskIdentifier] = WeakRequest(request: request) }
    }

    /// Holds a request that was only known, if it is still there.
    func hold(_ task: SessionTask) {
        state.withLock { state in
            guard let request = state.unstarted.removeValue(forKey: task.taskIdentifier)?.request else { return }
            state.requests[task.taskIdentifier] = request
        }
    }

    /// The request that this is the delegate of.
    func request(of delegate: TaskDelegate) -> Request? {
        delegate.task.flatMap { self[$0] } ?? state.withLock { $0.waiting[ObjectIdentifier(delegate)] }
    }

    func await(_ request: Request) {
        state.withLock { $0.waiting[ObjectIdentifier(request.delegate)] = request }
    }

    func forget(_ delegate: TaskDelegate) {
        let request = state.withLock { $0.waiting.removeValue(forKey: ObjectIdentifier(delegate)) }
        withExtendedLifetime(request) {}
    }

    var all: [Request] {
        state.withLock { state in
            Array(state.requests.values) + state.waiting.values + state.unstarted.values.compactMap(\.request)
        }
    }
}
