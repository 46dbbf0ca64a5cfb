// SPDX-License-Identifier: Apache-2.0
import TernIO

/// Requests a connection from a pool, as far as pools and shards know it. Everything but `isCancelled` belongs to the
/// loop's thread.
protocol ConnectionRequester: LineMember, ExchangeDelegate, TrustRespondent, Sendable {
    /// Whether it was cancelled, also if the loop does not know it yet: nothing needs to be begun for it any more.
    var isCancelled: Bool { get }
    /// What the connection is wanted for.
    var hop: Hop { get }
    var deadlines: Deadlines { get }
    /// It had a connection that turned out to be dead, and needs one that has not been used.
    var isRepeating: Bool { get }
    /// The pool's own, while the requester waits in it.
    var wait: Wait { get set }

    /// Here is a connection, for which `prepared` was made if the requester waited. It does not wait any more.
    func begin(on connection: Connection, _ prepared: PreparedExchange?)

    /// There is no connection for it. It does not wait any more.
    func connectionFailed(_ failure: DialFailure)

    /// The loop has received the command.
    func perform(_ command: TaskCommand)

    /// The loop has ended, so the command cannot be performed on it.
    func returned(_ command: TaskCommand)
}

/// What other threads ask of a task.
enum TaskCommand: Sendable {
    case start
    case cancel
    /// The rest of the response is not wanted.
    case abandonBody
}

/// What a pool keeps with a requester that waits for a connection.
struct Wait {
    /// The route of the pool in which it waits.
    var route: Route?
    /// When it began to wait.
    var since: MonotonicInstant?
    /// When the connection that is being opened, and that the requester relies on, has to be ready.
    var connectDeadline: MonotonicInstant?
    /// What the connection that is opened for the requester begins with.
    var prepared: PreparedExchange?
    /// Bounds the time spent waiting, before a connection takes over the deadline.
    var timer: RegistrationToken?
}
