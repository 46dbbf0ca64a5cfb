// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernHTTP1
import TernIO
import TernLock

/// How many requests may begin, and how many bytes may pass, in a second; what is more waits. A value that is not more
/// than 0 sets no limit.
public struct RateLimit: Sendable, Hashable {
    /// How many requests may begin in a second: 0.5 for one in two seconds. Each redirect counts, and each request that is
    /// sent again, because of an answer or because its connection was lost. A request counts when it is sent: one that a
    /// cache answers does not, nor one that is cancelled before, nor a connection that ``Session/prepare(for:count:)``
    /// opens.
    public var requestsPerSecond: Double?
    /// How many requests may begin at once after a time without any, 1 or more.
    public var requestBurst = 1
    /// How many bytes of connections may pass in a second in each direction, heads and the framing of TLS included but
    /// for handshakes.
    public var bytesPerSecond: Int?

    /// Creates a limit; nil for what is not limited.
    public init(requestsPerSecond: Double? = nil, requestBurst: Int = 1, bytesPerSecond: Int? = nil) {
        self.requestsPerSecond = requestsPerSecond
        self.requestBurst = requestBurst
        self.bytesPerSecond = bytesPerSecond
    }
}

/// A token bucket, as the time at which it is full again (the generic cell rate algorithm).
struct TokenBucket: Sendable {
    /// No wait is longer, in nanoseconds: three years. Keeps arithmetic with tiny rates in range.
    private static let longest = 1e17

    private let nanosecondsPerToken: Double
    private let tolerance: Int64
    private(set) var fullAt = MonotonicInstant(nanoseconds: 0)

    /// Nil for a rate that sets no limit. A bucket holds `burst` tokens.
    init?(perSecond rate: Double?, burst: Double) {
        guard let rate, rate > 0 else { return nil }
        nanosecondsPerToken = min(Self.longest, 1e9 / rate)
        tolerance = Int64(min(Self.longest, max(0, burst - 1) * nanosecondsPerToken))
    }

    /// When there is a token; now, if that is not later.
    var nextAt: MonotonicInstant { fullAt.advanced(by: .nanoseconds(-tolerance)) }

    /// Takes tokens that have been used already: the bucket may owe them.
    mutating func spend(_ count: Int, at now: MonotonicInstant) {
        fullAt = max(fullAt, now).advanced(by: .nanoseconds(price(of: count)))
    }

    /// Returns a token that was not used.
    mutating func putBack() { fullAt = fullAt.advanced(by: .nanoseconds(-price(of: 1))) }

    /// For how many nanoseconds from `now` it is not full.
    func debt(at now: MonotonicInstant) -> Int64 {
        fullAt > now ? fullAt.nanoseconds &- max(0, now.nanoseconds) : 0
    }

    private func price(of count: Int) -> Int64 { Int64(min(Self.longest, Double(count) * nanosecondsPerToken)) }
}

/// The buckets of one limit. Any thread.
final class RateLimiter: HostRecord, Sendable {
    private struct Buckets: Sendable {
        var sent: TokenBucket?
        var received: TokenBucket?
    }

    private let buckets: Lock<Buckets>
    /// When all buckets are full, in nanoseconds: to be read without the lock.
    private let fullAt = Atomic<Int64>(0)

    init(_ limit: RateLimit) {
        let bytes = TokenBucket(perSecond: limit.bytesPerSecond.map(Double.init), burst: 1)
        buckets = Lock(
            Buckets(sent: bytes, received: bytes))
    }

    /// These bytes have passed. Returns for how many nanoseconds no more should.
    func passed(sent: Int, received: Int, at now: MonotonicInstant) -> Int64 {
        buckets.withLock { buckets in
            if sent > 0 { buckets.sent?.spend(sent, at: now) }
            if received > 0 { buckets.received?.spend(received, at: now) }
            noteFull(buckets)
            return max(buckets.sent?.debt(at: now) ?? 0, buckets.received?.debt(at: now) ?? 0)
        }
    }

    var isNewFrom: MonotonicInstant { MonotonicInstant(nanoseconds: fullAt.load(ordering: .relaxed)) }

    /// Called with the lock.
    private func noteFull(_ buckets: Buckets) {
        let start = MonotonicInstant(nanoseconds: 0)
        let last = max(buckets.sent?.fullAt ?? start, buckets.received?.fullAt ?? start)
        fullAt.store(last.nanoseconds, ordering: .relaxed)
    }
}

/// The limiters of a session: its own, and one for each host.
final class RateLimiters: Sendable {
    /// Nil if the rates limit no requests.
    let requests: RequestRates?
    private let session: (limit: RateLimit, limiter: RateLimiter)?
    private let perHost: RateLimit?
    private let hosts = Lock(HostTable<RateLimiter>())

    /// - Parameter loop: has the timer for requests that wait; nil for a session that sends none.
    init?(session: RateLimit?, perHost: RateLimit?, timerOn loop: ReactorLoop?) {
        if session == nil, perHost == nil { return nil }
        requests = loop.flatMap { RequestRates(session: session, perHost: perHost, timerOn: $0) }
        self.session = session.map { ($0, RateLimiter($0)) }
        self.perHost = perHost
    }

    /// The pace of an exchange with `origin`; nil if nothing limits its bytes.
    func pace(of origin: HTTPOrigin, at now: MonotonicInstant) -> Pace? {
        Pace(
            limiters(for: origin, at: now), bytesPerSecond: [session?.limit.bytesPerSecond, perHost?.bytesPerSecond])
    }

    private func limiters(for origin: HTTPOrigin, at now: MonotonicInstant) -> [RateLimiter] {
        [session?.limiter, perHost.map { host(origin.host, $0, at: now) }].compactMap(\.self)
    }

    private func host(_ name: String, _ limit: RateLimit, at now: MonotonicInstant) -> RateLimiter {
        hosts.withLock { $0.record(of: name, at: now) { RateLimiter(limit) } }
    }
}

/// How fast the bytes of one exchange may pass: as fast as the slowest of its limiters lets them.
final class Pace: Sendable {
    private let bytesPerSecond: Int
    private let limiters: [RateLimiter]

    /// Nil if none of the rates is a limit.
    init?(_ limiters: [RateLimiter], bytesPerSecond rates: [Int?]) {
        guard let rate = rates.compactMap(\.self).filter({ $0 > 0 }).min() else { return nil }
        bytesPerSecond = rate
        self.limiters = limiters
    }

    /// The pace of a request's own limit, and of `others`.
    convenience init?(_ limiter: RateLimiter, bytesPerSecond: Int, and others: Pace?) {
        self.init([limiter] + (others?.limiters ?? []), bytesPerSecond: [bytesPerSecond, others?.bytesPerSecond])
    }

    /// How many bytes may pass at once: those of a sixteenth of a second, so that they pass evenly.
    var stretch: Int { max(512, bytesPerSecond / 16) }

    /// These bytes have passed. Returns when more may; nil for now.
    func passed(sent: UInt64 = 0, received: UInt64 = 0, at now: MonotonicInstant) -> MonotonicInstant? {
        let waits = limiters.map {
            $0.passed(sent: Int(clamping: sent), received: Int(clamping: received), at: now)
        }
        guard let wait = waits.max(), wait > 0 else { return nil }
        return now.advanced(by: .nanoseconds(wait))
    }
}
