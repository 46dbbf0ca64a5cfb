// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
public import TernIO

/// One attempt of a task: one try of one hop over the network, along one route. A task has one, and one more for each
/// repeat, retry, redirect and answered challenge; none if a cache has answered.
public struct AttemptMetrics: Sendable {
    /// Why another attempt followed.
    public enum Continuation: Sendable {
        /// The kept-alive connection was dead: the request was repeated on another.
        case `repeat`
        /// The ``RetryPolicy`` has retried it.
        indirect case retry(RetryMetrics)
        /// A redirect was followed.
        case redirect
        /// A server or a proxy requested credentials, and the next attempt had them.
        case challenge
        /// There was no network, and the task has waited for one.
        case connectivity
        /// The session changed the request: it left out an expectation that was refused, or a condition on a stored
        /// response that was lost meanwhile.
        case changedRequest
    }

    /// The request, as it was sent.
    public let request: URLRequest
    /// The attempt began.
    public let start: MonotonicInstant
    /// A connection was available; nil if it never was.
    public var connectionAcquired: MonotonicInstant? { acquired.instant }
    private var acquired = Moment()
    /// The kernel had taken all of the request; nil if it never did.
    public var requestSent: MonotonicInstant? { sent.instant }
    private var sent = Moment()
    /// The first byte of the response head arrived; nil if none did.
    public var responseStart: MonotonicInstant? { answered.instant }
    private var answered = Moment()
    /// The attempt ended; nil before.
    public var end: MonotonicInstant? { ended.instant }
    private var ended = Moment()
    /// Its connection; nil if there was none.
    public private(set) var connection: ConnectionMetrics?
    /// Whether another request had used the connection before.
    public private(set) var isConnectionReused = false
    /// Whether it was made beside another attempt of its hop, which had no answer: see ``RetryPolicy/hedging``.
    public let isHedge: Bool
    /// Whether a byte of the request may have reached the server, which may have acted on it. Known when the attempt has
    /// ended.
    public private(set) var wasSent = false
    /// The number of bytes sent, heads and TLS included.
    public private(set) var countOfBytesSent: Int64 = 0
    /// The number of bytes received, heads and TLS included.
    public private(set) var countOfBytesReceived: Int64 = 0
    /// The status code of the response; nil if there was none.
    public var statusCode: Int? { status == 0 ? nil : Int(status) }
    private var status: Int32 = 0

    /// The proxies that the route led through, in the order in which they are connected to; empty for a direct route.
    public var proxies: [Proxy] { rare.parts?.proxies ?? [] }
    /// Why it failed; nil if it did not. An attempt that was left because the other one had the answer was cancelled.
    public var failure: SessionError.Reason? { rare.parts?.failure }
    /// Why another attempt followed; nil if none did.
    public var continuation: Continuation? { rare.parts?.continuation }
    /// Why no retry followed an attempt that was no success; nil if one did, and after a success.
    public var retryRefusal: RetryRefusal? { rare.parts?.retryRefusal }
    private var rare = Rare<RareParts>()

    /// What few attempts have.
    private struct RareParts: RareValue {
        var proxies: [Proxy] = []
        var failure: SessionError.Reason?
        var continuation: Continuation?
        var retryRefusal: RetryRefusal?
    }

    init(request: URLRequest, start: MonotonicInstant, isHedge: Bool = false) {
        (self.request, self.start, self.isHedge) = (request, start, isHedge)
    }

    /// How long the server took to answer, since it had a connection; nil if it has not answered.
    var answerTime: Duration? {
        guard let connectionAcquired, let responseStart else { return nil }
        return connectionAcquired.duration(to: responseStart)
    }
}

/// A moment that may not have come, in one word: metrics are moved with every request.
struct Moment: Sendable {
    private var nanoseconds = Int64.min

    var instant: MonotonicInstant? {
        get { nanoseconds == .min ? nil : MonotonicInstant(nanoseconds: nanoseconds) }
        set { nanoseconds = newValue?.nanoseconds ?? .min }
    }
}

// What happens to an attempt, each thing once
extension AttemptMetrics {
    /// A connection has it.
    mutating func began(on carrier: any Carrier, _ connection: ConnectionMetrics) {
        // The clock of a tick may be behind that of a connection that was opened within it.
        acquired.instant = carrier.isReused ? carrier.now : carrier.loop.exactNow
        isConnectionReused = carrier.isReused
        self.connection = connection
    }

    /// A raw stream is open, or has been secured.
    mutating func opened(_ connection: ConnectionMetrics, at now: MonotonicInstant) {
        if acquired.instant == nil { acquired.instant = now }
        self.connection = connection
    }

    mutating func answered(_ head: ResponseHead, at now: MonotonicInstant) {
        answered.instant = now
        status = Int32(truncatingIfNeeded: head.status)
    }

    /// Its exchange is over, and broke off for this reason.
    mutating func ended(_ reason: SessionError.Reason?, _ evidence: Evidence, at now: MonotonicInstant) {
        if end != nil { return }
        sent.instant = evidence.requestSent.map { sent in connectionAcquired.map { max($0, sent) } ?? sent }
        countOfBytesSent = Int64(clamping: evidence.sentCount)
        countOfBytesReceived = Int64(clamping: evidence.receivedCount)
        wasSent = evidence.isSent
        if let reason { failed(reason, at: now) } else { ended.instant = now }
    }

    mutating func failed(_ reason: SessionError.Reason, at now: MonotonicInstant) {
        if end != nil { return }
        ended.instant = now
        rare.set(reason) { $0.failure = $1 }
    }

    /// The first reason counts.
    mutating func isFollowed(by continuation: Continuation) {
        if self.continuation == nil { rare.change { ($0.continuation, $0.retryRefusal) = (continuation, nil) } }
    }

    mutating func isNotRetried(_ refusal: RetryRefusal) { rare.set(refusal) { $0.retryRefusal = $1 } }

    /// It is over.
    mutating func left(at now: MonotonicInstant, _ route: Route?) {
        if end == nil { ended.instant = now }
        if let proxies = route?.proxies, !proxies.isEmpty { rare.change { $0.proxies = proxies } }
    }
}

extension AttemptMetrics: CustomStringConvertible {
    /// What came of it, and why another attempt followed, such as `503, retry` or `connection-lost, repeat`.
    public var description: String {
        let outcome = failure?.kind.rawValue ?? statusCode.map(String.init) ?? "no response"
        if let continuation { return "\(outcome), \(continuation)" }
        switch retryRefusal {
        case nil, .off, .notTemporary: return outcome
        case let refusal?: return "\(outcome), no retry: \(refusal.rawValue)"
        }
    }
}

extension AttemptMetrics.Continuation: CustomStringConvertible {
    /// One or two words, such as `retry`.
    public var description: String {
        switch self {
        case .repeat: "repeat"
        case .retry: "retry"
        case .redirect: "redirect"
        case .challenge: "challenge"
        case .connectivity: "connectivity"
        case .changedRequest: "changed request"
        }
    }
}
