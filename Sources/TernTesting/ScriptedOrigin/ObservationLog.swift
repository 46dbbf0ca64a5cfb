// SPDX-License-Identifier: Apache-2.0
// Every change wakes the waiters whose condition it fulfils, under the same lock: no observation falls between
// a look and a wait.

internal import Synchronization

/// The observations of one origin, and who waits for them.
final class ObservationLog: Sendable {
    typealias Condition = @Sendable (ScriptedOrigin.Observations) -> Bool

    private struct Waiter {
        let condition: Condition
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var observations = ScriptedOrigin.Observations()
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
    }

    private let state = Mutex(State())
    private let rememberedRequests: Int

    init(rememberedRequests: Int) { self.rememberedRequests = max(0, rememberedRequests) }

    var observations: ScriptedOrigin.Observations { state.withLock { $0.observations } }

    func record(_ change: (inout ScriptedOrigin.Observations) -> Void) {
        let fulfilled: [Waiter] = state.withLock { state in
            change(&state.observations)
            guard !state.waiters.isEmpty else { return [] }
            let keys = state.waiters.filter { $0.value.condition(state.observations) }.map(\.key)
            return keys.compactMap { state.waiters.removeValue(forKey: $0) }
        }
        for waiter in fulfilled { waiter.continuation.resume(returning: true) }
    }

    func record(_ request: ReceivedRequest) {
        record { observations in
            if request.isComplete { observations.requestCount += 1 }
            guard rememberedRequests > 0 else { return }
            // Trimmed by halves, so that the cost per request stays constant.
            if observations.requests.count >= 2 * rememberedRequests {
                observations.requests.removeFirst(rememberedRequests)
            }
            observations.requests.append(request)
        }
    }

    /// Waits until the condition holds. False when the time has passed, or the task was cancelled, before it did.
    func wait(_ timeout: Duration, for condition: @escaping Condition) async -> Bool {
        let key = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        var timer: Task<Void, Never>?
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enrol(Waiter(condition: condition, continuation: continuation), key)
                // Only now, so that neither the timer nor a cancellation can come before the waiter it is to end.
                timer = Task {
                    try? await Task.sleep(for: timeout)
                    giveUp(key)
                }
                if Task.isCancelled { giveUp(key) }
            }
        } onCancel: {
            giveUp(key)
        }
    }

    private func enrol(_ waiter: Waiter, _ key: Int) {
        let known: Bool? = state.withLock { state in
            if waiter.condition(state.observations) { return true }
            state.waiters[key] = waiter
            return nil
        }
        if let known { waiter.continuation.resume(returning: known) }
    }

    private func giveUp(_ key: Int) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: key) }
        waiter?.continuation.resume(returning: false)
    }
}
