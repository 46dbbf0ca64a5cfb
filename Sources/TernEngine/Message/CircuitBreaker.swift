// SPDX-License-Identifier: Apache-2.0

/// When requests to a host are held back because too many of them fail: a program then learns at once what it would
/// otherwise wait for, and the server has time to recover.
///
/// A session has one for each host and port that it sends requests to (``SessionConfiguration/circuitBreaker``):
///
///     configuration.circuitBreaker = CircuitBreaker()
///
/// It begins closed: requests pass, and what they come to is counted. Once enough of them have failed within ``window``
/// it is open: a request fails with ``SessionError/ConnectingFailure/circuitOpen(_:)`` before a connection is asked
/// for. After ``openTime`` it is half-open: as many requests as ``probes`` says pass, and others fail as before. If
/// these succeed it is closed and counts from zero; if one fails it is open again, for twice the time, up to
/// ``maximumOpenTime``.
///
/// Every attempt counts when the head of its response has come, or when it fails: also one that follows a redirect,
/// that is a retry, or whose failure a stored response hides. What a cache answers without the network does not count,
/// nor do a cancellation, a wait for a connection that took too long, the answer of a proxy for itself, a failure of
/// this machine or a limit of this session; a probe that ends so gives its place to another request, and so does one
/// that has no outcome after the time for which the breaker was open. Raw streams, and connections that
/// ``Session/prepare(for:count:)`` opens, neither ask it nor count.
public struct CircuitBreaker: Sendable, Hashable {
    /// The time whose outcomes count, in ten steps; from ten milliseconds to a day. 10 seconds by default.
    public var window = Duration.seconds(10)
    /// The number of outcomes within the window before it opens, from 1 to a million. 20 by default.
    public var minimumRequests = 20
    /// The share of failures with which it opens, from 0, which is any failure, to 1, which is nothing else; what is no
    /// number counts as 1. 0.5 by default.
    public var failureRate = 0.5
    /// How long it is open before it is half-open, from a millisecond to a day. 5 seconds by default.
    public var openTime = Duration.seconds(5)
    /// The longest time to which this grows while probes fail, up to a day; of less than ``openTime`` it does not grow.
    /// A minute by default.
    public var maximumOpenTime = Duration.seconds(60)
    /// How many requests must succeed until it closes, and how many of them there are at a time, from 1 to 100. 1 by
    /// default.
    public var probes = 1
    /// The failures that count; others are no outcome. Those of the network by default: where ``Timeouts/total`` is the
    /// only time limit, add ``RetryPolicy/Failures-swift.struct/outOfTime``, or a silent server never counts.
    public var failures = RetryPolicy.Failures.standard
    /// The status codes of responses that count as failures; others count as successes.
    public var statusCodes: Set<Int> = Self.standardStatusCodes

    /// Creates the standard breaker. A value that is out of its range counts as the nearest one that is in it.
    public init() {}

    /// 502, 503 and 504: what stands before a server says that the server does not answer, or the server that it
    /// cannot. With 500 it counts errors of the server itself, which one bad request may cause.
    public static let standardStatusCodes: Set<Int> = [502, 503, 504]

    /// Whether requests to a host pass.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// They do.
        case closed
        /// None does.
        case open
        /// A few do, whose outcomes decide.
        case halfOpen = "half-open"
    }
}
