// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernLock

// On the reactor's thread: another task takes over what this one is about.
extension SessionTask {
    /// Has `successor`, which nobody has started, go on with the exchange: it is carried, listed and told of from now on, and keeps the
    /// time limits, suspensions and measurements. This task is over, and tells nobody.
    func handOver(to successor: SessionTask) {
        let state = shared.withLock { state in
            defer { (state.stage, state.shard) = (.completed, nil) }
            return state
        }
        successor.shared.withLock { taken in
            taken = state
            // Whoever gave it words, or holds it back, means this task.
            (taken.description, taken.holds) = (nil, 0)
        }
        successor.takeOver(from: self)
        if successor.isListed { table?.add(successor) }
        table?.remove(self)
        leave(to: Unheard.shared)
    }

    private func takeOver(from task: SessionTask) {
        swap(&plan, &task.plan)
        task.plan.end()
        task.inquiry.open = 0
        deadlines = task.deadlines
        tally = task.tally.take()
        aside = task.aside.take()
        contentCounts.sent.store(task.contentCounts.sent.load(ordering: .relaxed), ordering: .relaxed)
        connection = task.connection.take()
        connection?.carry(self, deadlines)
    }
}
