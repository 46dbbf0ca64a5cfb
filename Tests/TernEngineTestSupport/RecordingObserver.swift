// SPDX-License-Identifier: Apache-2.0
import TernIO
import TernLock
import Testing

@testable import TernEngine

/// Keeps what a session says of its tasks and connections, and checks what has to be true of that: what begins ends, and the
/// metrics of a task are the fold of its events. It retains no task.
final class RecordingObserver: SessionObserver {
    /// What one task has said.
    fileprivate struct Record {
        let number: Int
        var labels: [String] = []
        var fold: TaskMetrics?
        /// What has begun and not ended.
        var open: [String] = []
        var isOver = false
    }

    private struct Records {
        var tasks: [Int: Record] = [:]
        var connections: [UInt64: [String]] = [:]
        var faults: [String] = []
    }

    private let records = Lock(Records())
    let observesOwnTasks: Bool

    init(own: Bool = true) { observesOwnTasks = own }

    func created(_ task: any ObservedTask) -> (any Sendable)? {
        records.withLock { $0.tasks[task.taskIdentifier] = Record(number: task.taskIdentifier) }
        return task.taskIdentifier
    }

    func observe(_ observation: TaskObservation) {
        let metrics = if case .completed = observation.event { observation.task.metrics } else { TaskMetrics?.none }
        records.withLock { records in
            // A download that takes the place of a task has what was kept with that.
            guard let number = observation.context as? Int, var record = records.tasks[number] else {
                return records.faults.append("\(observation.label) without its context")
            }
            records.faults += record.add(observation, metrics)
            records.tasks[number] = record
        }
    }

    func observe(_ observation: ConnectionObservation) {
        records.withLock { $0.connections[observation.connection, default: []].append(observation.event.label) }
    }

    /// The events of all tasks, each task in its brackets, in the order in which they were made.
    var text: String {
        records.withLock { $0.tasks.values.sorted { $0.number < $1.number }.map(\.text).joined(separator: " ") }
    }

    /// The events of each connection.
    var connections: [String] {
        records.withLock { $0.connections.sorted { $0.key < $1.key }.map { $0.value.joined(separator: " ") } }
    }

    /// The number of tasks that have said their end.
    var completedCount: Int { records.withLock { $0.tasks.values.count { $0.isOver } } }

    /// Whether each task that was made has said its end.
    var areAllOver: Bool { records.withLock { $0.tasks.values.allSatisfy(\.isOver) } }

    /// What was not as it has to be.
    var faults: [String] {
        records.withLock { records in
            let ofConnections = records.connections.values.filter {
                $0.first != "opened" || $0.dropLast().contains { $0.hasPrefix("closed") }
            }
            return records.faults + ofConnections.map { $0.joined(separator: " ") }
        }
    }
}

extension RecordingObserver.Record {
    var text: String { "[\(labels.joined(separator: " "))]" }

    /// Returns what is not as it has to be.
    fileprivate mutating func add(_ observation: TaskObservation, _ metrics: TaskMetrics?) -> [String] {
        var faults: [String] = []
        // Content may be passed to the kernel in any number of steps.
        if observation.event.name != "sent-body-data" || labels.last != "sent-body-data" {
            labels.append(observation.label)
        }
        if isOver { faults.append("after the end: \(text)") }
        if labels.count == 1 {
            if observation.event.name != "started" { faults.append("no start: \(text)") }
            fold = TaskMetrics(observation.task.originalRequest)
        }
        fold?.fold(observation.event, at: observation.time)
        if let begun = observation.begun { open.append(begun) }
        if let ended = observation.ended {
            if let place = open.lastIndex(of: ended) {
                open.remove(at: place)
            } else {
                faults.append("\(ended) has not begun: \(text)")
            }
        }
        if case .completed = observation.event {
            isOver = true
            if !open.isEmpty { faults.append("\(open) has not ended: \(text)") }
            if fold?.digest != metrics?.digest {
                faults.append("\(text): \(fold?.digest ?? "") is not \(metrics?.digest ?? "no metrics")")
            }
        }
        return faults
    }
}

extension TaskObservation {
    /// The scope that begins with it.
    fileprivate var begun: String? {
        switch event {
        case .waiting(let wait): "wait for \(wait)"
        case .attemptBegan: "attempt \(attempt)"
        case .hopBegan: "hop \(hop)"
        case .willRetry, .redirect, .challenge, .newBody, .response: "question"
        default: nil
        }
    }

    /// The scope that ends with it.
    fileprivate var ended: String? {
        switch event {
        case .waited(let wait, _): "wait for \(wait)"
        case .attemptOver: "attempt \(attempt)"
        case .hopOver: "hop \(hop)"
        case .answered: "question"
        default: nil
        }
    }

    /// The event as a test expects it.
    var label: String {
        switch event {
        case .waiting(let wait): "waiting(\(wait))"
        case .waited(let wait, _): "waited(\(wait))"
        case .head(let response), .discarded(let response), .informational(let response):
            "\(event.name)(\(response.statusCode))"
        case .attemptBegan(let isHedge): isHedge ? "hedge(\(attempt))" : "attempt(\(attempt))"
        case .attemptOver(let record): "attempt-over(\(attempt): \(record))"
        case .hopBegan: "hop(\(hop))"
        case .hopOver(let status):
            status.map { "hop-over(\($0.description.dropFirst(6)))" } ?? "hop-over"
        case .answered(let answer): "answered(\(answer))"
        case .completed(let error): error.map { "completed(\($0.reason.kind.rawValue))" } ?? "completed"
        default: event.name
        }
    }
}

extension ConnectionEvent {
    fileprivate var label: String {
        switch self {
        case .opened: "opened"
        case .inUse: "in-use"
        case .idle: "idle"
        case .closed(let reason): "closed(\(reason))"
        }
    }
}

extension TaskMetrics {
    /// All that they say.
    fileprivate var digest: String {
        let parts = [
            "\(start) \(end.map { "\($0)" } ?? "-") \(redirectCount) \(retries.map(\.number)) \(isConnectionReused)",
            hops.map(\.digest).joined(separator: "\n"),
        ]
        return parts.joined(separator: "\n")
    }
}

extension HopMetrics {
    fileprivate var digest: String {
        let own: [Any?] = [
            request.url, start, end, responseStart, statusCode, repeatCount, attemptCount, queueTime,
            failedConnection?.remoteAddress, cacheStatus, hedge?.isAnswer, countOfBytesSent, countOfBytesReceived,
        ]
        let ofAttempts = attempts.map { attempt -> String in
            let parts: [Any?] = [
                attempt.start, attempt.connectionAcquired, attempt.requestSent, attempt.responseStart, attempt.end,
                attempt.connection?.identifier, attempt.isHedge, attempt.wasSent, attempt,
            ]
            return parts.map { $0.map { "\($0)" } ?? "-" }.joined(separator: " ")
        }
        return (own.map { $0.map { "\($0)" } ?? "-" } + ofAttempts).joined(separator: " ")
    }
}
