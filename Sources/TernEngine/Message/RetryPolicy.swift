// SPDX-License-Identifier: Apache-2.0

/// Whether, when and how often a request is sent again after a failure, or after a response that asks to come back later.
///
/// A session has one (``SessionConfiguration/retryPolicy``), and a request may have its own (``URLRequest/retryPolicy``):
///
///     configuration.retryPolicy = .standard
///
/// Every wait counts to ``Timeouts/total``, which ends the task, unless ``limitsEachAttempt`` is set. A response is asked for again
/// before any of it is delivered; a body that breaks off is an error, except that of a download to a file, which
/// continues where it broke off.
public struct RetryPolicy: Sendable, Hashable {
    /// The maximum number of retries after the first attempt; 0 or less for none. 2 by default.
    public var maximumRetries = 2
    /// The failures that are followed by another attempt.
    public var failures = Failures.standard
    /// The status codes of responses that are followed by another attempt: of those from 300.
    public var statusCodes: Set<Int> = Self.standardStatusCodes
    /// The requests that may be sent again although a server may have received them.
    public var requests = Requests.idempotent
    /// How long a retry waits.
    public var backOff = BackOff()
    /// Whether `Retry-After` and, without it, `RateLimit-Reset` of a response prolong the wait (RFC 9110 §10.2.3). True by
    /// default.
    public var honorsRetryAfter = true
    /// A retry that would have to wait for longer than this is not made: the response is the answer then. A minute by
    /// default.
    public var maximumDelay = Duration.seconds(60)
    /// No retry begins later than this after the start of the task; nil, the default, for no limit but
    /// ``Timeouts/total``.
    public var maximumTime: Duration?
    /// Whether ``Timeouts/total`` limits each attempt rather than the task: a retry has all of that time again, from the
    /// end of its wait on, as with curl's `--max-time` and `--retry`. With ``Failures-swift.struct/outOfTime`` an attempt
    /// that has used it up is followed by another. False by default.
    public var limitsEachAttempt = false
    /// How many retries a host may cost in relation to the requests to it; nil for any number.
    public var budget: Budget? = Budget()
    /// When a second attempt of a request is made beside the first, which has no answer yet; nil, the default, for never.
    public var hedging: Hedging?
    /// Whether a request is repeated at once, and once, if its kept-alive connection was lost before a response: most likely
    /// the server closed it before the request arrived (RFC 9112 §9.3.1). True by default, and not counted as a retry.
    public var repeatsLostRequests = true
    /// Whether that goes for requests of any method, as browsers and libcurl do it. False by default.
    ///
    /// RFC 9110 §9.2.2: "A client SHOULD NOT automatically retry a request with a non-idempotent method unless it has some
    /// means to know that the request semantics are actually idempotent, regardless of the method, or some means to detect
    /// that the original request was never applied." A lost kept-alive connection is no such means: most likely the server
    /// closed it before the request arrived, but it may as well have failed while it processed the request, which is
    /// processed twice then. Where a second order or payment does harm, leave this off, and give requests an
    /// `Idempotency-Key` if the server recognises it. Has no effect without ``repeatsLostRequests``, with
    /// ``Requests-swift.enum/none``, and on content that can be read once.
    public var repeatsLostPosts = false

    /// Creates the standard policy.
    public init() {}

    /// Up to three attempts, of idempotent requests: after failures of the network, and after 408, 425, 429, 502, 503 and
    /// 504. After 421, one more of any request, on a new connection and at once. Any other retry waits up to half a second, the next up to a second, or as long as the server asks for, within a minute.
    public static var standard: RetryPolicy { RetryPolicy() }

    /// No retries but the repeat of a request on a lost kept-alive connection: what a session does unless it is told.
    public static var lostConnections: RetryPolicy {
        var policy = RetryPolicy()
        policy.maximumRetries = 0
        return policy
    }

    /// Every request is sent once.
    public static var never: RetryPolicy {
        var policy = RetryPolicy()
        policy.maximumRetries = 0
        policy.repeatsLostRequests = false
        policy.requests = .none
        return policy
    }

    /// 408, 425, 429, 502, 503 and 504: the server, or what stands before it, says that a later attempt may succeed. And
    /// 421: an attempt on another connection may (RFC 9110 §15.5.20).
    public static let standardStatusCodes: Set<Int> = [408, 421, 425, 429, 502, 503, 504]

    /// The requests that may be sent again although a server may have received them. One of which no byte was sent may
    /// always be.
    public enum Requests: Sendable, Hashable {
        /// Those whose method RFC 9110 §9.2.2 calls idempotent, and any with an `Idempotency-Key` field.
        case idempotent
        /// Those with one of these methods, and any with an `Idempotency-Key` field. Methods are case-sensitive.
        case methods(Set<String>)
        /// All: the server treats a duplicate as one request.
        case all
        /// None: the request is sent once, whatever its method.
        case none
    }

    /// Failures that may be temporary.
    public struct Failures: OptionSet, Sendable, Hashable {
        public let rawValue: UInt16

        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// The host name has no address.
        public static let unresolved = Failures(rawValue: 1)
        /// The server refused the connection: nothing listens there.
        public static let refused = Failures(rawValue: 2)
        /// No address could be reached, for another reason.
        public static let unreachable = Failures(rawValue: 4)
        /// A dialer gave no connection.
        public static let dialer = Failures(rawValue: 8)
        /// A time limit passed, other than ``Timeouts/total``.
        public static let timedOut = Failures(rawValue: 16)
        /// ``Timeouts/total`` passed: for a new task in place of the one that has ended.
        public static let outOfTime = Failures(rawValue: 32)
        /// The connection was lost.
        public static let connectionLost = Failures(rawValue: 64)
        /// A proxy opened no tunnel.
        public static let proxy = Failures(rawValue: 128)
        /// Any other, such as a refused certificate or a malformed response. A cancellation is none.
        public static let other = Failures(rawValue: 256)
        /// Failures of the network, which may be gone the next time.
        public static let standard: Failures = [
            .unresolved, .refused, .unreachable, .dialer, .timedOut, .connectionLost,
        ]
        /// All of them.
        public static let all = Failures(rawValue: 511)
    }

    /// How long retries wait: up to a time that grows from retry to retry.
    public struct BackOff: Sendable, Hashable {
        /// The first wait, at most.
        public var base = Duration.milliseconds(500)
        /// By how much it grows from one retry to the next; 1 or less for not at all. 2 by default.
        public var factor = 2
        /// The longest wait, but for what a server asks for. Twenty seconds by default.
        public var maximum = Duration.seconds(20)
        /// How the wait is chosen below this limit.
        public var jitter = Jitter.full

        /// Creates a back-off with default values for those not given.
        public init(
            base: Duration = .milliseconds(500), factor: Int = 2, maximum: Duration = .seconds(20),
            jitter: Jitter = .full
        ) {
            (self.base, self.factor, self.maximum, self.jitter) = (base, factor, maximum, jitter)
        }
    }

    /// How the wait is chosen, so that clients that failed together do not come back together.
    public enum Jitter: Sendable, Hashable, CaseIterable {
        /// The limit itself.
        case none
        /// Anything between nothing and the limit.
        case full
        /// Anything between the `base` and three times the last wait; the `factor` does not count.
        case decorrelated
    }

    /// When a second attempt of a request is made although the first has not failed (a hedge). The first answer is the
    /// task's, and the other attempt is left; an answer to the second that says to come back later counts for none as long as
    /// the first goes on.
    ///
    /// Only a request that ``RetryPolicy/requests`` allows to be sent twice, and whose content can be read again, has a second
    /// attempt. It costs the ``RetryPolicy/budget`` as much as a retry. Of a server that answers most requests soon and a few
    /// late, it takes away most of the late ones for a few percent more requests (Dean and Barroso, "The Tail at Scale",
    /// 2013).
    public enum Hedging: Sendable, Hashable {
        /// After this time since the request was sent.
        case after(Duration)
        /// After the time within which this share, from 0 to 1, of the host's last 128 answers has come, and this time at
        /// least. Of a host that has not answered 16 requests with such a policy, nothing is known.
        case percentile(Double, atLeast: Duration = .milliseconds(1))
    }

    /// How many retries a host may cost: at most ``floor`` in ten seconds, and beyond that at most this ``share`` of the
    /// requests to it in these ten seconds. So retries do not multiply the load of a server that is failing under it.
    public struct Budget: Sendable, Hashable {
        /// Retries in relation to requests; a tenth by default.
        public var share = 0.1
        /// The number of retries in ten seconds that every host may cost; 10 by default.
        public var floor = 10

        /// Creates a budget with default values for those not given.
        public init(share: Double = 0.1, floor: Int = 10) { (self.share, self.floor) = (share, floor) }
    }
}
