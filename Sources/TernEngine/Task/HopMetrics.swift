// SPDX-License-Identifier: Apache-2.0
public import TernIO

/// The times of one hop of a task, and its connection. A task has one hop, and one more for each redirect
/// and each answered challenge.
public struct HopMetrics: Sendable {
    /// The request of the hop.
    public let request: URLRequest
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
    public internal(set) var repeatCount = 0
    /// The status code of the response; nil if there was none.
    public internal(set) var statusCode: Int?
    /// The number of bytes sent on the last connection, heads and TLS included.
    public internal(set) var countOfBytesSent: Int64 = 0
    /// The number of bytes received on the last connection, heads and TLS included.
    public internal(set) var countOfBytesReceived: Int64 = 0

    /// Whether a byte of the request may have been sent.
    var wasSent = false
    /// The number of hops before it.
    let number: Int

    init(_ request: URLRequest, number: Int = 0, start: MonotonicInstant) {
        self.request = request
        self.number = number
        self.start = start
    }
}
