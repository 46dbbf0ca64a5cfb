// SPDX-License-Identifier: Apache-2.0
import TernIO

/// The timeouts of one task, and the start of the total timeout.
struct Deadlines: Sendable {
    let limits: Timeouts
    /// The task was started.
    var start: MonotonicInstant

    struct Deadline: Equatable {
        let instant: MonotonicInstant
        let limit: SessionError.TimeLimit
    }

    /// The deadline of the whole task.
    var total: Deadline? {
        limits.total.map { Deadline(instant: start.advanced(by: $0), limit: .total) }
    }

    /// The deadline of a task that has waited for a connection since `since`.
    func waiting(since: MonotonicInstant) -> Deadline? {
        Self.sooner(total, limits.queue.map { Deadline(instant: since.advanced(by: $0), limit: .queue) })
    }

    /// The deadline of a connection that was begun, or inherited, at `since`. The total timeout is enforced elsewhere.
    func connecting(since: MonotonicInstant) -> MonotonicInstant { since.advanced(by: limits.connect) }

    /// The deadline of an exchange whose last activity, or the end of its last pause, was at `lastActivity`, and whose
    /// request was sent at `sent` without a response; `sent` is nil while the request is being sent, and after the head
    /// of the response.
    func exchange(lastActivity: MonotonicInstant, isPaused: Bool, unansweredSince sent: MonotonicInstant?) -> Deadline?
    {
        var next = total
        if let idle = limits.idle, !isPaused {
            next = Self.sooner(next, Deadline(instant: lastActivity.advanced(by: idle), limit: .idle))
        }
        if let head = limits.head, let sent, !isPaused {
            next = Self.sooner(next, Deadline(instant: sent.advanced(by: head), limit: .head))
        }
        return next
    }

    private static func sooner(_ one: Deadline?, _ other: Deadline?) -> Deadline? {
        guard let one, let other else { return one ?? other }
        return other.instant < one.instant ? other : one
    }
}
