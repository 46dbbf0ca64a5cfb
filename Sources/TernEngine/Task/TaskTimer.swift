// SPDX-License-Identifier: Apache-2.0
import TernIO

/// The time for which a task waits without a connection: for a lookup, or between two hops. The task's total timeout
/// continues meanwhile, and the wait ends if the session does. On the loop's thread.
final class TaskTimer<Requester: ConnectionRequester>: ReadinessHandler, ShardMember {
    enum Outcome {
        /// The delay is over.
        case over
        /// The task's time is up, or its session ends.
        case failed(SessionError.Reason)
    }

    private let shard: Shard<Requester>
    private var token: RegistrationToken?
    private let outcome: Outcome
    private var completion: ((Outcome) -> Void)?
    private var cancellation: (() -> Void)?

    /// - Parameters:
    ///   - delay: the time to wait; nil to wait for something else.
    ///   - completion: called once, unless the timer is cancelled.
    init(
        on shard: Shard<Requester>, delay: Duration?, total: Deadlines.Deadline?,
        completion: @escaping (Outcome) -> Void
    ) {
        self.shard = shard
        self.completion = completion
        let end = delay.map { shard.loop.now.advanced(by: $0) }
        let isCut = total.map { total in end.map { total.instant <= $0 } ?? true } ?? false
        outcome = if isCut, let total { .failed(.timedOut(total.limit)) } else { .over }
        let token = shard.loop.registerTimer(handler: self)
        self.token = token
        shard.loop.setDeadline(isCut ? total?.instant : end, for: token)
        shard.admit(self)
    }

    /// Has what the task waits for cancelled once, when the wait is over: now, if it is.
    func whenOver(_ cancellation: @escaping () -> Void) {
        if token == nil { return cancellation() }
        self.cancellation = cancellation
    }

    func cancel() {
        completion = nil
        guard let token = token.take() else { return }
        shard.loop.deregister(token)
        shard.dismiss(self)
        cancellation.take()?()
    }

    private func end(_ outcome: Outcome) {
        let completion = completion.take()
        cancel()
        completion?(outcome)
    }

    func ready(_ readiness: Readiness) { end(outcome) }

    func end(_ reason: SessionError.Reason) { end(.failed(reason)) }
}
