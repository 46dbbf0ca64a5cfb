// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
public import TernIO

/// The times of a task, hop by hop: the fold of its ``TaskEvent``s.
public struct TaskMetrics: Sendable {
    /// `resume()` was called.
    public private(set) var start: MonotonicInstant
    /// The task ended, with or without an error; nil before.
    public var end: MonotonicInstant? { ended.instant }
    private var ended = Moment()
    /// Without the last, so that a task without redirects allocates nothing for them.
    private var earlier: [HopMetrics] = []
    /// The retries that the ``RetryPolicy`` has made, in order: of more than 64 the first 32 and the last
    /// 32, whose number is that of all. Repeats on a dead kept-alive connection are counted in ``repeatCount``.
    public var retries: [RetryMetrics] { last.retries }
    /// The number of redirects that were followed.
    public private(set) var redirectCount = 0
    private var last: HopMetrics

    /// Of a task that begins later.
    @inline(__always)
    init(_ request: URLRequest) {
        start = MonotonicInstant(nanoseconds: 0)
        last = HopMetrics(request, start: start)
    }

    /// The hops: the request, and one more for each redirect that was followed and each challenge that was answered,
    /// by the delegate or with a password; at least one. Of more hops the last one and
    /// ``RedirectPolicy/maximumRememberedHops`` before it.
    public var hops: [HopMetrics] { earlier + [last] }

    /// The attempts of all ``hops``, those that were made beside others included, in the order in which they began. Of a hop
    /// with more than 64 the first 63 and the last.
    public var attempts: [AttemptMetrics] { hops.flatMap(\.attempts) }
}

// What has happened, each thing once
extension TaskMetrics {
    /// Adds an event to them.
    @inline(__always)
    mutating func fold(_ event: TaskEvent, at time: @autoclosure () -> MonotonicInstant) {
        switch event {
        case .started: begin(at: time())
        case .hopBegan(let request, let redirectCount): beginHop(request, redirectCount, at: time())
        case .prepared(let request): last.request = request
        case .attemptBegan(let isHedge): if !isHedge { last.forgetResponse() }
        case .waited(.rate, let since), .waited(.connection, let since): waited(since: since, until: time())
        case .connectionFailed(let connection): last.rare.set(connection) { $0.failedConnection = $1 }
        case .head(let response): last.received(response, at: time())
        case .attemptOver(let attempt): last.add(attempt)
        case .retrying(let retry): last.rare.change { retry.join(&$0.retries) }
        case .hopOver(let status):
            if let status { last.rare.set(status) { $0.cacheStatus = $1 } }
            last.ended.instant = time()
        case .completed: ended.instant = time()
        case .waiting, .waited, .waitingForConnectivity, .connecting, .willSend, .sentBodyData, .informational,
            .discarded, .responseOver, .webSocket, .serverTrust, .willRetry, .redirect, .challenge, .newBody, .response,
            .willCache, .answered:
            break
        }
    }

    private mutating func begin(at time: MonotonicInstant) {
        start = time
        last.start = time
    }

    /// The first hop has begun with the task.
    private mutating func beginHop(_ request: URLRequest, _ redirectCount: Int, at time: MonotonicInstant) {
        if last.end == nil { return }
        self.redirectCount = redirectCount
        if earlier.count == RedirectPolicy.maximumRememberedHops { earlier.removeFirst() }
        let retries = retries
        earlier.append(last)
        last = HopMetrics(request, start: time)
        if !retries.isEmpty { last.rare.change { $0.retries = retries } }
    }

    /// By the clock of a tick, which may have begun before the hop.
    private mutating func waited(since start: MonotonicInstant, until end: MonotonicInstant) {
        let time = max(start, last.start).duration(to: end)
        if time > .zero { last.rare.change { $0.queueTime += time } }
    }
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
    public fileprivate(set) var request: URLRequest
    /// The hop began: a connection was requested.
    public fileprivate(set) var start: MonotonicInstant
    /// The response was complete, or the hop failed; nil before.
    public var end: MonotonicInstant? { ended.instant }
    fileprivate var ended = Moment()
    /// The first byte of the response head arrived: of the answer, or of a response that was none.
    public var responseStart: MonotonicInstant? { answered.instant }
    private var answered = Moment()
    /// The head of the response, which a cache may have given; nil if there was none. What the network answered is in
    /// ``attempts``.
    // Where a file imports TernURLSession as well, its declaration of the same name is meant.
    @_disfavoredOverload
    public private(set) var response: HTTPURLResponse?
    /// The status code of the response; nil if there was none.
    public var statusCode: Int? { response?.statusCode }
    /// How often the request was repeated because a kept-alive connection turned out to be dead: 0 or 1.
    public var repeatCount: Int { Int(repeats) }
    private var repeats: Int32 = 0
    /// How often the hop was tried over the network: more than once if a connection turned out to be dead, if a proxy
    /// requested credentials, if the task waited for a network, and if it was retried or hedged. 0 if the response came from
    /// a cache.
    public var attemptCount: Int { Int(count) }
    private var count: Int32 = 0
    /// That of the answer, or the last one; nil if there was none.
    private var attempt: AttemptMetrics?

    /// How long the attempts of the hop have waited, together: for the rate of requests, and for a connection while none
    /// was being opened for them. Includes those that were cancelled or have failed.
    public var queueTime: Duration { rare.parts?.queueTime ?? .zero }
    /// The last connection for the hop that could not be opened, or was given up before it was open; nil if there was none.
    public var failedConnection: FailedConnectionMetrics? { rare.parts?.failedConnection }
    /// How the session's cache handled the hop; nil without a cache.
    public var cacheStatus: CacheStatus? { rare.parts?.cacheStatus }
    /// The retries of the task, in its last hop.
    fileprivate var retries: [RetryMetrics] { rare.parts?.retries ?? [] }
    fileprivate var rare = Rare<RareMetrics>()
    /// Where the response came from.
    public var resourceFetchType: ResourceFetchType {
        cacheStatus?.isStoredAnswer == true ? .localCache : .networkLoad
    }

    init(_ request: URLRequest, start: MonotonicInstant) {
        self.request = request
        self.start = start
    }

    fileprivate mutating func received(_ response: HTTPURLResponse, at time: MonotonicInstant) {
        answered.instant = time
        self.response = response
    }

    fileprivate mutating func forgetResponse() { response = nil }

    fileprivate mutating func add(_ next: AttemptMetrics) {
        count &+= 1
        if case .repeat? = next.continuation { repeats &+= 1 }
        if attempt != nil { rememberAttempt() }
        attempt = next
    }

    @inline(never)
    private mutating func rememberAttempt() {
        guard let previous = attempt.take() else { return }
        rare.change { if $0.earlier.count < 63 { $0.earlier.append(previous) } }
    }
}

// The attempts
extension HopMetrics {
    /// The attempts in the order in which they began: of more than 64 the first 63 and the last.
    public var attempts: [AttemptMetrics] {
        let attempts = (rare.parts?.earlier ?? []) + (attempt.map { [$0] } ?? [])
        return attempts.contains(where: \.isHedge) ? attempts.sorted { $0.start < $1.start } : attempts
    }

    /// The second attempt that was made beside another one; nil if there was none. Of several the last.
    public var hedge: HedgeMetrics? {
        attempts.last(where: \.isHedge).map { HedgeMetrics(start: $0.start, isAnswer: attempt?.isHedge ?? false) }
    }

    // Of the attempt that had the answer, or else of the last one

    /// A connection was available; nil if it never was.
    public var connectionAcquired: MonotonicInstant? { attempt?.connectionAcquired }
    /// The kernel had taken all of the request; nil if it never did.
    public var requestSent: MonotonicInstant? { attempt?.requestSent }
    /// The connection of the response: its times, its addresses, and its TLS parameters.
    public var connection: ConnectionMetrics? { attempt?.connection }
    /// Whether another request had used the connection before. If not, the hop's time includes opening it.
    public var isConnectionReused: Bool { attempt?.isConnectionReused ?? false }
    /// The number of bytes sent on the last connection, heads and TLS included.
    public var countOfBytesSent: Int64 { attempt?.countOfBytesSent ?? 0 }
    /// The number of bytes received on the last connection, heads and TLS included.
    public var countOfBytesReceived: Int64 { attempt?.countOfBytesReceived ?? 0 }
}

/// What few hops have.
private struct RareMetrics: RareValue {
    var cacheStatus: CacheStatus?
    var queueTime = Duration.zero
    var failedConnection: FailedConnectionMetrics?
    var retries: [RetryMetrics] = []
    /// The attempts before the last one.
    var earlier: [AttemptMetrics] = []
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
