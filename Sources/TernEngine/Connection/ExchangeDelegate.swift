// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// Receives what happens in one exchange, on the thread of its carrier's loop.
///
/// After `exchangeEnded`, or after it has called `Carrier.leave`, the delegate is told nothing more.
protocol ExchangeDelegate: AnyObject {
    /// The exchange begins: the request is about to be sent, if it is sent.
    func exchangeBegan(on carrier: any Carrier)

    /// Returns where the next `count` bytes of content may be received; nil for anywhere. Lent until the next call.
    @unsafe func room(for count: Int) -> UnsafeMutableRawBufferPointer?

    /// A part of the response has arrived. Of content the delegate returns how many bytes it has taken: the carrier
    /// offers the others in a later tick, when the delegate is not paused, and nothing that follows them until then. It
    /// offers no bytes where only what the delegate has kept itself is left to process.
    @discardableResult
    func received(_ event: ResponseEvent, of bytes: Span<UInt8>, _ allowance: inout TurnAllowance) -> ContentTaken

    /// Whether the delegate takes over the connection if the server switches protocols.
    var takesOver: Bool { get }

    /// The delegate takes over the connection, and is told nothing more.
    func handedOver(_ handover: Handover, _ evidence: Evidence)

    /// More of the request's content was handed to the kernel: `count` bytes so far, of `length`, if that is known.
    func sent(_ count: Int64, of length: Int64?)

    /// The exchange is over. Without a reason, request and response are complete; with one, the exchange broke off.
    func exchangeEnded(_ reason: SessionError.Reason?, _ evidence: Evidence)
}

/// How much was taken of content that was offered.
enum ContentTaken {
    case all
    /// This number of bytes; what follows has to wait.
    case some(Int)

    func count(of all: Int) -> Int {
        switch self {
        case .all: all
        case .some(let count): count
        }
    }
}

/// What is known about an exchange that is over.
struct Evidence {
    /// Another exchange had used the connection before.
    var wasReused = false
    /// A byte of a response has arrived.
    var isAnswered = false
    /// A byte of the request may have reached the server.
    var isSent = false
    /// When the kernel had taken all of the request; nil if it never had.
    var requestSent: MonotonicInstant?
    /// Bytes that travelled, TLS included.
    var sentCount: UInt64 = 0
    var receivedCount: UInt64 = 0
}
