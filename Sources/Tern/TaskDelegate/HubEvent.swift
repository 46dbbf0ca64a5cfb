// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

/// An event on its way to the callback queue, where the hub calls a closure or an overridden method.
enum HubEvent: Sendable {
    case task(TaskEvent, SessionTask)
    case body(Data, SessionTask)
    case download(DownloadEvent, SessionDownloadTask)
    case stream(StreamEvent, StreamTask)

    /// The complete file of a download, which is removed unless a request keeps it.
    var file: URL? { if case .download(.finished(let location), _) = self { location } else { nil } }
}

/// An event of a stream of bytes.
enum StreamEvent {
    /// No more can be read.
    case readClosed
    /// No more can be written.
    case writeClosed
}

/// Events in the order in which they arrived. Suspends a task whose bytes wait here.
struct WaitingEvents {
    private var events: [HubEvent] = []
    private var waiting = 0
    private var valve = Valve()

    /// Returns the task if it has to be suspended.
    mutating func add(_ event: HubEvent) -> SessionTask? {
        events.append(event)
        guard case .body(let data, let task) = event else { return nil }
        waiting += data.count
        return valve.fill(to: waiting, from: task)
    }

    /// Returns all events, and the task to resume.
    mutating func take() -> (events: [HubEvent], held: SessionTask?) {
        defer { (events, waiting) = ([], 0) }
        return (events, valve.drain())
    }
}
