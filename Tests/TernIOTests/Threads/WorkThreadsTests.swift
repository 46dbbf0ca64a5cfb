// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization
import TernLock
import TestProofs
import Testing

@testable import TernIO

@Suite(.timeLimit(.minutes(1))) struct WorkThreadsTests {
    /// What has run, in order.
    private final class Log: Sendable {
        private let entries = Lock<[String]>([])
        func append(_ entry: String) { entries.withLock { $0.append(entry) } }
        var all: [String] { entries.withLock { $0 } }
    }

    private final class Counter: Sendable {
        private let count = Atomic<Int>(0)

        /// Returns the new value.
        @discardableResult
        func add(_ change: Int) -> Int { count.add(change, ordering: .relaxed).newValue }

        var value: Int { count.load(ordering: .relaxed) }
    }

    private final class Numbers: Sendable {
        let all = Lock([Int](repeating: -1, count: 8))
    }

    /// Starts threads as long as there are some left.
    private final class Supply: Sendable {
        private let left: Lock<Int>
        init(_ count: Int) { left = Lock(count) }

        func threads(maximum: Int = 64, idleTime: Duration = .seconds(50)) -> WorkThreads {
            WorkThreads(maximum: maximum, idleTime: idleTime) { body throws(SystemCallError) in
                let isLeft = self.left.withLock { left in
                    left -= 1
                    return left >= 0
                }
                guard isLeft else { throw SystemCallError(.pthreadCreate, code: EAGAIN) }
                try Thread.start(name: "work-test", body)
            }
        }
    }

    @Test func `work that blocks leaves threads for other work, up to the limit`() async {
        let threads = Supply(64).threads(maximum: 3)
        let (log, open) = (Log(), Semaphore())
        for number in 0..<3 {
            threads.run {
                log.append("\(number)")
                open.wait()
            }
        }
        #expect(await eventually { log.all.count == 3 })
        threads.run { log.append("behind") }
        open.signal()
        #expect(await eventually { log.all.last == "behind" })
        open.signal()
        open.signal()
    }

    @Test func `a kept thread does all the work when no other one can be started`() async throws {
        let threads = Supply(1).threads()
        let keeper = try threads.keep()
        let (log, open) = (Log(), Semaphore())
        threads.run { open.wait() }
        for number in 0..<100 { threads.run { log.append("\(number)") } }
        threads.run(after: .milliseconds(1)) { log.append("late") }
        // The caller has not run it, and has not waited.
        #expect(log.all.isEmpty)
        open.signal()
        #expect(await eventually { log.all.count == 101 })
        #expect(log.all.filter { $0 != "late" } == (0..<100).map { "\($0)" })
        withExtendedLifetime(keeper) {}
    }

    @Test func `without any thread the caller does the work, and cannot keep one`() throws {
        let threads = Supply(0).threads()
        let log = Log()
        #expect(throws: SystemCallError(.pthreadCreate, code: EAGAIN)) { try threads.keep() }
        threads.run { log.append("here") }
        #expect(log.all == ["here"])
        // A thread is asked for again each time.
        let queue = SerialQueue(on: threads)
        queue.async { queue.async { log.append("second") } }
        #expect(queue.sync { log.all } == ["here", "second"])
    }

    @Test func `delayed work runs in the order of its time`() async {
        let threads = Supply(64).threads(maximum: 1)
        let log = Log()
        for (delay, name) in [(30, "third"), (10, "first"), (20, "second"), (40, "last")] {
            threads.run(after: .milliseconds(delay)) { log.append(name) }
        }
        #expect(await eventually { log.all == ["first", "second", "third", "last"] })
    }

    @Test func `a sleep ends when its time is over, or when its task is cancelled`() async throws {
        let threads = Supply(64).threads()
        let start = MonotonicInstant.now
        try await threads.sleep(for: .milliseconds(20))
        #expect(start.duration(to: .now) >= .milliseconds(20))
        let sleeper = Task { try await threads.sleep(for: .seconds(1000)) }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test func `threads end when there is no work, but for the one that is kept, and that with its keeper`()
        async throws
    {
        let threads = WorkThreads(maximum: 4, idleTime: .milliseconds(1)) { body throws(SystemCallError) in
            try Thread.start(name: "work-idle", body)
        }
        var keeper: WorkThreads.Keeper? = try threads.keep()
        let open = Semaphore()
        for _ in 0..<4 { threads.run { open.wait() } }
        #expect(await eventually { Census.threads(named: "work-idle") == 4 })
        for _ in 0..<4 { open.signal() }
        #expect(await eventually { Census.threads(named: "work-idle") == 1 })
        _ = keeper.take()
        withExtendedLifetime(keeper) {}
        #expect(await eventually { Census.threads(named: "work-idle") == 0 })
        let log = Log()
        threads.run { log.append("again") }
        #expect(await eventually { log.all == ["again"] })
    }

    @Test func `a serial queue keeps its order among its own work, delayed work and that of callers who wait`() async {
        let threads = Supply(64).threads()
        let (first, second, log) = (SerialQueue(on: threads), SerialQueue(on: threads), Log())
        let open = Semaphore()
        first.async { open.wait() }
        // Another queue does not wait for it.
        #expect(second.sync { "second" } == "second")
        for number in 0..<50 { first.async { log.append("\(number)") } }
        DetachedThread.run { first.sync { log.append("waited") } }
        open.signal()
        #expect(await eventually { log.all.count == 51 })
        #expect(log.all.filter { $0 != "waited" } == (0..<50).map { "\($0)" })
        first.async(after: .milliseconds(1)) { log.append("delayed") }
        #expect(await eventually { log.all.last == "delayed" })
    }

    @Test func `no two pieces of work of a serial queue run at once, whoever adds them`() async {
        let queue = SerialQueue(on: Supply(64).threads())
        let running = Lock(0)
        let total = Lock(0)
        let work: @Sendable () -> Void = {
            #expect(
                running.withLock {
                    $0 += 1; return $0
                } == 1)
            running.withLock { $0 -= 1 }
            total.withLock { $0 += 1 }
        }
        for _ in 0..<8 {
            DetachedThread.run {
                for number in 0..<500 { if number % 5 == 0 { queue.sync(work) } else { queue.async(work) } }
            }
        }
        #expect(await eventually { total.withLock { $0 } == 4000 })
    }

    @Test(.proves("14.14a"))
    func `work that is handed over while the lock is held is done, and its caller does not wait`() async {
        let threads = WorkThreads(maximum: 8)
        let done = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    for number in 0..<2000 {
                        if number % 3 == 0 {
                            threads.run(after: .microseconds(number % 50)) { done.add(1) }
                        } else {
                            threads.run { done.add(1) }
                        }
                    }
                }
            }
        }
        #expect(await eventually { done.value == 32_000 })
    }

    @Test func `those without a thread of their own have a reserve`() async {
        let (log, reserve) = (Log(), WorkThreads())
        let threads = WorkThreads(maximum: 8, idleTime: .seconds(1), reserve: reserve) {
            _ throws(SystemCallError) in throw SystemCallError(.pthreadCreate, code: EAGAIN)
        }
        let caller = pthread_self()
        threads.run { log.append(pthread_equal(caller, pthread_self()) == 0 ? "elsewhere" : "here") }
        #expect(await eventually { log.all == ["elsewhere"] })
    }

    @Test func `files that hang keep nothing from computing`() async {
        let (open, log) = (Semaphore(), Log())
        for _ in 0..<64 { WorkThreads.shared.run { open.wait() } }
        WorkThreads.computing.run { log.append("computed") }
        #expect(await eventually { log.all == ["computed"] })
        for _ in 0..<64 { open.signal() }
    }

    @Test func `a queue runs the work of many threads one after another, each thread's in its order`() async {
        let queue = SerialQueue(on: WorkThreads(maximum: 4))
        let (running, wrong) = (Counter(), Counter())
        let last = Numbers()
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    for number in 0..<1000 {
                        let work: @Sendable () -> Void = {
                            if running.add(1) != 1 { wrong.add(1) }
                            let before = last.all.withLock { $0[thread] }
                            if before != number - 1 { wrong.add(1) }
                            last.all.withLock { $0[thread] = number }
                            running.add(-1)
                        }
                        if number % 10 == 0 { queue.sync(work) } else { queue.async(work) }
                    }
                }
            }
        }
        queue.sync {}
        #expect(wrong.value == 0 && last.all.withLock { $0 } == .init(repeating: 999, count: 8))
    }
}
