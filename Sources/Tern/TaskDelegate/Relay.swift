// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

/// Events in the order they came. A task whose bytes wait here is held.
struct Relay {
    private var events: [(SessionTask, TaskEvent)] = []
    private var waiting = 0
    private var valve = Valve()

    /// Returns the task if it is to be held.
    mutating func add(_ event: TaskEvent, of task: SessionTask) -> SessionTask? {
        events.append((task, event))
        guard case .data(let data) = event else { return nil }
        waiting += data.count
        return valve.fill(to: waiting, from: task)
    }

    /// All that has come, and the task that may go on.
    mutating func take() -> (events: [(SessionTask, TaskEvent)], held: SessionTask?) {
        defer { (events, waiting) = ([], 0) }
        return (events, valve.drain())
    }
}
