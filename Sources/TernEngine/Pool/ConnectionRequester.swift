// SPDX-License-Identifier: Apache-2.0
import TernIO

/// Requests a connection from a pool or shard. Everything but `isCancelled` belongs to the loop's thread.
protocol ConnectionRequester: IntrusiveQueueElement, DialRespondent, Sendable {
    /// Whether it was cancelled, even if the loop has not processed that yet: no work needs to be begun for it any
    /// more.
    var isCancelled: Bool { get }
    /// The kind of connection.
    var hop: Hop { get }
    var deadlines: Deadlines { get }
    /// Whether its previous connection, a reused one, turned out to be dead.
    var isRepeating: Bool { get }
    /// Whether its request can be sent again once it was sent, and does no harm if a server receives it twice.
    var isRepeatable: Bool { get }
    /// Used by the pool while the requester waits in it.
    var wait: Wait { get set }

    /// It waits in the queue, and no connection is being opened for it.
    func waits(since start: MonotonicInstant)

    /// Its wait in the queue is over, on whatever way: it is served, it fails, it gives up, or a connection is being opened
    /// for it. Called before `begin` and `connectionFailed`.
    func waited(since start: MonotonicInstant, until end: MonotonicInstant)

    /// This connection was being opened for it, and will not be there. Likewise.
    func lost(_ connection: FailedConnectionMetrics)

    /// Delivers a connection, for which `prepared` was made if the requester waited. It waits no more. False if it does
    /// not take the connection, because the rate of requests has been used by others meanwhile.
    func begin(on connection: Connection, _ prepared: PreparedExchange?) -> Bool

    /// There is no connection for it. It waits no more.
    func connectionFailed(_ failure: DialFailure)

    /// The loop has received the command.
    func perform(_ command: TaskCommand)

    /// The loop has ended, so the command cannot be performed on it.
    func returned(_ command: TaskCommand)
}

/// The commands of other threads to a task.
enum TaskCommand: Sendable {
    case start
    case cancel
    /// The rest of the response is not wanted.
    case abandonBody
}

/// The pool's data about a requester that waits for a connection.
struct Wait {
    /// When it began to wait; nil while a connection is being opened for it.
    var since: MonotonicInstant?
    /// Whether the requester was told that it waits.
    var isTold = false
    /// The deadline of the pending connection that the requester relies on.
    var connectDeadline: MonotonicInstant?
    /// The exchange to begin on the connection that is opened for the requester.
    var prepared: PreparedExchange?
    /// Limits the wait, before a connection takes over the deadline.
    var timer: RegistrationToken?
}
