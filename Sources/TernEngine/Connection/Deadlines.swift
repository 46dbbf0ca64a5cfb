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

/// The last activity of an exchange, and what it waits for: the input of its deadline.
struct ActivityTimer {
    /// How soon, at the latest, the kernel detects a lost peer.
    static let kernelPatience = Duration.seconds(60)

    private var lastActivity: MonotonicInstant
    /// A byte of the request has been sent.
    private(set) var isBegun = false
    /// The kernel has taken all of the request. Bytes sent later are replies to the peer's messages.
    private(set) var requestSent: MonotonicInstant?
    /// The head of the response has arrived.
    private var isAnswered = false
    /// Since when the server could have sent it.
    private var awaitedSince: MonotonicInstant?

    init(_ now: MonotonicInstant) { lastActivity = now }

    /// Bytes of the request were sent, or bytes for the application arrived.
    mutating func end(_ now: MonotonicInstant) { lastActivity = now }

    /// A pause ended: the time until then does not count as idle.
    mutating func paused(until now: MonotonicInstant) {
        lastActivity = now
        if requestSent != nil { awaitedSince = now }
    }

    /// Bytes of the request were sent, perhaps the last ones.
    mutating func sent(all: Bool, _ now: MonotonicInstant) {
        lastActivity = now
        isBegun = true
        if all { (requestSent, awaitedSince) = (now, now) }
    }

    /// When to stop waiting for the server's answer to the expectation.
    func permissionDeadline(_ limit: Duration) -> MonotonicInstant { lastActivity.advanced(by: limit) }

    func isPermissionDue(_ now: MonotonicInstant, _ limit: Duration?) -> Bool {
        limit.map { permissionDeadline($0) <= now } ?? true
    }

    mutating func answered() { isAnswered = true }

    func next(_ deadlines: Deadlines, isPaused: Bool) -> Deadlines.Deadline? {
        deadlines.exchange(
            lastActivity: lastActivity, isPaused: isPaused, unansweredSince: isAnswered ? nil : awaitedSince)
    }
}
