// SPDX-License-Identifier: Apache-2.0
import TernIO

/// When something of an exchange went or came last, and what it waits for: what its deadline is computed from.
struct Silence {
    /// How soon, at the latest, the kernel notices a peer that is gone.
    static let kernelPatience = Duration.seconds(60)

    private var lastActivity: MonotonicInstant
    /// Any octet of the request has left.
    private(set) var isBegun = false
    /// The kernel has taken all of the request. What is sent from then on are answers to the peer's messages.
    private(set) var requestSent: MonotonicInstant?
    /// The head of the response has come.
    private var isAnswered = false
    /// Since when the server could have sent it.
    private var awaitedSince: MonotonicInstant?

    init(_ now: MonotonicInstant) { lastActivity = now }

    /// Octets of the request went, or octets for the application came.
    mutating func end(_ now: MonotonicInstant) { lastActivity = now }

    /// A pause ended: the silence until then was ours.
    mutating func paused(until now: MonotonicInstant) {
        lastActivity = now
        if requestSent != nil { awaitedSince = now }
    }

    /// Octets of the request went, perhaps the last.
    mutating func sent(all: Bool, _ now: MonotonicInstant) {
        lastActivity = now
        isBegun = true
        if all { (requestSent, awaitedSince) = (now, now) }
    }

    /// When the server's word on the content is waited for no longer.
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
