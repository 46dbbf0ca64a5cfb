// SPDX-License-Identifier: Apache-2.0
import TernLock

/// Runs work one piece after another, in the order in which it comes, on threads that it shares with others.
package final class SerialQueue: Sendable {
    private enum Entry: Sendable {
        case work(WorkThreads.Work)
        /// The queue is lent to the thread that waits here.
        case loan(Semaphore)
    }

    private struct State: ~Copyable, Sendable {
        var entries = WorkQueue<Entry>()
        /// A thread runs work of the queue, or has been asked for.
        var isRunning = false
    }

    private let state = Lock(State())
    private let threads: WorkThreads

    package init(on threads: WorkThreads = .shared) { self.threads = threads }

    /// Runs the work later, and never waits.
    package func async(_ work: @escaping WorkThreads.Work) {
        let isIdle = state.withLock { state in
            state.entries.append(.work(work))
            return state.isRunning.exchange(with: true) == false
        }
        if isIdle { threads.run { self.runAll() } }
    }

    /// Runs the work after this time, or later.
    package func async(after delay: Duration, _ work: @escaping WorkThreads.Work) {
        threads.run(after: delay) { self.async(work) }
    }

    /// Runs the work on this thread, when everything before it is done. Not for work of the same queue, which would wait
    /// for itself.
    package func sync<Result, E: Error>(_ work: () throws(E) -> Result) throws(E) -> Result {
        let turn = state.withLock { state -> Semaphore? in
            guard state.isRunning.exchange(with: true) else { return nil }
            let turn = Semaphore()
            state.entries.append(.loan(turn))
            return turn
        }
        turn?.wait()
        defer { if hasMore { threads.run { self.runAll() } } }
        return try work()
    }

    private func runAll() {
        while let entry = next() {
            switch entry {
            case .work(let work): work()
            // That thread goes on with the queue.
            case .loan(let turn): return turn.signal()
            }
        }
    }

    private func next() -> Entry? {
        state.withLock { state in
            let entry = state.entries.popFirst()
            state.isRunning = entry != nil
            return entry
        }
    }

    private var hasMore: Bool {
        state.withLock { state in
            state.isRunning = !state.entries.isEmpty
            return state.isRunning
        }
    }
}

extension Bool {
    /// Sets it, and returns what it was.
    fileprivate mutating func exchange(with value: Bool) -> Bool {
        defer { self = value }
        return self
    }
}
