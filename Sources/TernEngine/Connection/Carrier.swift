// SPDX-License-Identifier: Apache-2.0
import TernIO

/// Feeds a task with a response: a connection does, or something that has the response stored. On the loop's thread.
///
/// A carrier calls its ``ExchangeDelegate`` as a connection does: `exchangeBegan`, the events of the response in the
/// order of the wire, and `exchangeEnded` once. It watches the deadlines that it is given, and stops while it is
/// paused.
protocol Carrier: AnyObject {
    var loop: ReactorLoop { get }

    /// Of the connection; nil for a carrier that is none.
    var connectionMetrics: ConnectionMetrics? { get }

    /// Whether the connection had carried another exchange before.
    var isReused: Bool { get }

    /// Whether the delegate takes nothing at the moment. A paused carrier delivers nothing.
    var isPaused: Bool { get set }

    /// Ends the exchange: the delegate is told this reason.
    func end(_ reason: SessionError.Reason)

    /// Ends the exchange: the delegate is told nothing more.
    func leave() -> Evidence

    /// The same, and the rest of the response may be received if it is short.
    func leaveRest() -> Evidence

    /// Tells another delegate from now on.
    func carry(_ delegate: (any ExchangeDelegate)?, _ deadlines: Deadlines?)
}

/// Makes the carrier that answers a hop in place of a server.
protocol CarrierSource: Sendable {
    /// Begins to feed `delegate`, perhaps within this call, on the thread of `loop`.
    func start(_ delegate: any ExchangeDelegate, on loop: ReactorLoop, _ deadlines: Deadlines)
}
