// SPDX-License-Identifier: Apache-2.0
import TernIO

/// What a task goes through on its reactor. Touched by that thread only.
struct TaskRun {
    /// Where the task is.
    enum Place {
        case nowhere
        case waiting(ConnectionPool)
        case active(Connection)

        var isWaiting: Bool { if case .waiting = self { true } else { false } }
    }

    var place = Place.nowhere
    /// The delegate has been told the end.
    var isOver = false
    var metrics: TaskMetrics?
    /// Any byte of the request may have left.
    var wasSent = false
    var hasResponse = false
    /// Sent again already: the one transparent retry is spent, and the task wants a connection nobody has used.
    var isRetried = false
    /// By when the connection has to be there that is being opened and that the task relies on.
    var connectDeadline: MonotonicInstant?
    /// Bounds the time spent waiting, before a connection takes over the task's deadline.
    var waitTimer: RegistrationToken?
}
