// SPDX-License-Identifier: Apache-2.0
import TernIO

// The deadline of the exchange.
extension Connection {
    /// Whether there is a timeout that starts when the request has been sent, or waits.
    var mustWatchSending: Bool {
        if case .permission = outgoing.waitReason { return true }
        return deadlines?.limits.head != nil
    }

    func setDeadline() {
        guard let deadlines else { return }
        var instant = silence.next(deadlines, isPaused: isPaused)?.instant
        if case .permission = outgoing.waitReason {
            let permission = silence.permissionDeadline(deadlines.limits.permission)
            instant = instant.map { min($0, permission) } ?? permission
        }
        loop.setDeadline(instant, for: token)
    }

    func deadlinePassed() {
        switch state.stage {
        case .resting: retire()
        case .active, .finishing:
            if case .permission = outgoing.waitReason, silence.isPermissionDue(loop.now, deadlines?.limits.permission) {
                outgoing.goOnWithoutPermission()
                flush()
                return setDeadline()
            }
            if let deadlines, let next = silence.next(deadlines, isPaused: isPaused), next.instant <= loop.now {
                return fail(.timedOut(next.limit))
            }
            setDeadline()
        case .closed: break
        }
    }
}
