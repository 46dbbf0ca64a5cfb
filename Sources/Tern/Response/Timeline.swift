// SPDX-License-Identifier: Apache-2.0
public import Foundation
import TernEngine

/// The times of a request in seconds since 2001-01-01T00:00:00Z, and its durations in seconds.
///
/// Durations come from the monotonic clock: setting the system's clock meanwhile does not distort them.
public struct Timeline: Sendable, Hashable {
    /// The request was started.
    public let requestStartTime: TimeInterval
    /// The head of the response began to arrive; the completion, if nothing arrived.
    public let initialResponseTime: TimeInterval
    /// The response was complete, or the request had failed.
    public let requestCompletedTime: TimeInterval
    /// The response was serialized.
    public let serializationCompletedTime: TimeInterval

    /// From the start to the initial response.
    public var latency: TimeInterval { initialResponseTime - requestStartTime }
    /// From the start to the completion.
    public var requestDuration: TimeInterval { requestCompletedTime - requestStartTime }
    /// From the completion to the end of serialization, waiting for the callback queue included.
    public var serializationDuration: TimeInterval { serializationCompletedTime - requestCompletedTime }
    /// From the start to the end of serialization.
    public var totalDuration: TimeInterval { serializationCompletedTime - requestStartTime }

    /// Creates a timeline of these times.
    public init(
        requestStartTime: TimeInterval = 0, initialResponseTime: TimeInterval = 0,
        requestCompletedTime: TimeInterval = 0, serializationCompletedTime: TimeInterval = 0
    ) {
        self.requestStartTime = requestStartTime
        self.initialResponseTime = initialResponseTime
        self.requestCompletedTime = requestCompletedTime
        self.serializationCompletedTime = serializationCompletedTime
    }

    /// Creates a timeline from `metrics`, with the serialization completed now; unknown times are now.
    init(_ metrics: TaskMetrics?) {
        self.init(metrics, now: .now, today: Date.timeIntervalSinceReferenceDate)
    }

    /// - Parameters:
    ///   - now: the end of serialization.
    ///   - today: the same instant on the wall clock.
    init(_ metrics: TaskMetrics?, now: MonotonicInstant, today: TimeInterval) {
        func time(_ instant: MonotonicInstant?) -> TimeInterval? {
            instant.map { today - now.seconds(since: $0) }
        }
        let completed = time(metrics?.end) ?? today
        self.init(
            requestStartTime: time(metrics?.start) ?? today,
            initialResponseTime: time(metrics?.responseStart) ?? completed,
            requestCompletedTime: completed, serializationCompletedTime: today)
    }
}

extension Timeline: CustomStringConvertible, CustomDebugStringConvertible {
    /// The durations, in seconds.
    public var description: String { "Timeline: { \(durations) }" }

    /// The times and the durations, in seconds.
    public var debugDescription: String {
        let times = [
            ("Request Start Time", requestStartTime), ("Initial Response Time", initialResponseTime),
            ("Request Completed Time", requestCompletedTime),
            ("Serialization Completed Time", serializationCompletedTime),
        ]
        let text = times.map { "\"\($0.0)\": \(Self.milliseconds($0.1))" }.joined(separator: ", ")
        return "Timeline: { \(text), \(durations) }"
    }

    private var durations: String {
        [
            ("Latency", latency), ("Request Duration", requestDuration),
            ("Serialization Duration", serializationDuration), ("Total Duration", totalDuration),
        ]
        .map { "\"\($0.0)\": \(Self.milliseconds($0.1)) secs" }.joined(separator: ", ")
    }

    private static func milliseconds(_ time: TimeInterval) -> String { String(format: "%.3f", time) }
}
