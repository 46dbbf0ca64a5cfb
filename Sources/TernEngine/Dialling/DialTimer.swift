// SPDX-License-Identifier: Apache-2.0
import TernIO

/// A deadline that can be paused. On its loop's thread.
struct DialTimer {
    private let loop: ReactorLoop
    private let token: RegistrationToken
    private var deadline: MonotonicInstant?
    private var pausedAt: MonotonicInstant?

    /// A timer without a deadline, whose expiry is `handler`'s only event.
    init(_ handler: any ReadinessHandler, on loop: ReactorLoop) {
        self.loop = loop
        token = loop.registerTimer(handler: handler)
    }

    mutating func set(_ deadline: MonotonicInstant) {
        self.deadline = deadline
        if pausedAt == nil { loop.setDeadline(deadline, for: token) } else { pausedAt = .now }
    }

    mutating func pause() {
        guard pausedAt == nil else { return }
        pausedAt = .now
        loop.setDeadline(nil, for: token)
    }

    /// Resumes with the remaining time.
    mutating func resume() {
        guard let pausedAt = pausedAt.take(), let deadline else { return }
        set(deadline.advanced(by: pausedAt.duration(to: .now)))
    }

    func cancel() { loop.deregister(token) }
}
