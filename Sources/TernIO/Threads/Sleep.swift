// SPDX-License-Identifier: Apache-2.0
import TernLock

/// One sleep of a task, which ends once.
final class Sleep: Sendable {
    private struct State {
        var isOver = false
        var continuation: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())

    /// Suspends the calling task until the end, or until it is cancelled.
    ///
    /// - Parameter begun: has the sleep end later, unless it is over already. Called once it has begun.
    func wait(_ begun: () -> Void) async throws(CancellationError) {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard begin(continuation) else { return continuation.resume() }
                begun()
            }
        } onCancel: {
            end()
        }
        if Task.isCancelled { throw CancellationError() }
    }

    /// False if it is over already.
    private func begin(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
        state.withLock { state in
            if !state.isOver { state.continuation = continuation }
            return !state.isOver
        }
    }

    func end() {
        let continuation = state.withLock { state in
            state.isOver = true
            return state.continuation.take()
        }
        continuation?.resume()
    }
}
