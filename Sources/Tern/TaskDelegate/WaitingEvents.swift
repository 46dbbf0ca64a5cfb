// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

/// Events in the order in which they arrived. Suspends a task whose bytes wait here.
struct WaitingEvents {
    private var events: [(SessionTask, TaskEvent)] = []
    private var waiting = 0
    private var valve = Valve()

    /// Returns the task if it has to be suspended.
    mutating func add(_ event: TaskEvent, of task: SessionTask) -> SessionTask? {
        events.append((task, event))
        guard case .data(let data) = event else { return nil }
        waiting += data.count
        return valve.fill(to: waiting, from: task)
    }

    /// Returns all events, and the task to resume.
    mutating func take() -> (events: [(SessionTask, TaskEvent)], held: SessionTask?) {
        defer { (events, waiting) = ([], 0) }
        return (events, valve.drain())
    }
}
