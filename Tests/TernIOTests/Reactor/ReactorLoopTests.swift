// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization
import TernLock
import Testing

@testable import TernIO

@Suite(.timeLimit(.minutes(1))) struct ReactorLoopTests {
    // Readiness

    @Test func `a handler is called when its socket has bytes, and again for as long as they wait`() async throws {
        try await onLoop { loop in
            let connection = try Connection()
            let probe = Probe()
            let token = try loop.register(connection.socket.descriptor, interest: .readable, handler: probe)
            await nextTurn(of: loop)
            #expect(probe.calls.isEmpty)
            try connection.peer.send("x")
            #expect(await probe.next() == .readable)
            #expect(await probe.next() == .readable)
            loop.deregister(token)
        }
    }

    @Test func `a fresh connection is writable at once, and quiet without an interest`() async throws {
        try await onLoop { loop in
            let connection = try Connection()
            let probe = Probe()
            let token = try loop.register(connection.socket.descriptor, interest: [], handler: probe)
            try connection.peer.send("x")
            await nextTurn(of: loop)
            #expect(probe.calls.isEmpty)
            try loop.setInterest([.readable, .writable], for: token)
            #expect(await probe.next() == [.readable, .writable])
            try loop.setInterest(.writable, for: token)
            _ = await probe.next()
            #expect(await probe.next() == .writable)
            loop.deregister(token)
        }
    }

    @Test func `an end of stream and a reset count as readable`() async throws {
        try await onLoop { loop in
            for resets in [false, true] {
                let listener = try Listener()
                let socket = try Socket.connecting(to: listener.address)
                let peer = Peer(descriptor: try listener.accept())
                let probe = Probe()
                let token = try loop.register(socket.descriptor, interest: .readable, handler: probe)
                if resets { try peer.reset() } else { _ = consume peer }
                #expect(await probe.next().contains(.readable))
                loop.deregister(token)
            }
        }
    }

    @Test func `a reset on a paused connection does not spin the loop`() async throws {
        try await onLoop { loop in
            let listener = try Listener()
            let socket = try Socket.connecting(to: listener.address)
            let peer = Peer(descriptor: try listener.accept())
            let probe = Probe()
            let token = try loop.register(socket.descriptor, interest: .readable, handler: probe)
            try loop.setInterest([], for: token)
            try peer.reset()
            let before = ThreadClock.now
            await elapse(.milliseconds(300), on: loop)
            #expect(ThreadClock.now - before < 0.1)
            #expect(probe.calls.isEmpty)
            try loop.setInterest(.readable, for: token)
            #expect(await probe.next().contains(.readable))
            loop.deregister(token)
        }
    }

    // Registrations

    @Test func `what cannot be watched is refused and leaves no registration`() async throws {
        try await onLoop { loop in
            let file = Descriptor(owning: unsafe open("/proc/self/exe", O_RDONLY | O_CLOEXEC))
            var isReleased = false
            do throws(SystemCallError) {
                _ = try loop.register(file, interest: .readable, handler: Probe(atEnd: { isReleased = true }))
                Issue.record("an ordinary file is always ready and cannot be watched")
            } catch {
                #expect(error == SystemCallError(.epollCtl, code: EPERM))
            }
            #expect(isReleased)
        }
    }

    @Test func `a timer has nothing to be interested in`() async throws {
        try await onLoop { loop in
            let token = loop.registerTimer(handler: Probe())
            #expect(throws: SystemCallError(.epollCtl, code: EBADF)) { try loop.setInterest(.readable, for: token) }
            loop.deregister(token)
        }
    }

    @Test func `a dead token does nothing to the registration that has its slot now`() async throws {
        try await onLoop { loop in
            let connection = try Connection()
            let dead = try loop.register(connection.socket.descriptor, interest: .readable, handler: Probe())
            loop.deregister(dead)
            let probe = Probe()
            let token = try loop.register(connection.socket.descriptor, interest: .readable, handler: probe)
            #expect(token.slot == dead.slot)
            #expect(token != dead)
            let stranger = Probe()
            try loop.setInterest([], for: dead)
            try loop.transfer(dead, to: stranger, interest: [])
            loop.setDeadline(loop.now, for: dead)
            loop.deregister(dead)
            try connection.peer.send("x")
            #expect(await probe.next() == .readable)
            await nextTurn(of: loop)
            #expect(stranger.calls.isEmpty)
            #expect(probe.calls.allSatisfy { $0 == .readable })
            loop.deregister(token)
        }
    }

    @Test func `a transferred registration calls the new handler only, and lets the old one go`() async throws {
        try await onLoop { loop in
            let connection = try Connection()
            var isReleased = false
            let token = try loop.register(
                connection.socket.descriptor, interest: .writable, handler: Probe(atEnd: { isReleased = true }))
            let heir = Probe()
            try loop.transfer(token, to: heir, interest: .readable)
            #expect(isReleased)
            try connection.peer.send("x")
            #expect(await heir.next() == .readable)
            loop.deregister(token)
        }
    }

    @Test func `the end of a handler may call the loop`() async throws {
        try await onLoop { loop in
            let connection = try Connection()
            let neighbour = Probe()
            let other = loop.registerTimer(handler: neighbour)
            var made: RegistrationToken?
            let reentrant = {
                loop.deregister(other)
                made = loop.registerTimer(handler: neighbour)
            }
            let first = try loop.register(
                connection.socket.descriptor, interest: .readable, handler: Probe(atEnd: reentrant))
            try loop.transfer(first, to: Probe(atEnd: reentrant), interest: .readable)
            if let made { loop.deregister(made) }
            loop.deregister(first)
            #expect(made != nil)
            if let made { loop.deregister(made) }
        }
    }

    @Test func `a late event does not reach the connection that took over slot and descriptor`() async throws {
        try await onLoop { loop in
            for _ in 0..<200 {
                let stale = try StaleEvent(on: loop)
                // Both are ready before the loop looks, so that both events come in one batch.
                for connection in stale.connections { try connection.peer.send("a") }
                await nextTurn(of: loop)
                #expect(stale.replacement != nil)
                #expect(stale.replacementCalls == 0)
                try stale.successor.peer.send("b")
                await nextTurn(of: loop)
                #expect(stale.replacementCalls > 0)
                stale.end()
            }
        }
    }

    @Test func `a connection paused by its neighbour in the same batch is not called`() async throws {
        try await onLoop { loop in
            let connections = [try Connection(), try Connection()]
            var tokens: [RegistrationToken] = []
            var called: [Int] = []
            for index in 0..<2 {
                let handler = Probe(react: { _ in
                    called.append(index)
                    for token in tokens { try? loop.setInterest([], for: token) }
                })
                tokens.append(
                    try loop.register(connections[index].socket.descriptor, interest: .readable, handler: handler)
                )
            }
            for connection in connections { try connection.peer.send("x") }
            await nextTurn(of: loop)
            #expect(called.count == 1)
            for token in tokens { loop.deregister(token) }
        }
    }

    @Test func `nothing is left in the epoll after deregistering`() async throws {
        try await onLoop { loop in
            var connections: [Connection] = []
            var tokens: [RegistrationToken] = []
            for _ in 0..<20 {
                let connection = try Connection()
                tokens.append(
                    try loop.register(connection.socket.descriptor, interest: .readable, handler: Probe()))
                connections.append(connection)
            }
            #expect(Census.watched(by: loop.epoll.rawValue) == 21)
            for token in tokens { loop.deregister(token) }
            #expect(Census.watched(by: loop.epoll.rawValue) == 1)
            #expect(loop.registrationCount == 0)
        }
    }

    // Visits

    @Test func `a requested visit comes once, in the next tick`() async throws {
        try await onLoop { loop in
            let connection = try Connection()
            let probe = Probe()
            let token = try loop.register(connection.socket.descriptor, interest: .readable, handler: probe)
            let asked = loop.tick
            loop.visitLater(token)
            #expect(probe.calls == [])
            #expect(await probe.next() == .visit)
            #expect(loop.tick == asked + 1)
            await Task.yield()
            #expect(probe.calls == [.visit])
            // A handler without an interest, or without a registration, is not visited.
            loop.visitLater(token)
            try loop.setInterest([], for: token)
            let other = loop.registerTimer(handler: Probe())
            loop.visitLater(other)
            loop.deregister(other)
            for _ in 0..<3 { await Task.yield() }
            #expect(probe.calls == [.visit])
            loop.deregister(token)
        }
    }

    @Test func `a handler that asks for visits again and again leaves time for others`() async throws {
        try await onLoop { loop in
            let (busy, quiet) = (try Connection(), try Connection())
            var visits = 0
            var token: RegistrationToken?
            let eager = Probe(react: { _ in
                visits += 1
                if visits < 1000, let token { loop.visitLater(token) }
            })
            let registered = try loop.register(busy.socket.descriptor, interest: .readable, handler: eager)
            token = registered
            let probe = Probe()
            let other = try loop.register(quiet.socket.descriptor, interest: .writable, handler: probe)
            loop.visitLater(registered)
            _ = await probe.next()
            #expect(visits <= 2)
            loop.deregister(registered)
            loop.deregister(other)
        }
    }

    @Test func `visits that take long are spread over ticks, first come, first served`() async throws {
        try await onLoop { loop in
            var told: [(number: Int, turn: UInt64)] = []
            var tokens: [RegistrationToken] = []
            let connections = try (0..<5).map { _ in try Connection() }
            let done = Probe()
            for (number, connection) in connections.enumerated() {
                let probe = Probe(react: { _ in
                    told.append((number, loop.tick))
                    let end = MonotonicInstant.now.advanced(by: .milliseconds(2))
                    while MonotonicInstant.now < end {}
                    if number == 4 { done.ready(.visit) }
                })
                tokens.append(
                    try loop.register(connection.socket.descriptor, interest: .readable, handler: probe))
            }
            let asked = loop.tick
            for token in tokens { loop.visitLater(token) }
            _ = await done.next()
            #expect(told.map(\.number) == [0, 1, 2, 3, 4])
            #expect(told.map(\.turn) == (1...5).map { asked + $0 })
            for token in tokens { loop.deregister(token) }
        }
    }

    // Deadlines

    @Test func `a deadline is never early`() async throws {
        try await onLoop { loop in
            for milliseconds in [0, 1, 3, 4, 10, 33] {
                let probe = Probe()
                let token = loop.registerTimer(handler: probe)
                let deadline = MonotonicInstant.now.advanced(by: .milliseconds(milliseconds))
                loop.setDeadline(deadline, for: token)
                #expect(await probe.next() == .deadline)
                #expect(MonotonicInstant.now >= deadline)
                loop.deregister(token)
                #expect(probe.calls.count == 1)
            }
        }
    }

    @Test func `work before the sleep does not make a deadline late`() async throws {
        try await onLoop { loop in
            var best = Double.infinity
            // The machine may be busy with something else: one of ten has to be on time.
            for _ in 0..<10 where best > 0.02 {
                let probe = Probe()
                let token = loop.registerTimer(handler: probe)
                let deadline = MonotonicInstant.now.advanced(by: .milliseconds(50))
                loop.setDeadline(deadline, for: token)
                while deadline.seconds(since: .now) > 0.01 {}
                _ = await probe.next()
                best = min(best, MonotonicInstant.now.seconds(since: deadline))
                loop.deregister(token)
            }
            #expect(best <= 0.02)
        }
    }

    @Test func `a deadline cleared or moved by another handler in the same tick does not fire`() async throws {
        try await onLoop { loop in
            var tokens: [RegistrationToken] = []
            var called: [Int] = []
            for index in 0..<4 {
                let handler = Probe(react: { _ in
                    called.append(index)
                    if called.count > 1 { return }
                    loop.setDeadline(nil, for: tokens[(index + 1) % 4])
                    loop.setDeadline(loop.now.advanced(by: .seconds(1000)), for: tokens[(index + 2) % 4])
                    loop.deregister(tokens[(index + 3) % 4])
                })
                tokens.append(loop.registerTimer(handler: handler))
            }
            for token in tokens { loop.setDeadline(loop.now, for: token) }
            await elapse(.milliseconds(30), on: loop)
            #expect(called.count == 1)
            for token in tokens { loop.deregister(token) }
        }
    }

    // Work

    @Test func `work runs on the loop's thread in the order it was sent`() async throws {
        let reactor = try Reactor(name: "tern-test")
        let order = Lock<[Int]>([])
        #expect(!reactor.loop.isCurrent)
        let wasCurrent = await withCheckedContinuation { end in
            for number in 0..<1000 {
                reactor.loop.execute { [loop = reactor.loop] in
                    order.withLock { $0.append(number) }
                    if number == 999 { end.resume(returning: loop.isCurrent) }
                }
            }
        }
        #expect(wasCurrent)
        #expect(order.withLock { $0 } == Array(0..<1000))
    }

    @Test func `work that sends itself again does not starve sockets`() async throws {
        try await onLoop { loop in
            let connection = try Connection()
            let probe = Probe()
            let token = try loop.register(connection.socket.descriptor, interest: .readable, handler: probe)
            let enough = Flag()
            again(on: loop, until: enough)
            try connection.peer.send("x")
            #expect(await probe.next() == .readable)
            enough.raise()
            loop.deregister(token)
        }
    }

    enum Burst: CaseIterable { case work, jobs, deadlines }

    @Test(arguments: Burst.allCases)
    func `a burst of what takes long lets the sockets be looked at in between`(_ burst: Burst) async throws {
        try await onLoop { loop in
            let connection = try Connection()
            let done = Lock(0)
            var doneBefore: Int?
            // The byte is not received, so each tick reports it.
            let probe = Probe(react: { _ in doneBefore = doneBefore ?? done.withLock { $0 } })
            let token = try loop.register(connection.socket.descriptor, interest: .readable, handler: probe)
            let piece: @Sendable () -> Void = {
                let number = done.withLock { done in
                    done += 1
                    return done
                }
                if number == 1 { try? connection.peer.send("x") }
                let end = MonotonicInstant.now.advanced(by: .microseconds(100))
                while MonotonicInstant.now < end {}
            }
            try await run(200, piece, as: burst, on: loop)
            #expect(await probe.next() == .readable)
            #expect(try #require(doneBefore) < 200)
            #expect(done.withLock { $0 } == 200)
            loop.deregister(token)
        }
    }

    // The end

    @Test func `what the last work sends runs before the loop ends, and nothing is taken after`() async throws {
        var reactor: Reactor? = try Reactor(name: "io-last-work")
        let loop = try #require(reactor).loop
        let token = Lock(reactor)
        reactor = nil
        let depth = await withCheckedContinuation { end in
            loop.execute {
                token.withLock { $0 = nil }
                descend(on: loop, depth: 0) { end.resume(returning: $0) }
            }
        }
        #expect(depth == 50)
        #expect(await eventually { Census.threads(named: "io-last-work") == 0 })
        let isReleased = Flag()
        #expect(!leave(Guardian { isReleased.raise() }, with: loop))
        #expect(isReleased.isRaised)
        #expect(!loop.isCurrent)
    }

    @Test func `registrations do not outlive the reactor, even when their handler holds the loop`() async throws {
        let isReleased = Flag()
        let identity = try #require(try await leaveRegistrations(of: "io-drop", isReleased: isReleased))
        #expect(await eventually { Census.threads(named: "io-drop") == 0 })
        #expect(isReleased.isRaised)
        #expect(await eventually { !Census.isOpen(identity) })
    }

    // The end of a tick

    @Test func `work for the end of a tick runs after the mailbox, and on another thread at once`() throws {
        let reactor = try Reactor()
        let journal = Journal<String>()
        let done = Barrier()
        let mayGoOn = Barrier()
        reactor.loop.execute {
            mayGoOn.pass()
            reactor.loop.afterTick {
                journal.append("end")
                done.open()
            }
        }
        reactor.loop.execute { journal.append("mail") }
        mayGoOn.open()
        done.pass()
        reactor.loop.afterTick { journal.append("elsewhere") }
        #expect(journal.entries == ["mail", "end", "elsewhere"])
    }

    /// Waits with `waiter` for the arrivals of a connection to pause, which has more whenever something was received if it
    /// is busy. Returns the ticks and the time that it took.
    private func wait(_ waiter: Waiter, isPatient: Bool, isBusy: Bool) async throws -> (ticks: UInt64, time: Double) {
        let reactor = try Reactor()
        return try await Task(executorPreference: reactor) {
            let (loop, connection) = (reactor.loop, try Connection())
            let handler = Probe(react: { _ in
                unsafe withUnsafeTemporaryAllocation(byteCount: 8, alignment: 1) { bytes in
                    _ = try? unsafe connection.socket.receive(into: bytes)
                }
                if isBusy { try? connection.peer.send("x") }
            })
            let token = try loop.register(connection.socket.descriptor, interest: .readable, handler: handler)
            defer { loop.deregister(token) }
            try connection.peer.send("x")
            _ = await handler.next()
            let (tick, start) = (loop.tick, MonotonicInstant.now)
            waiter.loop = loop
            loop.callWhenQuiet(waiter, isPatient: isPatient)
            await waiter.wait()
            return (waiter.ticks - tick, waiter.time.seconds(since: start))
        }.value
    }

    @Test(arguments: [(false, UInt64(1)), (true, 4)])
    func `a reader is called as soon as no socket is ready, and four ticks later at the latest`(
        isBusy: Bool, expected: UInt64
    ) async throws {
        let waiter = Waiter()
        #expect(try await wait(waiter, isPatient: false, isBusy: isBusy).ticks == expected)
        #expect(waiter.callCount == 1)
    }

    @Test func `a patient reader is called in the first tick of a pause, and after a millisecond without one`()
        async throws
    {
        let waiter = Waiter()
        #expect(try await wait(waiter, isPatient: true, isBusy: false).ticks == 1)
        let busy = Waiter()
        let (ticks, time) = try await wait(busy, isPatient: true, isBusy: true)
        #expect(ticks > 1)
        #expect(time >= 0.000_5)
        #expect(waiter.callCount == 1)
        #expect(busy.callCount == 1)
    }

    @Test func `work for a loop that waits for a pause does not wait for it, and neither does the end of the loop`()
        async throws
    {
        let waiter = Waiter()
        do {
            let reactor = try Reactor()
            await Task(executorPreference: reactor) {
                reactor.loop.callWhenQuiet(waiter, isPatient: true)
                await Task.yield()
            }.value
            await withCheckedContinuation { done in _ = reactor.loop.execute { done.resume() } }
        }
        await waiter.wait()
        #expect(waiter.callCount == 1)
    }
}

/// A reader that notes when it is called. Used on one thread at a time.
private final class Waiter: ArrivalReader, @unchecked Sendable {
    private let called = AsyncStream.makeStream(of: Void.self)
    private(set) var callCount = 0
    private(set) var ticks: UInt64 = 0
    private(set) var time = MonotonicInstant.now
    weak var loop: ReactorLoop?

    func wait() async { for await _ in called.stream { break } }

    func arrivalsPaused() {
        callCount += 1
        (ticks, time) = (loop?.tick ?? 0, .now)
        called.continuation.yield()
    }
}

/// Two connections that are ready in one batch. The handler called first ends the other's registration and puts a third
/// connection in its place: same slot, same descriptor number.
private final class StaleEvent {
    private let loop: ReactorLoop
    let connections: [Connection]
    let successor: Connection
    private var tokens: [RegistrationToken] = []
    private(set) var replacement: RegistrationToken?
    private(set) var replacementCalls = 0

    init(on loop: ReactorLoop) throws {
        self.loop = loop
        connections = [try Connection(), try Connection()]
        successor = try Connection()
        for index in 0..<2 {
            let handler = Probe(react: { [unowned self] _ in replace(1 - index) })
            tokens.append(
                try loop.register(connections[index].socket.descriptor, interest: .readable, handler: handler))
        }
    }

    private func replace(_ other: Int) {
        guard replacement == nil else { return }
        loop.deregister(tokens[other])
        // Gives the descriptor's number to the successor, and closes what it stood for, in one step.
        let number = connections[other].socket.descriptor.rawValue
        #expect(dup2(successor.socket.descriptor.rawValue, number) == number)
        let handler = Probe(react: { [unowned self] _ in replacementCalls += 1 })
        replacement = try? loop.register(connections[other].socket.descriptor, interest: .readable, handler: handler)
        #expect(replacement?.slot == tokens[other].slot)
    }

    func end() {
        for token in tokens { loop.deregister(token) }
        if let replacement { loop.deregister(replacement) }
    }
}

/// Ends a reactor that still has registrations. Returns the socket that must be closed then.
private func leaveRegistrations(of name: String, isReleased: Flag) async throws -> String? {
    let reactor = try Reactor(name: name)
    return try await Task(executorPreference: reactor) {
        let loop = reactor.loop
        let connection = try Connection()
        var timers: [RegistrationToken] = []
        for _ in 0..<3 {
            // Each ends all of them.
            let handler = Probe(atEnd: { for token in timers { loop.deregister(token) } })
            timers.append(loop.registerTimer(handler: handler))
        }
        let owner = Probe(
            react: { _ in _ = connection },
            atEnd: {
                loop.execute { _ = loop }
                isReleased.raise()
            })
        _ = try loop.register(connection.socket.descriptor, interest: .readable, handler: owner)
        return Census.identity(of: connection.socket.descriptor.rawValue)
    }.value
}

private final class Guardian: Sendable {
    private let atEnd: @Sendable () -> Void
    init(atEnd: @escaping @Sendable () -> Void) { self.atEnd = atEnd }
    deinit { atEnd() }
}

/// Sends work that holds `guardian`; returns whether it was taken.
private func leave(_ guardian: consuming Guardian, with loop: ReactorLoop) -> Bool {
    loop.execute { [guardian] in _ = guardian }
}

private func again(on loop: ReactorLoop, until enough: Flag) {
    if !enough.isRaised { loop.execute { again(on: loop, until: enough) } }
}

/// Runs `piece` `count` times, all of them due at once, and returns when all have run.
private func run(
    _ count: Int, _ piece: @escaping @Sendable () -> Void, as burst: ReactorLoopTests.Burst, on loop: ReactorLoop
) async throws {
    switch burst {
    case .work:
        await withCheckedContinuation { end in
            for _ in 0..<count { loop.execute(piece) }
            loop.execute { end.resume() }
        }
    case .jobs:
        await withTaskGroup { group in
            for _ in 0..<count { group.addTask { piece() } }
        }
    case .deadlines:
        let probes = (0..<count).map { _ in Probe(react: { _ in piece() }) }
        let tokens = probes.map { loop.registerTimer(handler: $0) }
        for token in tokens { loop.setDeadline(loop.now, for: token) }
        for probe in probes { _ = await probe.next() }
        for token in tokens { loop.deregister(token) }
    }
}

private func descend(on loop: ReactorLoop, depth: Int, end: @escaping @Sendable (Int) -> Void) {
    if depth == 50 { return end(depth) }
    loop.execute { descend(on: loop, depth: depth + 1, end: end) }
}

@Suite(.timeLimit(.minutes(1))) struct RunWhileAsleepTests {
    /// Tries until the loop has fallen asleep.
    private func runWhileAsleep(for loop: ReactorLoop, _ work: () -> Void) {
        while !loop.runWhileAsleep(work) { sched_yield() }
    }

    @Test func `a thread does the work of a loop that sleeps, as the loop would`() throws {
        let reactor = try Reactor()
        #expect(!reactor.loop.isCurrent)
        var wasCurrent = false
        runWhileAsleep(for: reactor.loop) { wasCurrent = reactor.loop.isCurrent }
        #expect(wasCurrent)
        #expect(!reactor.loop.isCurrent)
    }

    @Test func `work does not run inline for a loop that is awake, nor within inline work`() throws {
        let reactor = try Reactor()
        let (isBusy, mayGoOn) = (Barrier(), Barrier())
        reactor.loop.execute {
            isBusy.open()
            mayGoOn.pass()
        }
        isBusy.pass()
        #expect(!reactor.loop.runWhileAsleep {})
        mayGoOn.open()
        runWhileAsleep(for: reactor.loop) { #expect(!reactor.loop.runWhileAsleep {}) }
    }

    @Test func `a deadline set in its place wakes the loop in time`() throws {
        let reactor = try Reactor()
        let isDue = Barrier()
        let start = MonotonicInstant.now
        runWhileAsleep(for: reactor.loop) {
            let token = reactor.loop.registerTimer(handler: Probe(react: { if $0 == .deadline { isDue.open() } }))
            reactor.loop.setDeadline(reactor.loop.now.advanced(by: .milliseconds(20)), for: token)
        }
        isDue.pass()
        #expect(MonotonicInstant.now < start.advanced(by: .seconds(10)))
    }

    @Test func `a socket registered in its place is watched`() throws {
        let reactor = try Reactor()
        let connection = try Connection()
        let isReadable = Barrier()
        var token: RegistrationToken?
        runWhileAsleep(for: reactor.loop) {
            token = try? reactor.loop.register(
                connection.socket.descriptor, interest: .readable, handler: Probe(react: { _ in isReadable.open() }))
        }
        #expect(token != nil)
        let start = MonotonicInstant.now
        try connection.peer.send("x")
        isReadable.pass()
        #expect(MonotonicInstant.now < start.advanced(by: .seconds(10)))
        runWhileAsleep(for: reactor.loop) { if let token { reactor.loop.deregister(token) } }
    }

    @Test func `what is left to do in its place the loop does`() async throws {
        let reactor = try Reactor()
        let done = Barrier()
        runWhileAsleep(for: reactor.loop) { reactor.loop.execute { done.open() } }
        done.pass()
        await unsafe withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            runWhileAsleep(for: reactor.loop) { unsafe reactor.loop.resume(continuation) }
        }
        let ended = Barrier()
        runWhileAsleep(for: reactor.loop) { reactor.loop.afterTick { ended.open() } }
        ended.pass()
    }

    /// What only one thread at a time may touch, touched from all.
    @Test func `inline work and the loop exclude each other`() async throws {
        let reactor = try Reactor()
        let tally = Tally()
        let total = Atomic<Int>(0)
        let ended = Atomic<Int>(0)
        let threads = 3
        for _ in 0..<threads {
            try Thread.start(name: "stand-in") {
                runWhileAsleep(for: reactor.loop) { tally.count += 1 }
                for _ in 0..<2000 where !reactor.loop.runWhileAsleep({ tally.count += 1 }) {
                    reactor.loop.execute { tally.count += 1 }
                }
                ended.wrappingAdd(1, ordering: .releasing)
            }
        }
        while ended.load(ordering: .acquiring) < threads { sched_yield() }
        let done = Barrier()
        reactor.loop.execute {
            total.store(tally.count, ordering: .releasing)
            done.open()
        }
        done.pass()
        #expect(total.load(ordering: .acquiring) == threads * 2001)
    }

    /// Not guarded by anything: that is what is looked at.
    private final class Tally: @unchecked Sendable { var count = 0 }
}
