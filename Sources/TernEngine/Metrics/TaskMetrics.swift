// SPDX-License-Identifier: Apache-2.0
public import TernIO

/// When what happened to a task, and on which connection.
public struct TaskMetrics: Sendable {
    /// `resume()` was called.
    public internal(set) var start: MonotonicInstant
    /// A connection was there to send on; nil if it never was.
    public internal(set) var connectionAcquired: MonotonicInstant?
    /// The first byte of the response head arrived with this read.
    public internal(set) var responseStart: MonotonicInstant?
    /// The task ended, well or not; nil before.
    public internal(set) var end: MonotonicInstant?
    /// The connection the response came on.
    public internal(set) var connection: ConnectionMetrics?
    /// Whether another request had used the connection before. If not, its establishment was part of this task's time.
    public internal(set) var isConnectionReused = false
    /// How often the request was sent again because a kept-alive connection turned out to be dead: 0 or 1.
    public internal(set) var retryCount = 0
}
