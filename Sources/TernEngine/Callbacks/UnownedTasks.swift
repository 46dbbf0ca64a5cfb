// SPDX-License-Identifier: Apache-2.0
import TernLock

/// The tasks that were created on a session itself, and have not ended. Does not retain them: one that is released before
/// it starts is removed.
package final class UnownedTasks: Sendable {
    private struct WeakTask {
        weak var task: SessionTask?
    }

    private struct State {
        var tasks: [Int: WeakTask] = [:]
        /// From this number of tasks on, released ones are removed.
        var limit = 64
    }

    private let state = Lock(State())

    package init() {}

    package func add(_ task: SessionTask) {
        let held = state.withLock { state -> [Int: SessionTask] in
            state.tasks[task.taskIdentifier] = WeakTask(task: task)
            guard state.tasks.count > state.limit else { return [:] }
            let held = state.tasks.compactMapValues(\.task)
            state.tasks = held.mapValues { WeakTask(task: $0) }
            state.limit = max(64, 2 * held.count)
            return held
        }
        // These may be the last references, which must not be released under the lock.
        withExtendedLifetime(held) {}
    }

    /// Returns whether it was there.
    @discardableResult
    package func remove(_ task: SessionTask) -> Bool {
        state.withLock { $0.tasks.removeValue(forKey: task.taskIdentifier) != nil }
    }

    /// In the order of creation.
    package var all: [SessionTask] {
        let tasks = state.withLock { $0.tasks.values.compactMap(\.task) }
        return tasks.sorted { $0.taskIdentifier < $1.taskIdentifier }
    }
}
