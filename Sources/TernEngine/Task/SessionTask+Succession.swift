// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernLock

// On the reactor's thread: another task replaces this one.
extension SessionTask {
    /// Lets `successor`, which has not been started, continue the exchange: it is carried and listed from now on, its
    /// delegate is called, and it keeps the timeouts, suspensions and measurements. This task is over, and its delegate
    /// is not called again.
    func handOver(to successor: SessionTask) {
        var state: TaskLifecycle<Shard<SessionTask>>? = lifecycle.withLock { $0.handOver() }
        successor.lifecycle.withLock { $0 = state.take() ?? TaskLifecycle(shard: nil) }
        successor.takeOver(from: self)
        if successor.isListed { table?.add(successor) }
        table?.remove(self)
        change(NoOpTaskDelegate.shared)
    }

    private func takeOver(from task: SessionTask) {
        swap(&machine, &task.machine)
        task.machine.complete()
        machine.closeQuestion()
        deadlines = task.deadlines
        measured = task.measured.take()
        decoding = task.decoding.take()
        contentCounts.sent.store(task.contentCounts.sent.load(ordering: .relaxed), ordering: .relaxed)
        carrier = task.carrier.take()
        carrier?.carry(self, deadlines)
    }
}
