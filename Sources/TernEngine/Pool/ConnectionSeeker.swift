// SPDX-License-Identifier: Apache-2.0
import TernIO

/// Who wants a connection of a pool, as far as pools and shards know him. Everything but `isCancelled` belongs to the loop's
/// thread.
protocol ConnectionSeeker: LineMember, TrustRespondent, Sendable {
    /// Whether his cancellation is on its way, if not there yet: nothing need be begun for him any more.
    var isCancelled: Bool { get }
    /// What the connection is wanted for.
    var hop: Hop { get }
    var deadlines: Deadlines { get }
    /// He was served before, with a connection that turned out to be dead, and wants one that nobody has used.
    var isRepeating: Bool { get }
    /// The pool's notes, while he waits in it.
    var wait: Wait { get set }

    /// The first connection for him is on its way, and this is what it will begin with.
    func keep(_ prepared: PreparedExchange)

    /// Here is one. He waits no more.
    func take(_ connection: Connection)

    /// There is none for him. He waits no more.
    func getsNone(_ failure: DialFailure)

    /// A letter of his has come to the loop.
    func open(_ letter: Letter)

    /// There is no loop to open that letter on any more.
    func returned(_ letter: Letter)
}

/// What is asked of a loop from other threads.
enum Letter: Sendable {
    case start
    case cancel
    /// Nobody reads on.
    case letGo
}

/// What a pool notes about somebody who waits for a connection.
struct Wait {
    /// Since when he waits.
    var since: MonotonicInstant?
    /// By when the connection has to be there that is being opened and that he relies on.
    var connectDeadline: MonotonicInstant?
    /// Bounds the time spent waiting, before a connection takes over the deadline.
    var timer: RegistrationToken?
}
