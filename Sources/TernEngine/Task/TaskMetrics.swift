// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
public import TernIO

/// The times of a task, hop by hop.
public struct TaskMetrics: Sendable {
    /// `resume()` was called.
    public let start: MonotonicInstant
    /// The task ended, with or without an error; nil before.
    public internal(set) var end: MonotonicInstant?
    /// Without the last, so that a task without redirects allocates nothing for them.
    private var earlier: [HopMetrics] = []
    /// The retries that the ``RetryPolicy`` has made, in order: of more than 64 the first 32 and the last
    /// 32, whose number is that of all. Repeats on a dead kept-alive connection are counted in ``repeatCount``.
    public var retries: [RetryMetrics] { last.retries }
    /// The number of redirects that were followed.
    public private(set) var redirectCount = 0
    var last: HopMetrics

    init(_ request: URLRequest, start: MonotonicInstant) {
        self.start = start
        last = HopMetrics(request, start: start)
    }

    /// The hops: the request, and one more for each redirect that was followed and each challenge that was answered,
    /// by the delegate or with a password; at least one. Of more hops the last one and
    /// ``RedirectPolicy/maximumRememberedHops`` before it.
    public var hops: [HopMetrics] { earlier + [last] }

    /// The attempts of all ``hops``, in order. Of a hop with more than 64 the first 63 and the last. A second attempt that
    /// was made beside another is in ``HopMetrics/hedge``.
    public var attempts: [AttemptMetrics] {
        earlier.flatMap { $0.allAttempts(isLast: false) } + last.allAttempts(isLast: true)
    }

    /// The number of the last hop.
    var number: Int { last.number }

    /// A hop begins. Nothing if it has begun already.
    mutating func beginHop(_ hop: Hop, redirectCount: Int, after retry: RetryMetrics? = nil, _ now: MonotonicInstant) {
        if hop.number == last.number { return }
        if let retry, isNew(retry) { last.unusual { $0.continuation = .retry(retry) } }
        self.redirectCount = redirectCount
        if last.end == nil { last.end = now }
        if earlier.count == RedirectPolicy.maximumRememberedHops { earlier.removeFirst() }
        earlier.append(last)
        last = HopMetrics(hop.request, number: hop.number, start: now)
    }
}

// The last hop
extension TaskMetrics {
    /// Policies have changed the request of the hop.
    mutating func prepare(_ request: URLRequest) { last.request = request }

    /// An attempt of the hop begins.
    @inline(__always)
    mutating func beginAttempt(_ earlier: @autoclosure () -> EarlierAttempt) {
        last.attempts &+= 1
        if last.attempts > 1 { beginAnotherAttempt(earlier()) }
    }

    @inline(never)
    private mutating func beginAnotherAttempt(_ earlier: EarlierAttempt) {
        var retry = earlier.retry
        if let known = retry, !isNew(known) { retry = nil }
        last.beginAnotherAttempt(earlier, retry: retry)
    }

    /// Whether no attempt before was followed by this retry.
    private func isNew(_ retry: RetryMetrics) -> Bool {
        !attempts.contains {
            if case .retry(let known) = $0.continuation { known.number == retry.number } else { false }
        }
    }

    /// An attempt has failed, so that the task fails or another follows.
    mutating func failed(_ reason: SessionError.Reason, at time: MonotonicInstant) {
        last.unusual { $0.failure = (reason, time) }
    }

    /// The hop waits for a network.
    mutating func awaitsNetwork() { last.unusual { $0.continuation = .connectivity } }

    /// The last attempt went along this route.
    mutating func went(along route: Route?) {
        if let proxies = route?.proxies, !proxies.isEmpty { last.unusual { $0.proxies = proxies } }
    }

    /// An attempt has waited, in addition to what was waited before.
    ///
    /// - Parameter start: by the clock of a tick, which may have begun before the hop.
    mutating func waited(since start: MonotonicInstant, until end: MonotonicInstant) {
        let time = max(start, last.start).duration(to: end)
        if time > .zero { last.unusual { $0.queueTime += time } }
    }

    /// A connection was not opened.
    mutating func lost(_ connection: FailedConnectionMetrics) { last.unusual { $0.failedConnection = connection } }

    /// The hop is about to be sent.
    @inline(__always)
    mutating func begin(on carrier: any Carrier, _ connection: ConnectionMetrics?, repeatCount: Int) {
        // A stored response adds nothing to what was measured of a connection before it.
        if last.connection != nil, carrier.connectionMetrics == nil { return }
        // The clock of a tick may be behind that of a connection that was opened within it.
        last.connectionAcquired = carrier.isReused ? carrier.loop.now : .now
        if let connection { last.connection = connection }
        last.isConnectionReused = carrier.isReused
        last.repeats = Int32(clamping: repeatCount)
    }

    mutating func received(_ head: ResponseHead, _ now: MonotonicInstant) {
        last.responseStart = now
        last.statusCode = head.status
    }

    /// Its exchange is over.
    mutating func settle(_ evidence: Evidence) {
        let acquired = last.connectionAcquired
        last.requestSent = evidence.requestSent.map { sent in acquired.map { max($0, sent) } ?? sent }
        last.countOfBytesSent = Int64(clamping: evidence.sentCount)
        last.countOfBytesReceived = Int64(clamping: evidence.receivedCount)
        last.wasSent = last.wasSent || evidence.isSent
    }

    /// A cache has handled it.
    mutating func handled(by status: CacheStatus) { last.unusual { $0.cacheStatus = status } }

    /// A second attempt of the hop was made.
    mutating func hedged(_ hedge: HedgeMetrics) { last.unusual { $0.hedge = hedge } }

    /// The task has made these retries.
    mutating func retried(_ retries: [RetryMetrics]) { last.unusual { $0.retries = retries } }

    /// A raw stream is open.
    mutating func opened(_ connection: ConnectionMetrics) {
        last.connectionAcquired = .now
        last.connection = connection
    }

    /// The task has ended.
    mutating func end(_ now: MonotonicInstant) {
        end = now
        if last.end == nil { last.end = now }
    }
}

extension TaskMetrics {
    /// The addresses of the hosts that hops were connected to, the first one of each.
    var addresses: [AddressOverride] {
        hops.compactMap { hop in
            guard let host = hop.request.host, let connection = hop.connection, connection.isDirect,
                case .ip(let address, _) = connection.remoteAddress
            else { return nil }
            return AddressOverride(host: host, port: nil, addresses: [address])
        }
    }

    /// Whether a byte of the last hop's request may have been sent.
    var wasSent: Bool { last.wasSent || last.earlierAttempts.contains(where: \.wasSent) }

    var countOfBytesReceived: Int64 { last.countOfBytesReceived }
}

// Of the last hop, which is usually the only one.
extension TaskMetrics {
    /// A connection was available; nil if it never was.
    public var connectionAcquired: MonotonicInstant? { last.connectionAcquired }
    /// The first byte of the response head arrived.
    public var responseStart: MonotonicInstant? { last.responseStart }
    /// The connection of the response.
    public var connection: ConnectionMetrics? { last.connection }
    /// Whether another request had used the connection before. If not, the task's time includes opening it.
    public var isConnectionReused: Bool { last.isConnectionReused }
    /// How often the request was repeated because a kept-alive connection turned out to be dead: 0 or 1.
    public var repeatCount: Int { last.repeatCount }
    /// How long the request has waited in queues, all hops together.
    public var queueTime: Duration { hops.reduce(.zero) { $0 + $1.queueTime } }
    /// How the session's cache handled the request; nil without a cache.
    public var cacheStatus: CacheStatus? { last.cacheStatus }
    /// Whether the response came from the session's cache, validated or not, or from its server.
    public var resourceFetchType: ResourceFetchType { last.resourceFetchType }
}

/// The times of one hop of a task, and its connection. A task has one hop, and one more for each redirect
/// and each answered challenge.
public struct HopMetrics: Sendable {
    /// The request of the hop, as it was sent.
    public internal(set) var request: URLRequest
    /// The hop began: a connection was requested.
    public let start: MonotonicInstant
    /// A connection was available; nil if it never was. If the hop was sent again, the last one.
    public internal(set) var connectionAcquired: MonotonicInstant?
    /// The kernel had taken all of the request; nil if it never did.
    public internal(set) var requestSent: MonotonicInstant?
    /// The first byte of the response head arrived.
    public internal(set) var responseStart: MonotonicInstant?
    /// The response was complete, or the hop failed; nil before.
    public internal(set) var end: MonotonicInstant?
    /// The connection of the response: its times, its addresses, and its TLS parameters.
    public internal(set) var connection: ConnectionMetrics?
    /// Whether another request had used the connection before. If not, the hop's time includes opening it.
    public internal(set) var isConnectionReused = false
    /// How often the request was repeated because a kept-alive connection turned out to be dead: 0 or 1.
    public var repeatCount: Int { Int(repeats) }
    var repeats: Int32 = 0
    /// How often the hop was tried over the network: more than once if a connection turned out to be dead, if a proxy
    /// requested credentials, or if the task waited for a network. 0 if the response came from a cache.
    public var attemptCount: Int { Int(attempts) }
    fileprivate var attempts: Int32 = 0
    /// The status code of the response to the last attempt; nil if there was none.
    public internal(set) var statusCode: Int?
    /// The number of bytes sent on the last connection, heads and TLS included.
    public internal(set) var countOfBytesSent: Int64 = 0
    /// The number of bytes received on the last connection, heads and TLS included.
    public internal(set) var countOfBytesReceived: Int64 = 0

    /// How long the attempts of the hop have waited, together: for the rate of requests, and for a connection while none
    /// was being opened for them. Includes those that were cancelled or have failed.
    public var queueTime: Duration { unusual?.value.queueTime ?? .zero }
    /// The last connection for the hop that could not be opened, or was given up before it was open; nil if there was none.
    public var failedConnection: FailedConnectionMetrics? { unusual?.value.failedConnection }
    /// How the session's cache handled the hop; nil without a cache.
    public var cacheStatus: CacheStatus? { unusual?.value.cacheStatus }
    /// The second attempt that was made beside the last one of the hop; nil if there was none.
    public var hedge: HedgeMetrics? { unusual?.value.hedge }
    /// The retries of the task, in its last hop.
    fileprivate var retries: [RetryMetrics] { unusual?.value.retries ?? [] }
    private var unusual: UnusualMetrics?
    /// Where the response came from.
    public var resourceFetchType: ResourceFetchType {
        cacheStatus?.isStoredAnswer == true ? .localCache : .networkLoad
    }

    /// Whether a byte of the request may have been sent in the last attempt.
    var wasSent = false
    /// The number of hops before it.
    let number: Int

    init(_ request: URLRequest, number: Int = 0, start: MonotonicInstant) {
        self.request = request
        self.number = number
        self.start = start
    }

    /// The attempts before the last one.
    fileprivate var earlierAttempts: [AttemptMetrics] { unusual?.value.attempts ?? [] }

    /// - Parameter isLast: whether no hop has followed.
    fileprivate func allAttempts(isLast: Bool) -> [AttemptMetrics] {
        guard attempts > 0 else { return [] }
        let following: AttemptMetrics.Continuation =
            switch statusCode {
            case .some(300..<400): .redirect
            case 401, 407: .challenge
            default: .changedRequest
            }
        let rare = unusual?.value
        return earlierAttempts + [
            lastAttempt(
                rare?.proxies ?? connection?.proxies ?? [], end: end,
                isLast ? nil : rare?.continuation ?? following)
        ]
    }

    private func lastAttempt(
        _ proxies: [Proxy], end: MonotonicInstant?, _ continuation: AttemptMetrics.Continuation?
    ) -> AttemptMetrics {
        AttemptMetrics(
            request: request, proxies: proxies, start: unusual?.value.attemptStart ?? start,
            connectionAcquired: connectionAcquired, requestSent: requestSent, responseStart: responseStart, end: end,
            connection: connection, isConnectionReused: isConnectionReused, wasSent: wasSent,
            countOfBytesSent: countOfBytesSent, countOfBytesReceived: countOfBytesReceived, statusCode: statusCode,
            failure: unusual?.value.failure?.reason, continuation: continuation)
    }

    /// - Parameter retry: the one that follows the last attempt.
    fileprivate mutating func beginAnotherAttempt(_ earlier: EarlierAttempt, retry: RetryMetrics?) {
        let rare = unusual?.value
        let continuation: AttemptMetrics.Continuation =
            if let retry {
                .retry(retry)
            } else if statusCode == 401 || statusCode == 407 {
                .challenge
            } else {
                earlier.isRepeated ? .repeat : rare?.continuation ?? .changedRequest
            }
        let attempt = lastAttempt(
            earlier.route?.proxies ?? [], end: retry?.time ?? rare?.failure?.time ?? earlier.now, continuation)
        unusual {
            if $0.attempts.count < 63 { $0.attempts.append(attempt) }
            ($0.attemptStart, $0.failure, $0.continuation) = (earlier.now, nil, nil)
        }
        (connectionAcquired, requestSent, responseStart, connection) = (nil, nil, nil, nil)
        (isConnectionReused, wasSent, statusCode) = (false, false, nil)
        (countOfBytesSent, countOfBytesReceived) = (0, 0)
    }

    fileprivate mutating func unusual(_ change: (inout UnusualMetrics.Value) -> Void) {
        var value = unusual?.value ?? UnusualMetrics.Value()
        change(&value)
        unusual = UnusualMetrics(value)
    }
}

/// What is known of an attempt when the next one begins.
struct EarlierAttempt {
    let route: Route?
    /// The last retry of the task.
    let retry: RetryMetrics?
    /// Whether its connection was dead.
    let isRepeated: Bool
    let now: MonotonicInstant
}

/// What few hops have. Boxed: the metrics of a plain hop stay small.
private final class UnusualMetrics: Sendable {
    struct Value {
        var cacheStatus: CacheStatus?
        var queueTime = Duration.zero
        var failedConnection: FailedConnectionMetrics?
        var retries: [RetryMetrics] = []
        var hedge: HedgeMetrics?
        /// Those before the last one.
        var attempts: [AttemptMetrics] = []
        /// Of the last attempt; nil for that of the hop.
        var attemptStart: MonotonicInstant?
        var failure: (reason: SessionError.Reason, time: MonotonicInstant)?
        /// Why the hop goes on, if its status does not say so.
        var continuation: AttemptMetrics.Continuation?
        /// Those of the last attempt, which had no connection.
        var proxies: [Proxy]?
    }

    let value: Value

    init(_ value: Value) { self.value = value }
}

/// Where a response came from, with the names of Foundation's `URLSessionTaskMetrics.ResourceFetchType`.
public enum ResourceFetchType: Int, Sendable, Hashable {
    /// Of no response: it is known of every one.
    case unknown
    /// From its server.
    case networkLoad
    /// Of no response: HTTP/1.1 has no pushes.
    case serverPush
    /// From the session's cache; its server may have confirmed it.
    case localCache
}
