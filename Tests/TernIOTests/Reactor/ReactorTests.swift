// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import TernIO
import TernLock

@Suite(.timeLimit(.minutes(1))) struct ReactorTests {
    // As a task executor

    @Test func `a task that prefers the reactor runs on it, and so do its children`() async throws {
        let reactor = try Reactor(name: "tern-test")
        let loop = reactor.loop
        let places = await Task(executorPreference: reactor) {
            async let child = loop.isCurrent
            let grandchildren = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<10 { group.addTask { loop.isCurrent } }
                return await group.reduce(into: [Bool]()) { $0.append($1) }
            }
            return [loop.isCurrent, await child, await concurrently { loop.isCurrent }] + grandchildren
        }.value
        #expect(places == Array(repeating: true, count: 13))
        #expect(!loop.isCurrent)
    }

    @Test func `a task comes back to the reactor from wherever it was resumed`() async throws {
        try await onLoop { loop in
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                DetachedThread.run { continuation.resume() }
            }
            #expect(loop.isCurrent)
            let wasOnLoop = await MainActor.run { loop.isCurrent }
            #expect(!wasOnLoop)
            #expect(loop.isCurrent)
            try await Task.sleep(for: .nanoseconds(1))
            #expect(loop.isCurrent)
            let isCurrent = await Bystander().isCurrent(on: loop)
            #expect(isCurrent)
            await Task.yield()
            #expect(loop.isCurrent)
        }
    }

    @Test func `a preference for one block ends with the block`() async throws {
        let reactor = try Reactor(name: "tern-test")
        let loop = reactor.loop
        let inside = await withTaskExecutorPreference(reactor) { await concurrently { loop.isCurrent } }
        let outside = await concurrently { loop.isCurrent }
        #expect(inside)
        #expect(!outside)
    }

    @Test func `a resumed task runs through to its next suspension in one job`() async throws {
        try await onLoop { loop in
            let order = Journal<String>()
            let gate = Gate(count: 2)
            // The first has functions to return to that each could ask for a hop; the second has none.
            async let deep: Void = concurrently {
                await concurrently { await concurrently { await gate.wait(0) } }
                order.append("deep")
            }
            async let flat: Void = {
                await gate.wait(1)
                order.append("flat")
            }()
            while !gate.isFull { await Task.yield() }
            gate.open()
            _ = await (deep, flat)
            #expect(order.entries == ["deep", "flat"])
        }
    }

    @Test func `ten thousand tasks enqueued in a burst from several threads all run on it`() async throws {
        let reactor = try Reactor(name: "tern-test")
        let count = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    await withTaskGroup(of: Bool.self) { tasks in
                        for _ in 0..<2500 {
                            tasks.addTask(executorPreference: reactor) { reactor.loop.isCurrent }
                        }
                        return await tasks.reduce(0) { $0 + ($1 ? 1 : 0) }
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(count == 10_000)
    }

    @Test func `no wake-up is lost between two reactors that wait for each other`() async throws {
        let (here, there) = (try Reactor(name: "tern-test"), try Reactor(name: "tern-test"))
        let hops = await Task(executorPreference: here) {
            var hops = 0
            for _ in 0..<5000 {
                let wasThere = await Task(executorPreference: there) { there.loop.isCurrent }.value
                if wasThere, here.loop.isCurrent { hops += 1 }
            }
            return hops
        }.value
        #expect(hops == 5000)
    }

    @Test func `a task that yields for ever does not starve a deadline`() async throws {
        try await onLoop { loop in
            let enough = Flag()
            async let busy: Void = { while !enough.isRaised { await Task.yield() } }()
            let probe = Probe()
            let token = loop.registerTimer(handler: probe)
            loop.setDeadline(loop.now.advanced(by: .milliseconds(20)), for: token)
            #expect(await probe.next() == .deadline)
            enough.raise()
            await busy
            loop.deregister(token)
        }
    }

    // As an actor's executor

    @Test func `an actor on the reactor runs there, wherever it is called from`() async throws {
        let resident = Resident(on: try Reactor(name: "tern-test"))
        let fromOutside = await resident.isHome()
        #expect(fromOutside)
        let fromTask = await Task(executorPreference: resident.reactor) { await resident.isHome() }.value
        #expect(fromTask)
        let fromOther = await Task(executorPreference: try Reactor(name: "tern-test")) { await resident.isHome() }.value
        #expect(fromOther)
    }

    @Test func `an actor on the reactor keeps its isolation across suspensions`() async throws {
        let resident = Resident(on: try Reactor(name: "tern-test"))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { await resident.addSlowly() } }
        }
        let sum = await resident.sum
        #expect(sum == 100)
    }

    @Test func `work and handlers on the loop may assume the isolation of an actor on it`() async throws {
        let resident = Resident(on: try Reactor(name: "tern-test"))
        let isHome = await withCheckedContinuation { end in
            resident.reactor.loop.execute { end.resume(returning: resident.assumeIsolated { $0.isHome() }) }
        }
        #expect(isHome)
        #expect(resident.reactor.isIsolatingCurrentContext() == false)
    }

    // Its life

    // The Swift runtime opens a few descriptors of its own when it pleases, so a hundred reactors make the difference.

    @Test func `threads and descriptors end after the last reference`() async {
        await #expect(processExitsWith: .success) {
            let before = Census.descriptors
            var reactors: [Reactor] = []
            for _ in 0..<100 { reactors.append(try Reactor(name: "io-last-ref")) }
            #expect(await eventually { Census.threads(named: "io-last-ref") == 100 })
            #expect(Census.descriptors > before + 150)
            weak let loop = reactors.last?.loop
            #expect(loop != nil)
            reactors = []
            #expect(await eventually { Census.threads(named: "io-last-ref") == 0 })
            #expect(await eventually { loop == nil })
            #expect(await eventually { Census.descriptors < before + 50 })
        }
    }

    @Test func `the last reference may be released on the reactor's own thread`() async {
        await #expect(processExitsWith: .success) {
            let before = Census.descriptors
            for _ in 0..<100 { try letGoFromWithin("io-own-thread") }
            #expect(await eventually { Census.threads(named: "io-own-thread") == 0 })
            #expect(await eventually { Census.descriptors < before + 50 })
        }
    }

    @Test func `a task keeps the reactor it prefers alive`() async throws {
        let gate = Gate(count: 1)
        let task = try waitOnReactor(named: "io-kept", at: gate)
        while !gate.isFull { await Task.yield() }
        #expect(Census.threads(named: "io-kept") == 1)
        gate.open()
        let wasCurrent = await task.value
        #expect(wasCurrent)
        #expect(await eventually { Census.threads(named: "io-kept") == 0 })
    }

    @Test func `an actor keeps the reactor it lives on alive`() async throws {
        var resident: Resident? = Resident(on: try Reactor(name: "io-resident"))
        let isHome = await resident?.isHome()
        #expect(isHome == true)
        resident = nil
        #expect(await eventually { Census.threads(named: "io-resident") == 0 })
    }

    @Test func `three hundred reactors come and go`() async throws {
        for _ in 0..<300 {
            let reactor = try Reactor(name: "io-short")
            await Task(executorPreference: reactor) {}.value
        }
        #expect(await eventually { Census.threads(named: "io-short") == 0 })
    }
}

/// Once by work that is sent to the reactor, once by a task that outlives every other reference.
private func letGoFromWithin(_ name: String) throws {
    let reactor = try Reactor(name: name)
    let last = Lock<Reactor?>(reactor)
    reactor.loop.execute { last.withLock { $0 = nil } }
    let other = try Reactor(name: name)
    Task(executorPreference: other) { await Task.yield() }
}

private func waitOnReactor(named name: String, at gate: Gate) throws -> Task<Bool, Never> {
    let reactor = try Reactor(name: name)
    let loop = reactor.loop
    return Task(executorPreference: reactor) {
        await gate.wait(0)
        return loop.isCurrent
    }
}

private actor Resident {
    nonisolated let reactor: Reactor
    var sum = 0

    init(on reactor: Reactor) { self.reactor = reactor }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe reactor.asUnownedSerialExecutor() }

    func isHome() -> Bool { reactor.loop.isCurrent }

    func addSlowly() async {
        let before = sum
        if before % 2 == 0 { sum = before + 1 } else { sum += 1 }
        await MainActor.run {}
        if !isHome() { sum = .min }
    }
}

/// A default actor: it runs wherever its caller prefers.
private actor Bystander {
    func isCurrent(on loop: ReactorLoop) -> Bool { loop.isCurrent }
}

/// Tasks wait here until all of them are resumed at once, in the order of their numbers.
private final class Gate: Sendable {
    private let waiting: Lock<[Int: CheckedContinuation<Void, Never>]> = Lock([:])
    private let count: Int

    init(count: Int) { self.count = count }

    var isFull: Bool { waiting.withLock { $0.count == count } }

    func wait(_ number: Int) async {
        await withCheckedContinuation { continuation in waiting.withLock { $0[number] = continuation } }
    }

    func open() {
        for (_, continuation) in waiting.withLock({ $0 }).sorted(by: { $0.key < $1.key }) { continuation.resume() }
    }
}

@concurrent private func concurrently<T: Sendable>(_ body: @Sendable () async -> T) async -> T { await body() }
