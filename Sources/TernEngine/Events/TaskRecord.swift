// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import TernIO
import TernLock

/// What one task has sent and received, attempt by attempt, and what it has waited for: the fold of its events, for
/// what is written about the task when it has ended.
package struct TaskRecord: Sendable {
    /// An attempt, or the answer of what stood in for the network.
    package struct Entry: Sendable {
        /// The number of hops before its own.
        package let hop: Int
        /// The number of the attempt in the task, from 1; 0 for an answer without one.
        package let attempt: Int
        package let isHedge: Bool
        /// As it was sent.
        package fileprivate(set) var request: URLRequest
        package fileprivate(set) var response: HTTPURLResponse?
        package let start: MonotonicInstant
        package fileprivate(set) var end: MonotonicInstant
        /// Nil for an answer without an attempt.
        package fileprivate(set) var metrics: AttemptMetrics?
        fileprivate var failedConnection: FailedConnectionMetrics?
        /// How the cache handled the hop; nil without a cache.
        package fileprivate(set) var cacheStatus: CacheStatus?
        /// When an answer without an attempt came.
        fileprivate var answered: MonotonicInstant?
        /// The bytes of the request's content that were sent; nil if there was none.
        package fileprivate(set) var sentContentLength: Int64?

        /// The messages of a WebSocket: of more than ``TaskRecord/maximumMessageCount`` the last ones.
        package private(set) var messages: [Message] = []

        fileprivate mutating func add(_ event: WebSocketEvent, at time: MonotonicInstant) {
            switch event {
            case .sent(let isText, let size): add(Message(isSent: true, isText: isText, size: size, time: time))
            case .received(let isText, let size): add(Message(isSent: false, isText: isText, size: size, time: time))
            case .closed: break
            }
        }

        private mutating func add(_ message: Message) {
            // The oldest are removed together.
            if messages.count == 2 * TaskRecord.maximumMessageCount {
                messages.removeFirst(TaskRecord.maximumMessageCount)
            }
            messages.append(message)
        }

        package var phases: [AttemptPhase] {
            if let metrics { return metrics.phases(failed: failedConnection, since: start) }
            guard let answered else { return [] }
            let head = max(start, answered)
            return [
                AttemptPhase(kind: .wait, start: start, end: head),
                AttemptPhase(kind: .receive, start: head, end: max(head, end)),
            ]
        }

        /// Whether a stored response is the answer.
        package var isFromCache: Bool { metrics == nil && cacheStatus?.isStoredAnswer == true }

        /// What came of it, in a few words, without anything of the request.
        package var outcome: String {
            guard let metrics else { return cacheStatus?.description ?? "not from the network" }
            // A failure after the head.
            guard metrics.failure != nil, let status = metrics.statusCode else { return metrics.description }
            return "\(status), \(metrics)"
        }
    }

    /// A message of a WebSocket.
    package struct Message: Sendable {
        package let isSent: Bool
        package let isText: Bool
        /// Its length in bytes, decompressed.
        package let size: Int
        package let time: MonotonicInstant
    }

    /// A wait of the task or of an attempt.
    package struct Wait: Sendable {
        package let reason: TaskWait
        package let start: MonotonicInstant
        package let end: MonotonicInstant
    }

    /// More push out the oldest.
    package static let maximumCount = 256
    package static let maximumMessageCount = 1_000

    /// That of the first hop, without what the session adds.
    package private(set) var request: URLRequest?
    /// In the order in which they began.
    package private(set) var entries: [Entry] = []
    package private(set) var waits: [Wait] = []
    package private(set) var start = MonotonicInstant(nanoseconds: 0)
    package private(set) var end = MonotonicInstant(nanoseconds: 0)
    /// Why the task has failed.
    package private(set) var error: SessionError?
    /// The number of entries that were pushed out.
    package private(set) var droppedCount = 0
    /// The wall clock's time at ``start``, in seconds since 1970.
    package private(set) var startTime = 0.0
    private var hop: (number: Int, request: URLRequest, start: MonotonicInstant)?

    package init() {}

    /// Adds an event.
    package mutating func fold(_ observation: TaskObservation) {
        let time = observation.time
        switch observation.event {
        case .started: begin(at: time)
        case .hopBegan(let request, _):
            hop = (observation.hop, request, time)
            if self.request == nil { self.request = request }
        case .prepared(let request): hop?.request = request
        case .attemptBegan(let isHedge): append(observation.attempt, isHedge, at: time)
        case .connectionFailed(let connection): change(observation.attempt) { $0.failedConnection = connection }
        case .sentBodyData(_, let total, _): change(observation.attempt) { $0.sentContentLength = total }
        case .head(let response): received(response, by: observation.attempt, at: time)
        case .attemptOver(let metrics):
            change(observation.attempt) { entry in
                (entry.metrics, entry.request, entry.end) = (metrics, metrics.request, metrics.end ?? time)
            }
        case .webSocket(let event): change(observation.attempt) { $0.add(event, at: time) }
        case .waited(let reason, let since): appendWait(reason, since, time)
        case .hopOver(let status): endHop(observation.hop, status, at: time)
        case .completed(let error): (self.error, end) = (error, time)
        case .waiting, .waitingForConnectivity, .connecting, .willSend, .informational, .discarded, .responseOver,
            .serverTrust, .willRetry, .redirect, .challenge, .newBody, .response, .willCache, .answered, .retrying:
            break
        }
    }

    private mutating func begin(at time: MonotonicInstant) {
        (start, end) = (time, time)
        startTime = Date().timeIntervalSince1970 - MonotonicInstant.now.seconds(since: time)
    }

    private mutating func append(_ attempt: Int, _ isHedge: Bool = false, at time: MonotonicInstant) {
        guard let hop else { return }
        if entries.count == Self.maximumCount {
            entries.removeFirst()
            droppedCount += 1
        }
        // An answer without an attempt has taken all of its hop, or follows an attempt: a validation, or one that failed.
        let start = max(self.start, attempt == 0 && entries.last?.hop != hop.number ? hop.start : time)
        entries.append(
            Entry(hop: hop.number, attempt: attempt, isHedge: isHedge, request: hop.request, start: start, end: time))
    }

    private mutating func appendWait(_ reason: TaskWait, _ start: MonotonicInstant, _ end: MonotonicInstant) {
        if waits.count == Self.maximumCount { waits.removeFirst() }
        waits.append(Wait(reason: reason, start: start, end: end))
    }

    /// Changes the entry of an attempt that is not over.
    private mutating func change(_ attempt: Int, _ change: (inout Entry) -> Void) {
        guard let index = entries.lastIndex(where: { $0.attempt == attempt && $0.metrics == nil }) else { return }
        change(&entries[index])
    }

    /// The first head that comes while an attempt runs is its response; any other one is of what stood in for the
    /// network.
    private mutating func received(_ response: HTTPURLResponse, by attempt: Int, at time: MonotonicInstant) {
        let isOfAttempt = entries.last { $0.attempt == attempt && $0.metrics == nil }.map { $0.response == nil }
        if attempt == 0 || isOfAttempt != true { append(0, at: time) }
        change(attempt > 0 && isOfAttempt == true ? attempt : 0) { ($0.response, $0.answered) = (response, time) }
    }

    private mutating func endHop(_ number: Int, _ status: CacheStatus?, at time: MonotonicInstant) {
        for index in entries.indices.reversed() {
            if entries[index].hop != number { break }
            entries[index].cacheStatus = status
            if entries[index].attempt == 0 { entries[index].end = time }
        }
    }
}

/// The record of a task that runs, as an observer keeps it with the task.
package final class TaskRecording: Sendable {
    private let record = Lock(TaskRecord())

    package init() {}

    /// Adds an event. Returns the record with the last one.
    package func add(_ observation: TaskObservation) -> TaskRecord? {
        record.withLock { record in
            record.fold(observation)
            return if case .completed = observation.event { record } else { nil }
        }
    }
}
