// SPDX-License-Identifier: Apache-2.0

/// Threads that wait for work. Each waits at a semaphore of its own, so a call reaches the thread
/// that it was made for, and no thread can take the call of another one.
struct IdleThreads: ~Copyable, Sendable {
    private var waiting: [Semaphore] = []

    var count: Int { waiting.count }

    /// A thread comes to wait at this semaphore.
    mutating func append(_ thread: Semaphore) { waiting.append(thread) }

    /// Removes the thread that came last, for the caller to signal; the others' idle time passes.
    mutating func call() -> Semaphore? { waiting.popLast() }

    /// Removes all threads, for the caller to signal.
    mutating func callAll() -> [Semaphore] {
        defer { waiting = [] }
        return waiting
    }

    /// Removes a thread that has waited long enough; false if it was called at the last moment. It is signalled then,
    /// at once.
    mutating func leave(_ thread: Semaphore) -> Bool {
        guard let index = waiting.firstIndex(where: { $0 === thread }) else { return false }
        waiting.remove(at: index)
        return true
    }
}
