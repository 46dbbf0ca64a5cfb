// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// Receives the events of one exchange, on the thread of its carrier's loop.
///
/// After `exchangeEnded`, or after it has called `Carrier.leave`, the delegate is not called again.
protocol ExchangeDelegate: AnyObject {
    /// The exchange begins: the request is about to be sent, if it is sent.
    func exchangeBegan(on carrier: any Carrier)

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
