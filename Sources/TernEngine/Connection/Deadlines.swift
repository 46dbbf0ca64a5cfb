// SPDX-License-Identifier: Apache-2.0
import TernIO

/// When time is up: the limits of one task, and from when the one on the whole counts.
struct Deadlines: Sendable {
    let limits: Timeouts
    /// The task was started.
    var start: MonotonicInstant

    struct Deadline: Equatable {
        let instant: MonotonicInstant
        let limit: SessionError.TimeLimit
    }

    /// For the whole task.
    var total: Deadline? {
        limits.total.map { Deadline(instant: start.advanced(by: $0), limit: .total) }
    }

    /// For a task that has waited for a connection since `since`.
    func waiting(since: MonotonicInstant) -> Deadline? {
        Self.sooner(total, limits.queue.map { Deadline(instant: since.advanced(by: $0), limit: .queue) })
    }

    /// By when a connection has to stand that was begun, or inherited, at `since`. The limit on the whole is watched
    /// elsewhere.
    func connecting(since: MonotonicInstant) -> MonotonicInstant { since.advanced(by: limits.connect) }

    /// For an exchange in which something happened last at `lastActivity`, or was not to happen because it was paused,
    /// and whose request was sent at `sent` and not answered; nil while it is being sent, and after the head of the
    /// response.
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
