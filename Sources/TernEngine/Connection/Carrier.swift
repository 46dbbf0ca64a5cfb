// SPDX-License-Identifier: Apache-2.0
import TernIO

/// Delivers a response to a task: a connection, or a source that has the response stored. Used on the loop's thread.
///
/// A carrier calls its ``ExchangeDelegate`` as a connection does: `exchangeBegan`, the events of the response in the
/// order of the wire, and `exchangeEnded` once. It enforces the deadlines it is given, and stops while it is paused.
protocol Carrier: AnyObject {
    var loop: ReactorLoop { get }

    /// The metrics of the connection; nil for a carrier without one.
    var connectionMetrics: ConnectionMetrics? { get }

    /// Whether the connection had carried another exchange before.
    var isReused: Bool { get }

    /// Whether the delegate accepts no content at present. A paused carrier delivers nothing.
    var isPaused: Bool { get set }

    /// Ends the exchange; the delegate receives this reason.
    func end(_ reason: SessionError.Reason)

    /// Ends the exchange; the delegate is not called again.
    func leave() -> Evidence

    /// The same, but the rest of the response may be received if it is short.
    func leaveRest() -> Evidence

    /// Calls another delegate from now on.
    func carry(_ delegate: (any ExchangeDelegate)?, _ deadlines: Deadlines?)
}

/// Creates the carrier that answers a hop in place of a server.
protocol CarrierSource: Sendable {
    /// Starts to call `delegate`, perhaps within this call, on the thread of `loop`.
    func start(_ delegate: any ExchangeDelegate, on loop: ReactorLoop, _ deadlines: Deadlines)
}
