// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import TernFiles

/// An event of a task that waits for a queue: as the engine says it, whole.
package enum QueuedEvent: Sendable {
    case task(TaskEvent, SessionTask)
    case body(Data, SessionTask)
    case download(DownloadEvent, SessionDownloadTask)
    case stream(StreamEvent, StreamTask)
    /// What a layer above has to call in its place among the events.
    case call(@Sendable (Session) -> Void)

    /// The complete file of a download, which is removed unless a request keeps it.
    package var file: URL? { if case .download(.finished(let location), _) = self { location } else { nil } }

    /// Removes ``file``, if there is one and it has not been moved.
    package func removeFile() { if let file { OutputFile.remove(file.path) } }
}

/// An event of a stream of bytes.
package enum StreamEvent: Sendable {
    /// No more can be read.
    case readClosed
    /// No more can be written.
    case writeClosed
}

/// Events in the order in which they arrived. Has the tasks paused whose bytes wait here once these are many.
package struct WaitingEvents {
    private let limit: Int
    private var events: [QueuedEvent] = []
    private var countOfBytes = 0
    private var held: [SessionTask] = []

    /// No events.
    ///
    /// - Parameter limit: a task is paused whose bytes are more than this together with those that wait.
    package init(limit: Int = Valve.highWater) { self.limit = limit }

    var isEmpty: Bool { events.isEmpty }

    /// Returns the task if it has to be paused, once more if it is paused already.
    package mutating func add(_ event: QueuedEvent) -> SessionTask? {
        events.append(event)
        guard case .body(let data, let task) = event else { return nil }
        countOfBytes += data.count
        if countOfBytes <= limit { return nil }
        held.append(task)
        return task
    }

    /// Returns all events, and the tasks to resume when these are delivered.
    package mutating func take() -> (events: [QueuedEvent], held: [SessionTask]) {
        defer { (events, countOfBytes, held) = ([], 0, []) }
        return (events, held)
    }
}

extension TaskEvent {
    /// Whether it waits for the queue of a delegate. The delegates of URLSession and of Alamofire have a method for it.
    package var isQueued: Bool {
        switch self {
        case .serverTrust, .waitingForConnectivity, .willRetry, .sentBodyData, .redirect, .challenge, .newBody,
            .response, .willCache, .completed:
            true
        case .started, .waiting, .waited, .hopBegan, .prepared, .head, .hopOver, .attemptBegan, .connecting,
            .connectionFailed, .willSend, .informational, .discarded, .responseOver, .webSocket, .attemptOver,
            .answered,
            .retrying:
            false
        }
    }
}

extension Data {
    /// A copy of bytes that are lent.
    package init(copying bytes: Span<UInt8>) {
        // The span is valid for this call; Data copies it.
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Data($0) }
    }
}
