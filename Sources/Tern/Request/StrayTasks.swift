// SPDX-License-Identifier: Apache-2.0
import TernEngine
import TernLock

/// The tasks of a session that belong to no request. They are not held: one that is let go of before it was started is
/// forgotten.
final class StrayTasks: Sendable {
    private struct WeakTask {
        weak var task: SessionTask?
    }

    private struct State {
        var tasks: [Int: WeakTask] = [:]
        /// With this number of tasks, those that are gone are removed.
        var limit = 64
    }

    private let state = Lock(State())

    func add(_ task: SessionTask) {
        let held = state.withLock { state -> [Int: SessionTask] in
            state.tasks[task.taskIdentifier] = WeakTask(task: task)
            guard state.tasks.count > state.limit else { return [:] }
            let held = state.tasks.compactMapValues(\.task)
            state.tasks = held.mapValues { WeakTask(task: $0) }
            state.limit = max(64, 2 * held.count)
            return held
        }
        // The last reference to one of them may be ours by now: it goes when the lock is free.
        withExtendedLifetime(held) {}
    }

    func remove(_ task: SessionTask) { state.withLock { _ = $0.tasks.removeValue(forKey: task.taskIdentifier) } }

    /// In the order in which they were made.
    var all: [SessionTask] {
        let tasks = state.withLock { $0.tasks.values.compactMap(\.task) }
        return tasks.sorted { $0.taskIdentifier < $1.taskIdentifier }
    }
}
