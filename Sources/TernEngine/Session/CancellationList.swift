// SPDX-License-Identifier: Apache-2.0
import TernIO
import TernLock

/// Tasks that other threads have cancelled and their loop has not got to. Whoever adds the first one has to see to it that the
/// loop comes; it then takes them until there are none.
final class CancellationList: Sendable {
    private struct State: ~Copyable, Sendable {
        var tasks = WorkQueue<DataTask>()
        var isAwaited = false
    }

    private let state = Lock(State())

    /// Returns whether nobody has sent for the loop yet.
    func add(_ task: DataTask) -> Bool {
        state.withLock { state in
            state.tasks.append(task)
            defer { state.isAwaited = true }
            return !state.isAwaited
        }
    }

    /// The next one; nil if there is none, and the loop has to be sent for again.
    func next() -> DataTask? {
        state.withLock { state in
            if let task = state.tasks.popFirst() { return task }
            state.isAwaited = false
            return nil
        }
    }

    /// The loop will not come any more: ends all elsewhere.
    func endWithoutLoop() {
        while let task = next() { task.completeLater(.cancelled, phase: .request, on: nil) }
    }
}
