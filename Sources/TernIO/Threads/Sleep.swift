// SPDX-License-Identifier: Apache-2.0
import TernLock

/// One sleep of a task, which ends once.
final class Sleep: Sendable {
    private struct State {
        var isOver = false
        var continuation: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())

    /// False if it is over already.
    func begin(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
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
