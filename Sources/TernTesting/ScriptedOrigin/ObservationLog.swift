// SPDX-License-Identifier: Apache-2.0
// Every change wakes the waiters whose condition it fulfils, under the same lock: no observation is missed between a
// check and a wait. Bytes are counted without the lock, because they change many times per request: the counting thread
// checks for waiters afterwards, and a waiter registers before it checks the count, so that one of the two sees the
// other.

internal import Synchronization
internal import TernLock

/// The observations of one origin, and the tests that wait for them.
final class ObservationLog: Sendable {
    typealias Condition = @Sendable (OriginObservations) -> Bool

    private struct Waiter {
        let condition: Condition
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var observations: OriginObservations
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
    }

    private let state: Lock<State>
    private let bytesSent = Atomic(0)
    private let bytesReceived = Atomic(0)
    private let hasWaiters = Atomic(false)

    init(rememberedRequests: Int) {
        state = Lock(State(observations: OriginObservations(rememberedRequests: max(0, rememberedRequests))))
    }

    var observations: OriginObservations {
        state.withLock { state in
            countBytes(in: &state)
            return state.observations
        }
    }

    func record(_ change: (inout OriginObservations) -> Void) {
        let fulfilled: [Waiter] = state.withLock { state in
            change(&state.observations)
            guard !state.waiters.isEmpty else { return [] }
            countBytes(in: &state)
            let keys = state.waiters.filter { $0.value.condition(state.observations) }.map(\.key)
            defer { hasWaiters.store(!state.waiters.isEmpty, ordering: .sequentiallyConsistent) }
            return keys.compactMap { state.waiters.removeValue(forKey: $0) }
        }
        for waiter in fulfilled { waiter.continuation.resume(returning: true) }
    }

    func record(sent count: Int) {
        bytesSent.add(count, ordering: .sequentiallyConsistent)
        if hasWaiters.load(ordering: .sequentiallyConsistent) { record { _ in } }
    }

    func record(received count: Int) {
        bytesReceived.add(count, ordering: .sequentiallyConsistent)
        if hasWaiters.load(ordering: .sequentiallyConsistent) { record { _ in } }
    }

    private func countBytes(in state: inout State) {
        state.observations.bytesSent = bytesSent.load(ordering: .sequentiallyConsistent)
        state.observations.bytesReceived = bytesReceived.load(ordering: .sequentiallyConsistent)
    }

    /// Waits until the condition holds. False if the time has passed, or the task was cancelled, before it did.
    func wait(_ timeout: Duration, for condition: @escaping Condition) async -> Bool {
        let key = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        var timer: Task<Void, Never>?
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                add(Waiter(condition: condition, continuation: continuation), key)
                // Only now, so that neither the timer nor a cancellation can come before the waiter that it ends.
                timer = Task {
                    try? await Task.sleep(for: timeout)
                    cancelWait(key)
                }
                if Task.isCancelled { cancelWait(key) }
            }
        } onCancel: {
            cancelWait(key)
        }
    }

    private func add(_ waiter: Waiter, _ key: Int) {
        let holds = state.withLock { state in
            hasWaiters.store(true, ordering: .sequentiallyConsistent)
            countBytes(in: &state)
            let holds = waiter.condition(state.observations)
            if !holds { state.waiters[key] = waiter }
            hasWaiters.store(!state.waiters.isEmpty, ordering: .sequentiallyConsistent)
            return holds
        }
        if holds { waiter.continuation.resume(returning: true) }
    }

    private func cancelWait(_ key: Int) {
        let waiter = state.withLock { state in
            defer { hasWaiters.store(!state.waiters.isEmpty, ordering: .sequentiallyConsistent) }
            return state.waiters.removeValue(forKey: key)
        }
        waiter?.continuation.resume(returning: false)
    }
}
