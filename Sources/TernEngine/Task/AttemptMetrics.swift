// SPDX-License-Identifier: Apache-2.0
public import TernIO

/// One attempt of a task: one try of one hop over the network, along one route. A task has one, and one more for each
/// repeat, retry, redirect and answered challenge; none if a cache has answered.
public struct AttemptMetrics: Sendable {
    /// Why another attempt followed.
    public enum Continuation: Sendable {
        /// The kept-alive connection was dead: the request was repeated on another.
        case `repeat`
        /// The ``RetryPolicy`` has retried it.
        case retry(RetryMetrics)
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
    /// The proxies that the route led through, in the order in which they are connected to; empty for a direct route.
    public let proxies: [Proxy]
    /// The attempt began.
    public let start: MonotonicInstant
    /// A connection was available; nil if it never was.
    public let connectionAcquired: MonotonicInstant?
    /// The kernel had taken all of the request; nil if it never did.
    public let requestSent: MonotonicInstant?
    /// The first byte of the response head arrived; nil if none did.
    public let responseStart: MonotonicInstant?
    /// The attempt ended; nil before.
    public let end: MonotonicInstant?
    /// Its connection; nil if there was none.
    public let connection: ConnectionMetrics?
    /// Whether another request had used the connection before.
    public let isConnectionReused: Bool
    /// Whether a byte of the request may have reached the server, which may have acted on it. Known when the attempt has
    /// ended.
    public let wasSent: Bool
    /// The number of bytes sent, heads and TLS included.
    public let countOfBytesSent: Int64
    /// The number of bytes received, heads and TLS included.
    public let countOfBytesReceived: Int64
    /// The status code of the response; nil if there was none.
    public let statusCode: Int?
    /// Why it failed; nil if it did not.
    public let failure: SessionError.Reason?
    /// Why another attempt followed; nil if none did.
    public let continuation: Continuation?
}

extension AttemptMetrics: CustomStringConvertible {
    /// What came of it, and why another attempt followed, such as `503, retry` or `connection-lost, repeat`.
    public var description: String {
        let outcome = failure?.kind.rawValue ?? statusCode.map(String.init) ?? "no response"
        return continuation.map { "\(outcome), \($0)" } ?? outcome
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
