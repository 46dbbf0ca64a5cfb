// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// Delivers a response to a task: a connection, or a source that has the response stored. Used on the loop's thread.
///
/// A carrier calls its ``ExchangeDelegate`` as a connection does: `exchangeBegan`, the events of the response in the
/// order of the wire, and `exchangeEnded` once. It enforces the deadlines it is given, and stops while it is paused.
protocol Carrier: AnyObject {
    var loop: ReactorLoop { get }

    /// The time of the loop's tick.
    var now: MonotonicInstant { get }

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

extension Carrier {
    var now: MonotonicInstant { loop.now }
}

/// Creates the carrier that answers a hop in place of a server.
protocol CarrierSource: Sendable {
    /// Starts to call `delegate`, perhaps within this call, on the thread of `loop`.
    func start(_ delegate: any ExchangeDelegate, on loop: ReactorLoop, _ deadlines: Deadlines)
}

/// Receives the events of one exchange, on the thread of its carrier's loop.
///
/// After `exchangeEnded`, or after it has called `Carrier.leave`, the delegate is not called again.
protocol ExchangeDelegate: AnyObject {
    /// The exchange begins: the request is about to be sent, if it is sent.
    func exchangeBegan(on carrier: any Carrier)

    /// How fast the bytes of the exchange may pass; nil for no limit.
    var pace: Pace? { get }

    /// Returns the buffer for the next `count` bytes of content; nil for no preference. Valid until the next call.
    @unsafe func room(for count: Int) -> UnsafeMutableRawBufferPointer?

    /// A part of the response has arrived. For content, the delegate returns how many bytes it has taken: the carrier
    /// offers the others in a later tick, when the delegate is not paused, and delivers nothing that follows them until
    /// then. It offers no bytes if only bytes that the delegate has kept itself are left to process.
    @discardableResult
    func received(_ event: ResponseEvent, of bytes: Span<UInt8>, _ allowance: inout TickAllowance) -> ContentTaken

    /// Whether the delegate takes over the connection if the server switches protocols.
    var takesOver: Bool { get }

    /// The delegate takes over the connection, and is not called again.
    func handedOver(_ handover: Handover, _ evidence: Evidence)

    /// More of the request's content was passed to the kernel: `count` bytes so far, of `length`, if that is known.
    func sent(_ count: Int64, of length: Int64?)

    /// The exchange is over. Without a reason, request and response are complete; with one, the exchange failed.
    func exchangeEnded(_ reason: SessionError.Reason?, _ evidence: Evidence)
}

/// Records exchanges.
protocol ExchangeRecorder: Sendable {
    /// The delegate that records the exchange which begins on `carrier`, and passes everything on.
    func recording(of hop: Hop, on carrier: any Carrier, for delegate: any ExchangeDelegate) -> any ExchangeDelegate
}

/// How much of the offered content was taken.
enum ContentTaken {
    case all
    /// This number of bytes; the rest must wait.
    case some(Int)

    func count(of all: Int) -> Int {
        switch self {
        case .all: all
        case .some(let count): count
        }
    }
}

/// The metrics of an exchange that is over.
struct Evidence {
    /// A stored response was the answer: there was no connection.
    var isStored = false
    /// Another exchange had used the connection before.
    var wasReused = false
    /// A byte of a response has arrived.
    var isAnswered = false
    /// A byte of the request may have reached the server.
    var isSent = false
    /// When the kernel had taken all of the request; nil if it never did.
    var requestSent: MonotonicInstant?
    /// The numbers of bytes sent and received, TLS included.
    var sentCount: UInt64 = 0
    var receivedCount: UInt64 = 0
}

/// A connection that no longer, or never, carries HTTP: a raw stream takes it over. Belongs to the thread of its loop.
struct Handover {
    let transport: Transport
    /// The socket's registration; the new owner transfers it to itself.
    let token: RegistrationToken
    let metrics: ConnectionMetrics
    /// The bytes that have arrived already.
    var early: [UInt8] = []
    /// Whether the end of the stream follows them.
    var hasEnded = false

    /// Closes a connection that is not taken over.
    func discard(on loop: ReactorLoop) {
        loop.deregister(token)
        transport.close()
    }
}
