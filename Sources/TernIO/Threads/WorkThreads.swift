// SPDX-License-Identifier: Apache-2.0
// Why not Dispatch: when no thread can be started, libdispatch sleeps on the thread that enqueues, which would be a
// reactor, and its timers and sources end the process when descriptors have run out.
import TernLock

/// The threads for work that may block, such as that of files. They start as work comes and end when there has been
/// none for a while. No call waits.
///
/// At least one thread stays while there is a ``Keeper``, such as that of the reactors: work is done even if no other
/// thread can be started, one piece after another.
package final class WorkThreads: Sendable {
    package typealias Work = @Sendable () -> Void
    typealias StartThread = @Sendable (_ body: @escaping Work) throws(SystemCallError) -> Void

    /// The threads of this process.
    package static let shared = WorkThreads()

    /// The maximum number of threads. Work beyond it waits.
    private static let maximum = 64

    private struct Delayed: Sendable {
        let due: MonotonicInstant
        let work: Work
    }

    private struct State: ~Copyable, Sendable {
        var ready = WorkQueue<Work>()
        /// The one that is due first is the last.
        var delayed: [Delayed] = []
        var idle = IdleThreads()
        /// All threads.
        var count = 0
        /// Those that have been started or called, and have not looked for work since.
        var coming = 0
        var keepers = 0
    }

    private enum Request: Sendable {
        case nothing, newThread
        /// Signals this thread, which no longer counts as idle.
        case idleThread(Semaphore)
    }

    private enum Step: Sendable {
        /// Run this, after the request for the work behind it.
        case run(Work, Request)
        /// Wait to be called; nil has no limit.
        case wait(atMost: Duration?)
        case end
    }

    private let state = Lock(State())
    private let maximum: Int
    private let idleTime: Duration
    private let startThread: StartThread

    package convenience init(maximum: Int = WorkThreads.maximum) {
        self.init(maximum: maximum, idleTime: .seconds(2)) { body throws(SystemCallError) in
            try Thread.start(name: "tern-work", body)
        }
    }

    init(maximum: Int, idleTime: Duration, startThread: @escaping StartThread) {
        (self.maximum, self.idleTime, self.startThread) = (maximum, idleTime, startThread)
    }

    /// Keeps one thread for as long as the keeper exists, and starts it if there is none.
    package func keep() throws(SystemCallError) -> Keeper {
        let isFirst = state.withLock { state in
            state.keepers += 1
            guard state.count == 0 else { return false }
            (state.count, state.coming) = (1, 1)
            return true
        }
        let keeper = Keeper(self)
        guard isFirst else { return keeper }
        do throws(SystemCallError) {
            try start()
        } catch {
            for work in leftWithoutThread() { work() }
            throw error
        }
        return keeper
    }

    /// Keeps a thread of its threads.
    package final class Keeper: Sendable {
        private let threads: WorkThreads
        fileprivate init(_ threads: WorkThreads) { self.threads = threads }
        deinit { threads.release() }
    }

    private func release() {
        let thread = state.withLock { state -> Semaphore? in
            state.keepers -= 1
            // It waits without limit, and has to learn that it may end.
            guard state.keepers == 0, let thread = state.idle.call() else { return nil }
            state.coming += 1
            return thread
        }
        thread?.signal()
    }

    /// Runs the work on one of the threads. If there is none and none can be started, on this one, before it returns.
    package func run(_ work: @escaping Work) {
        call(
            state.withLock { state in
                state.ready.append(work)
                return request(&state)
            })
    }

    /// Runs the work on one of the threads after this time; later, if no thread is free.
    package func run(after delay: Duration, _ work: @escaping Work) {
        let due = MonotonicInstant.now.advanced(by: delay)
        call(
            state.withLock { state in
                let index = state.delayed.firstIndex { $0.due <= due } ?? state.delayed.endIndex
                state.delayed.insert(Delayed(due: due, work: work), at: index)
                // Others are due before it, and a thread waits for the first.
                return index == state.delayed.endIndex - 1 ? request(&state) : .nothing
            })
    }

    /// Suspends the calling task for this time, or longer.
    ///
    /// Not `Task.sleep`, whose timers are those of Dispatch.
    package func sleep(for time: Duration) async throws(CancellationError) {
        let sleep = Sleep()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard sleep.begin(continuation) else { return continuation.resume() }
                run(after: time) { sleep.end() }
            }
        } onCancel: {
            sleep.end()
        }
        if Task.isCancelled { throw CancellationError() }
    }

    /// A thread for what is ready, or to wait for what is due first.
    private func request(_ state: inout State) -> Request {
        let wanted = max(state.ready.count, state.delayed.isEmpty ? 0 : 1)
        guard wanted > state.coming else { return .nothing }
        if let thread = state.idle.call() {
            state.coming += 1
            return .idleThread(thread)
        }
        guard state.count < maximum else { return .nothing }
        state.count += 1
        state.coming += 1
        return .newThread
    }

    private func call(_ request: Request) {
        switch request {
        case .nothing: break
        case .idleThread(let thread): thread.signal()
        case .newThread:
            do { try start() } catch { for work in leftWithoutThread() { work() } }
        }
    }

    private func start() throws(SystemCallError) {
        try startThread { self.work() }
    }

    /// No thread can be started: the others take what is ready. Without others, returns it.
    private func leftWithoutThread() -> [Work] {
        state.withLock { state in
            state.count -= 1
            state.coming -= 1
            var left: [Work] = []
            while state.count == 0, let work = state.ready.popFirst() { left.append(work) }
            return left
        }
    }

    private func work() {
        let calls = Semaphore()
        var (isCalled, hasWaited) = (true, false)
        while true {
            switch next(calls, isCalled: isCalled, hasWaited: hasWaited) {
            case .run(let work, let request):
                call(request)
                work()
                (isCalled, hasWaited) = (false, false)
            case .wait(let time):
                hasWaited = !calls.wait(atMost: time) && leave(calls)
                isCalled = !hasWaited
            case .end: return
            }
        }
    }

    /// - Parameters:
    ///   - isCalled: whether the thread has been started or called for this.
    ///   - hasWaited: whether it was not called for as long as it was to wait.
    private func next(_ thread: Semaphore, isCalled: Bool, hasWaited: Bool) -> Step {
        let now = MonotonicInstant.now
        return state.withLock { state in
            if isCalled { state.coming -= 1 }
            while let last = state.delayed.last, last.due <= now {
                state.delayed.removeLast()
                state.ready.append(last.work)
            }
            if let work = state.ready.popFirst() { return .run(work, request(&state)) }
            if let first = state.delayed.last {
                state.idle.append(thread)
                return .wait(atMost: now.duration(to: first.due))
            }
            let isKept = state.count == 1 && state.keepers > 0
            if hasWaited, !isKept {
                state.count -= 1
                return .end
            }
            state.idle.append(thread)
            return .wait(atMost: isKept ? nil : idleTime)
        }
    }

    /// Whether the thread has left those that wait. If not, it was called at the last moment, and has taken the signal.
    private func leave(_ thread: Semaphore) -> Bool {
        if state.withLock({ $0.idle.leave(thread) }) { return true }
        // The signal is for this thread alone, and comes at once.
        thread.wait()
        return false
    }
}

/// One sleep of a task, which ends once.
private final class Sleep: Sendable {
    private struct State {
        var isOver = false
        var continuation: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())

    /// False if it is over already.
    func begin(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
        state.withLock { state in
            if !state.isOver { state.continuation = continuation }
            return !state.isOver
        }
    }

    func end() {
        let continuation = state.withLock { state in
            state.isOver = true
            return state.continuation.take()
        }
        continuation?.resume()
    }
}
