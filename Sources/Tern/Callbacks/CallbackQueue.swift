// SPDX-License-Identifier: Apache-2.0
import Dispatch
import TernEngine
import TernLock

/// Where a session's user code runs. Requests that complete while it is busy wait in a mailbox and get one dispatched
/// block between them: waking a thread costs more than a small request.
///
/// One block at a time is under way, so handlers run one after another whatever queue it is.
final class CallbackQueue: Sendable {
    /// Has something to do on the queue.
    protocol Source: AnyObject, Sendable {
        func performCallbacks()
    }

    private struct State {
        var waiting: [any Source] = []
        var isScheduled = false
    }

    private let queue: DispatchQueue
    private let turns: Turns?
    private let state = Lock(State())

    /// - Parameter turns: of the reactors that post here.
    init(_ queue: DispatchQueue, after turns: Turns? = nil) {
        self.queue = queue
        self.turns = turns
    }

    /// Calls the source back, soon.
    func post(_ source: any Source) {
        let schedules = state.withLock { state in
            state.waiting.append(source)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard schedules else { return }
        if let turns { turns.atEnd { self.schedule() } } else { schedule() }
    }

    private func schedule() { queue.async { self.deliver() } }

    /// Delivers what waits now. What arrives meanwhile gets another block, so that other work on the queue is not
    /// delayed.
    private func deliver() {
        var sources = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for source in sources { source.performCallbacks() }
        sources.removeAll(keepingCapacity: true)
        let goesOn = state.withLock { state in
            if state.waiting.isEmpty {
                // Give the empty array back: its memory serves the next burst.
                state.waiting = sources
                state.isScheduled = false
            }
            return state.isScheduled
        }
        if goesOn { schedule() }
    }
}
