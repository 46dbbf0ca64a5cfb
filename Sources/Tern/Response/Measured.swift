// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

/// The times of a response: those of a task that has ended, which stay there until they are read, or those that a caller
/// gave. One reference, where the metrics are many to copy.
struct Measured: Sendable {
    private enum Source {
        case task(SessionTask)
        indirect case values(Timeline, TaskMetrics?)
        case nothing
    }

    private let source: Source
    /// When the response was serialized, by both clocks.
    private let now: MonotonicInstant
    private let today: TimeInterval

    /// - Parameter task: nil if nothing was sent.
    init(_ task: SessionTask?) {
        source = task.map { .task($0) } ?? .nothing
        (now, today) = (.now, Date.timeIntervalSinceReferenceDate)
    }

    init(_ timeline: Timeline, _ metrics: TaskMetrics?) {
        source = .values(timeline, metrics)
        (now, today) = (MonotonicInstant(nanoseconds: 0), 0)
    }

    var timeline: Timeline {
        if case .values(let timeline, _) = source { timeline } else { Timeline(metrics, now: now, today: today) }
    }

    var metrics: TaskMetrics? {
        switch source {
        case .task(let task): task.metrics
        case .values(_, let metrics): metrics
        case .nothing: nil
        }
    }
}
