// SPDX-License-Identifier: Apache-2.0
public import TernIO

/// When what happened to one hop of a task, and on which connection. A task has one hop, and one more for each
/// redirect.
public struct HopMetrics: Sendable {
    /// What was asked.
    public let request: URLRequest
    /// The hop began: a connection was looked for.
    public let start: MonotonicInstant
    /// A connection was there to send on; nil if it never was. If the hop was sent again, on the last one.
    public internal(set) var connectionAcquired: MonotonicInstant?
    /// The kernel had taken all of the request; nil if it never had.
    public internal(set) var requestSent: MonotonicInstant?
    /// The first byte of the response head arrived with this read.
    public internal(set) var responseStart: MonotonicInstant?
    /// The response was complete, or the hop failed; nil before.
    public internal(set) var end: MonotonicInstant?
    /// The connection the response came on. It knows when it was resolved, connected and secured, its address, and what
    /// TLS came to.
    public internal(set) var connection: ConnectionMetrics?
    /// Whether another request had used the connection before. If not, its establishment was part of this hop's time.
    public internal(set) var isConnectionReused = false
    /// How often the request was sent again because a kept-alive connection turned out to be dead: 0 or 1.
    public internal(set) var repeatCount = 0
    /// Status code of the response; nil if there was none.
    public internal(set) var statusCode: Int?
    /// What travelled each way on the last connection, heads and TLS included, in octets.
    public internal(set) var sentCount: UInt64 = 0
    /// See `sentCount`.
    public internal(set) var receivedCount: UInt64 = 0

    /// Any byte of the request may have left.
    var wasSent = false
    /// Redirects before it.
    let number: Int

    init(_ request: URLRequest, number: Int = 0, start: MonotonicInstant) {
        self.request = request
        self.number = number
        self.start = start
    }
}
