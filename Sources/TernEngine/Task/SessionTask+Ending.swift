// SPDX-License-Identifier: Apache-2.0
import Dispatch
import TernIO
import TernLock

// The end, and errors.
extension SessionTask {
    /// Ends the task: the first call counts. The kind of task prepares its end before `complete`.
    func end(_ error: SessionError?) {
        if machine.finish() { finalize(error) } else { finalizeSooner(error) }
    }

    /// The task has ended: once.
    func complete(_ error: SessionError?) {
        let ended = lifecycle.withLock { state in
            let ended = state.complete(error)
            if let ended { finishMeasuring(ended.start) }
            return ended
        }
        guard let ended else { return }
        machine.complete()
        table?.remove(self)
        originalRequest.onceSource?.discard()
        _ = wait.prepared.take()
        _ = decoding.take()
        timer.take()?.cancel()
        machine.takeTee()?.ended(isComplete: error == nil)
        delegate.handle(.completed(error), of: self)
        change(NoOpTaskDelegate.shared)
        table?.ended()
        withExtendedLifetime(ended) {}
    }

    private func finishMeasuring(_ start: MonotonicInstant?) {
        let now = MonotonicInstant.now
        if measured == nil { measured = TaskMetrics(originalRequest, start: start ?? now) }
        measured?.end(now)
    }

    /// Fails the task later: a caller that starts a task from the end of another must not grow the stack each time. If
    /// the loop has ended, the task ends on a queue.
    func endLater(_ reason: SessionError.Reason, phase: SessionError.Phase, on loop: ReactorLoop?) {
        Self.perform(on: loop) { self.end(self.error(reason, phase: phase)) }
    }

    /// Runs `work` on the task's loop in a later tick, and if the loop has ended on a queue.
    func performLater(_ work: @escaping @Sendable () -> Void) {
        Self.perform(on: lifecycle.withLock { $0.shard }?.loop, work)
    }

    private static func perform(on loop: ReactorLoop?, _ work: @escaping @Sendable () -> Void) {
        if loop?.execute(work) != true { endings.async(execute: work) }
    }

    /// Fails a task that has no reactor to run on.
    func endWithoutLoop() { endLater(defaults.failure, phase: .request, on: nil) }

    private static let endings = DispatchQueue(label: "tern.endings")

    func error(
        _ reason: SessionError.Reason, phase: SessionError.Phase, remoteAddress: TransportAddress? = nil,
        isSafeToRepeat: Bool? = nil
    ) -> SessionError {
        let wasSent = measured?.wasSent ?? false
        return SessionError(
            reason, phase: phase, origin: try? machine.hop.request.destination.get().origin,
            remoteAddress: remoteAddress ?? measured?.connection?.remoteAddress, wasSent: wasSent,
            isSafeToRepeat: isSafeToRepeat ?? machine.isSafeToRepeat(wasSent: wasSent),
            countOfBytesReceived: measured?.countOfBytesReceived ?? 0)
    }
}
