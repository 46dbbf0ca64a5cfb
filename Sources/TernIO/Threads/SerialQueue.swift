// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Runs work one piece after another, in the order in which it comes, on threads that it shares with others. No call but
/// `sync` waits, not even for a lock.
///
/// The caller that raises `count` from 0 has the queue, or gives it to a thread. Only the thread that has the queue uses
/// `entries`, hence `@unchecked Sendable`. It takes one for each that was counted, until the count is 0.
package final class SerialQueue: @unchecked Sendable {
    private enum Entry: Sendable {
        case work(WorkThreads.Work)
        /// The queue is lent to the thread that waits here.
        case loan(Semaphore)
    }

    private let intake = Intake<Entry>()
    /// Of what was put in and is not done. Raised after an entry is there.
    private let count = Atomic<Int>(0)
    private var entries = WorkQueue<Entry>()
    private let threads: WorkThreads

    package init(on threads: WorkThreads = .shared) { self.threads = threads }

    /// Runs the work later, and never waits.
    package func async(_ work: @escaping WorkThreads.Work) {
        if put(.work(work)) { threads.run { self.runAll() } }
    }

    /// Runs the work after this time, or later.
    package func async(after delay: Duration, _ work: @escaping WorkThreads.Work) {
        threads.run(after: delay) { self.async(work) }
    }

    /// Runs the work later, and returns what it returns.
    package func result<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            async { continuation.resume(with: Result { try work() }) }
        }
    }

    /// Runs the work on this thread, when everything before it is done. Not for work of the same queue, which would wait
    /// for itself.
    package func sync<Result, E: Error>(_ work: () throws(E) -> Result) throws(E) -> Result {
        let isFree = count.compareExchange(expected: 0, desired: 1, ordering: .sequentiallyConsistent).exchanged
        if !isFree {
            let turn = Semaphore()
            if put(.loan(turn)) { runAll() }
            turn.wait()
        }
        defer { if isLeftAfterOne { threads.run { self.runAll() } } }
        return try work()
    }

    /// Returns whether the caller has the queue now.
    private func put(_ entry: Entry) -> Bool {
        intake.put(entry)
        return count.add(1, ordering: .sequentiallyConsistent).oldValue == 0
    }

    /// One entry is done. Returns whether there are others; if not, the queue is free.
    private var isLeftAfterOne: Bool { count.subtract(1, ordering: .sequentiallyConsistent).newValue > 0 }

    private func runAll() {
        repeat {
            switch next() {
            case .work(let work): work()
            // That thread goes on with the queue.
            case .loan(let turn): return turn.signal()
            case nil: break
            }
        } while isLeftAfterOne
    }

    private func next() -> Entry? {
        if entries.isEmpty { for entry in intake.takeAll() { entries.append(entry) } }
        return entries.popFirst()
    }
}
