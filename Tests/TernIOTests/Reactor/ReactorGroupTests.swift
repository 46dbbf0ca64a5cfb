// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization
import Testing

@testable import TernIO

private final class Jobs: Sendable {
    let finished = Atomic<Int>(0)
    /// How many had finished when the loop looked after its mail.
    let seen = Atomic<Int>(-1)
}

@Suite(.timeLimit(.minutes(1))) struct ReactorGroupTests {
    @Test(arguments: [(-1, 1), (0, 1), (1, 1), (3, 3)])
    func `a group has as many reactors as asked for, and at least one`(asked: Int, given: Int) throws {
        #expect(try ReactorGroup(count: asked).reactors.count == given)
    }

    @Test func `all users share one group for as long as it is referenced`() throws {
        let first = try ReactorGroup.shared()
        let second = try ReactorGroup.shared()
        #expect(first === second)
        #expect(!first.reactors.isEmpty)
    }

    @Test func `the shared group works however often it comes and goes`() async throws {
        for _ in 0..<50 {
            let reactor = try #require(try ReactorGroup.shared().reactors.first)
            let isCurrent = await Task(executorPreference: reactor) { reactor.loop.isCurrent }.value
            #expect(isCurrent)
        }
    }

    @Test func `users on many threads get a group that is alive`() async throws {
        let alive = try await withThrowingTaskGroup(of: Bool.self) { tasks in
            for _ in 0..<8 {
                tasks.addTask {
                    var alive = true
                    for _ in 0..<50 {
                        let group = try ReactorGroup.shared()
                        guard let reactor = group.reactors.first else { return false }
                        alive = await Task(executorPreference: reactor) { reactor.loop.isCurrent }.value && alive
                    }
                    return alive
                }
            }
            return try await tasks.reduce(true) { $0 && $1 }
        }
        #expect(alive)
    }

    // As a task executor

    @Test func `jobs that take long run a few per tick, so that sockets do not wait for all of them`() async throws {
        let group = try ReactorGroup(count: 1)
        let reactor = try #require(group.reactors.first)
        let jobs = Jobs()
        await withDiscardingTaskGroup { tasks in
            // The loop is busy until all jobs are there.
            reactor.loop.execute { usleep(20_000) }
            for _ in 0..<32 {
                tasks.addTask(executorPreference: reactor) {
                    usleep(2000)
                    // What comes meanwhile has to wait for the end of the tick.
                    if jobs.finished.add(1, ordering: .relaxed).newValue == 1 {
                        reactor.loop.execute {
                            jobs.seen.store(jobs.finished.load(ordering: .relaxed), ordering: .relaxed)
                        }
                    }
                }
            }
        }
        #expect((1...4).contains(jobs.seen.load(ordering: .relaxed)))
    }

    @Test func `a task that prefers a group stays on one of its reactors, and so do its children`() async throws {
        let group = try ReactorGroup(count: 3)
        @Sendable func place() -> Int? { group.reactors.firstIndex { $0.loop.isCurrent } }
        let places = await Task(executorPreference: group) {
            async let child = place()
            let others = await withTaskGroup(of: Int?.self) { tasks in
                for _ in 0..<10 { tasks.addTask { place() } }
                return await tasks.reduce(into: [Int?]()) { $0.append($1) }
            }
            await Task.yield()
            return [place(), await child] + others
        }.value
        #expect(places.count == 12)
        #expect(places.first ?? nil != nil)
        #expect(Set(places).count == 1)
    }

    @Test func `jobs from elsewhere go to reactors that have nothing to do`() async throws {
        let group = try ReactorGroup(count: 3)
        @Sendable func place() -> Int? { group.reactors.firstIndex { $0.loop.isCurrent } }
        let (entered, barrier) = (Journal<Int?>(), Barrier())
        defer { barrier.open() }
        let busy = Task(executorPreference: group) {
            entered.append(place())
            barrier.pass()
        }
        while entered.entries.isEmpty { await Task.yield() }
        var places: [Int?] = []
        for _ in 0..<20 { places.append(await Task(executorPreference: group) { place() }.value) }
        #expect(Set(places).count == 2)
        #expect(Set(places).isDisjoint(with: entered.entries + [nil]))
        barrier.open()
        await busy.value
    }

    @Test func `ten thousand jobs from four tasks elsewhere all run, on all reactors`() async throws {
        let group = try ReactorGroup(count: 3)
        let places = Journal<Int?>()
        await withDiscardingTaskGroup { tasks in
            for _ in 0..<4 {
                tasks.addTask {
                    await withDiscardingTaskGroup { tasks in
                        for _ in 0..<2500 {
                            tasks.addTask(executorPreference: group) {
                                await Task.yield()
                                places.append(group.reactors.firstIndex { $0.loop.isCurrent })
                            }
                        }
                    }
                }
            }
        }
        #expect(places.entries.count == 10_000)
        #expect(Set(places.entries) == [0, 1, 2])
    }

    // Jobs of no executor in particular

    @Test func `a job of no executor in particular runs on a reactor, without being enqueued again`() async throws {
        let (group, count) = (try ReactorGroup(count: 1), Journal<Void>())
        let executor = Forwarding { job in
            count.append(())
            group.enqueueGlobal(job)
        }
        let isCurrent = await Task(executorPreference: executor) { group.reactors[0].loop.isCurrent }.value
        #expect(isCurrent)
        #expect(count.entries.count == 1)
    }

    @Test(arguments: [-1, 0, 1, 3, 20, 61])
    func `a job that waits for its time is not early, and leaves nothing behind`(_ milliseconds: Int) async throws {
        let group = try ReactorGroup(count: 2)
        let deadline = MonotonicInstant.now.advanced(by: .milliseconds(milliseconds))
        let executor = Forwarding { job in group.enqueueGlobal(job, at: deadline) }
        let (time, place) = await Task(executorPreference: executor) {
            (MonotonicInstant.now, group.reactors.firstIndex { $0.loop.isCurrent })
        }.value
        #expect(time >= deadline)
        #expect(place != nil)
        for reactor in group.reactors {
            let left = await Task(executorPreference: reactor) { reactor.loop.registrationCount }.value
            #expect(left == 0)
        }
    }

    @Test func `jobs that wait on the reactor itself run in the order of their deadlines`() async throws {
        let (group, order) = (try ReactorGroup(count: 1), Journal<Int>())
        let start = MonotonicInstant.now
        await Task(executorPreference: group.reactors[0]) {
            await withDiscardingTaskGroup { tasks in
                for step in [3, 1, 2] {
                    let deadline = start.advanced(by: .milliseconds(20 * step))
                    let executor = Forwarding { job in group.enqueueGlobal(job, at: deadline) }
                    tasks.addTask(executorPreference: executor) { order.append(step) }
                }
            }
        }.value
        #expect(order.entries == [1, 2, 3])
    }
}

/// Hands each job on.
private final class Forwarding: TaskExecutor {
    private let take: @Sendable (UnownedJob) -> Void
    init(_ take: @escaping @Sendable (UnownedJob) -> Void) { self.take = take }
    func enqueue(_ job: consuming ExecutorJob) { take(UnownedJob(job)) }
}
