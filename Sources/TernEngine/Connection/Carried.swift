// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// What a connection carries: one exchange of somebody's, who is told of it by these calls and on the loop's thread.
///
/// After `exchangeEnded`, or after it has had the connection closed by `Connection.leave`, it is told
/// nothing more.
protocol Carried: AnyObject {
    /// Its request is about to leave on `connection`.
    func carried(by connection: Connection)

    /// Where content may be received, of which so many octets come next; nil for anywhere. Lent until the next call.
    @unsafe func room(for count: Int) -> UnsafeMutableRawBufferPointer?

    /// Something came. Of content it says how many octets it has taken: if they are fewer, it is offered the others in a
    /// later turn, once it is not paused, and until then nothing that came behind them. No octets are offered where only
    /// what it has kept itself is left to work off.
    @discardableResult
    func received(_ event: ResponseEvent, of bytes: Span<UInt8>, _ allowance: inout TurnAllowance) -> ContentTaken

    /// Whether it takes over the connection if the server speaks another protocol from now on.
    var takesOver: Bool { get }

    /// It does. It is told nothing more.
    func handedOver(_ handover: Handover, _ evidence: Evidence)

    /// More of the request's content was handed over: so many octets so far, of so many, if that is known.
    func sent(_ count: Int64, of length: Int64?)

    /// The exchange is over. Without a reason request and response are complete, and the connection is its owner's again; with one
    /// it broke off, and the connection is closed.
    func exchangeEnded(_ reason: EngineError.Reason?, _ evidence: Evidence)
}

/// How much was taken of content that was offered.
enum ContentTaken {
    case all
    /// So many octets; what follows has to wait.
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
    /// Any octet of a response has come.
    var isAnswered = false
    /// Any octet of the request may have reached the server.
    var isSent = false
    /// When the kernel had taken all of the request; nil if it never had.
    var requestSent: MonotonicInstant?
    /// What travelled, TLS included, in octets.
    var sentCount: UInt64 = 0
    var receivedCount: UInt64 = 0
}
