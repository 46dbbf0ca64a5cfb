// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock

/// Ends a process that does not end on its own.
final class Guardian: Sendable {
    private struct State {
        var isDismissed = false
        var hasKilled = false
    }

    private let state = Lock(State())

    init(_ process: Int32, _ seconds: Double) {
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [self] in
            state.withLock { state in
                if state.isDismissed { return }
                state.hasKilled = true
                kill(process, SIGKILL)
            }
        }
    }

    /// The process has ended, and its number may belong to another. Returns whether it had to be killed.
    func dismiss() -> Bool {
        state.withLock { state in
            state.isDismissed = true
            return state.hasKilled
        }
    }
}
