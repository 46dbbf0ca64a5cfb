// SPDX-License-Identifier: Apache-2.0
import TernIO

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
