// SPDX-License-Identifier: Apache-2.0
// Why not Dispatch: when no thread can be started, libdispatch sleeps on the thread that enqueues, which would be a
// reactor, and its timers and sources end the process when descriptors have run out.
import Synchronization
import TernLock

/// The threads for work that may block, such as that of files. They start as work comes and end when there has been
/// none for a while.
///
/// No call waits, not even for another thread's lock: a reactor that sleeps delays all its connections, and where many
/// threads begin and end work, each waits for holders that do not run. What is handed over is put where the lock's holder
/// takes it in.
///
/// At least one thread stays while there is a ``Keeper``, such as that of the reactors: work is done even if no other
/// thread can be started, one piece after another.
package final class WorkThreads: Sendable {
    package typealias Work = @Sendable () -> Void
    typealias StartThread = @Sendable (_ body: @escaping Work) throws(SystemCallError) -> Void

    /// The threads of this process for work with files, which may hang for as long as a disk does.
    package static let shared = WorkThreads()

    /// Those for what computes, such as evaluations of trust: no disk delays it.
    package static let computing = WorkThreads(maximum: 16, reserve: shared)

    /// The maximum number of threads. Work beyond it waits.
    private static let maximum = 64

    private struct Entry: Sendable {
        /// Nil for work that is due now.
        var due: MonotonicInstant?
        let work: Work
    }

    private struct State: ~Copyable, Sendable {
        var ready = WorkQueue<Work>()
        /// The one that is due first is the last.
        var delayed: [(due: MonotonicInstant, work: Work)] = []
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

    private let intake = Intake<Entry>()
    private let state = Lock(State())
    private let maximum: Int
    private let idleTime: Duration
    private let startThread: StartThread
    /// Those that do the work if no thread can be started.
    private let reserve: WorkThreads?

    package convenience init(maximum: Int = WorkThreads.maximum, reserve: WorkThreads? = nil) {
        self.init(maximum: maximum, idleTime: .seconds(2), reserve: reserve) { body throws(SystemCallError) in
            try Thread.start(name: "tern-work", body)
        }
    }

    init(maximum: Int, idleTime: Duration, reserve: WorkThreads? = nil, startThread: @escaping StartThread) {
        (self.maximum, self.idleTime, self.startThread) = (maximum, idleTime, startThread)
        self.reserve = reserve
    }

    /// Keeps one thread for as long as the keeper exists, and starts it if there is none.
    package func keep() throws(SystemCallError) -> Keeper {
        let isFirst = locked { state in
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
            for work in leftWithoutThread() { runElsewhere(work) }
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
        let thread = locked { state -> Semaphore? in
            state.keepers -= 1
            // It waits without limit, and has to learn that it may end.
            guard state.keepers == 0, let thread = state.idle.call() else { return nil }
            state.coming += 1
            return thread
        }
        thread?.signal()
    }

    /// Runs the work on one of the threads. If there is none and none can be started, on one of the reserve, or else on
    /// this one, before it returns.
    package func run(_ work: @escaping Work) { take(Entry(work: work)) }

    /// Runs the work on one of the threads after this time; later, if no thread is free.
    package func run(after delay: Duration, _ work: @escaping Work) {
        take(Entry(due: MonotonicInstant.now.advanced(by: delay), work: work))
    }

    private func take(_ entry: Entry) {
        intake.put(entry)
        takeIn()
    }

    /// Runs `body` with the lock, and then takes in what others have handed over meanwhile.
    private func locked<Result>(_ body: (inout sending State) -> sending Result) -> Result {
        let result = state.withLock(body)
        takeIn()
        return result
    }

    /// If the lock is not free, its holder takes in what there is when it lets go.
    private func takeIn() {
        // What was put there, and the state of the lock, are seen by one of the two.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        while !intake.isEmpty {
            let request = state.withLockIfAvailable { state in
                var isWanted = false
                for entry in intake.takeAll() {
                    guard let due = entry.due else {
                        state.ready.append(entry.work)
                        isWanted = true
                        continue
                    }
                    let index = state.delayed.firstIndex { $0.due <= due } ?? state.delayed.endIndex
                    state.delayed.insert((due, entry.work), at: index)
                    // Others are due before it, and a thread waits for the first.
                    if index == state.delayed.endIndex - 1 { isWanted = true }
                }
                return isWanted ? self.request(&state) : .nothing
            }
            guard let request else { return }
            call(request)
        }
    }

    /// Suspends the calling task for this time, or longer.
    ///
    /// Not `Task.sleep`, whose timers are those of Dispatch.
    package func sleep(for time: Duration) async throws(CancellationError) {
        let sleep = Sleep()
        try await sleep.wait { run(after: time) { sleep.end() } }
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
            do { try start() } catch { for work in leftWithoutThread() { runElsewhere(work) } }
        }
    }

    private func runElsewhere(_ work: @escaping Work) { if let reserve { reserve.run(work) } else { work() } }

    private func start() throws(SystemCallError) {
        try startThread { self.work() }
    }

    /// No thread can be started: the others take what is ready. Without others, returns it.
    private func leftWithoutThread() -> [Work] {
        locked { state in
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
        return locked { state in
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
        if locked({ $0.idle.leave(thread) }) { return true }
        // The signal is for this thread alone, and comes at once.
        thread.wait()
        return false
    }
}
