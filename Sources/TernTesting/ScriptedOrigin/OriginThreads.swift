// SPDX-License-Identifier: Apache-2.0
// Threads are joined, not detached: after `joinAll` neither the thread nor its stack is left, and a test that counts
// threads is exact. A thread that has ended waits to be joined by the next `start`. Safety: the argument of
// `pthread_create` is a retained box that exactly the new thread takes over.

internal import TernLibC
internal import TernLock

/// The threads of one origin.
final class OriginThreads: Sendable {
    private struct State {
        var running: [Int: pthread_t] = [:]
        var ended: [pthread_t] = []
        var next = 0
    }

    private final class Work: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private let state = Lock(State())

    /// Runs the work on a new thread. False if the system cannot start one; then the work is dropped.
    func start(_ work: @escaping @Sendable () -> Void) -> Bool {
        let started = state.withLock { state in
            state.next += 1
            let key = state.next
            let work = Work {
                work()
                self.markEnded(key)
            }
            var thread = pthread_t()
            let box = unsafe Unmanaged.passRetained(work)
            let code = unsafe pthread_create(
                &thread, nil,
                { argument in
                    guard let argument = unsafe argument else { return nil }
                    unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
                    return nil
                }, box.toOpaque())
            guard code == 0 else {
                unsafe box.release()
                return false
            }
            state.running[key] = thread
            return true
        }
        reap()
        return started
    }

    /// Returns when every thread has ended, except the calling one.
    func joinAll() {
        while true {
            let threads = state.withLock { state in
                defer { (state.running, state.ended) = ([:], []) }
                return Array(state.running.values) + state.ended
            }
            if threads.isEmpty { return }
            for thread in threads {
                if pthread_equal(thread, pthread_self()) != 0 {
                    pthread_detach(thread)
                } else {
                    pthread_join(thread, nil)
                }
            }
        }
    }

    private func reap() {
        let ended = state.withLock { state in
            defer { state.ended = [] }
            return state.ended
        }
        for thread in ended { pthread_join(thread, nil) }
    }

    private func markEnded(_ key: Int) {
        state.withLock { state in
            if let thread = state.running.removeValue(forKey: key) { state.ended.append(thread) }
        }
    }
}
