// SPDX-License-Identifier: Apache-2.0
import TernLock
import Testing

@testable import TernIO

@Suite(.timeLimit(.minutes(1))) struct TestClockTests {
    @Test func `it stands still until it is moved, and is never moved back or beyond its end`() {
        let clock = TestClock()
        let start = clock.now
        clock.advance(by: .zero)
        clock.advance(by: .seconds(-5))
        #expect(clock.now == start)
        clock.advance(by: .nanoseconds(3))
        #expect(start.duration(to: clock.now) == .nanoseconds(3))
        for _ in 0..<3 { clock.advance(by: .seconds(Int64.max)) }
        #expect(clock.now.nanoseconds == 1 << 62)
        clock.advance(by: .seconds(-Int64.max))
        #expect(clock.now.nanoseconds == 1 << 62)
    }

    @Test func `moves of several threads add up`() async {
        let clock = TestClock()
        let start = clock.now
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<1000 { clock.advance(by: .milliseconds(1)) } } }
        }
        #expect(start.duration(to: clock.now) == .seconds(8))
    }

    @Test(arguments: [1, 3_999_999, 4_000_000, 10_000_001, 60_000_000_000, 7_200_000_000_000] as [Int64])
    func `a deadline passes when the clock reaches it, to the nanosecond`(delay: Int64) async throws {
        let clock = TestClock()
        try await onLoop(by: clock) { loop in
            for _ in 0..<20 {
                let probe = Probe()
                let token = loop.registerTimer(handler: probe)
                loop.setDeadline(loop.now.advanced(by: .nanoseconds(delay)), for: token)
                clock.advance(by: .nanoseconds(delay - 1))
                for _ in 0..<3 { await nextTurn(of: loop) }
                #expect(probe.calls.isEmpty)
                clock.advance(by: .nanoseconds(1))
                #expect(await probe.next() == .deadline)
                loop.deregister(token)
            }
        }
    }

    @Test func `a deadline in the present or in the past fires although the clock stands`() async throws {
        try await onLoop(by: TestClock()) { loop in
            for delay in [0, -1, -8_000_000] as [Int64] {
                let probe = Probe()
                let token = loop.registerTimer(handler: probe)
                loop.setDeadline(loop.now.advanced(by: .nanoseconds(delay)), for: token)
                #expect(await probe.next() == .deadline)
                loop.deregister(token)
            }
        }
    }

    @Test func `within a tick the time is that of the tick, although the clock moves`() async throws {
        let clock = TestClock()
        try await onLoop(by: clock) { loop in
            let start = loop.now
            clock.advance(by: .seconds(60))
            #expect(loop.now == start && loop.exactNow == start && MonotonicInstant.now(by: clock) == start)
            #expect(start.duration(to: clock.now) == .seconds(60))
            await nextTurn(of: loop)
            #expect(loop.now == clock.now && loop.exactNow == clock.now)
        }
    }

    @Test func `a sleeping loop runs work of another thread by the time of the clock, and then wakes for it`()
        async throws
    {
        let clock = TestClock()
        let reactor = try Reactor(name: "tern-test", clock: clock)
        let loop = reactor.loop
        for _ in 0..<100 {
            let probe = Lock<MonotonicInstant?>(nil)
            let wasAwake = Lock(false)
            clock.advance(by: .seconds(1))
            let isDone = await withCheckedContinuation { continuation in
                let work: @Sendable () -> Void = {
                    probe.withLock { $0 = loop.now }
                    let handler = Probe(react: { _ in continuation.resume(returning: true) })
                    let token = loop.registerTimer(handler: handler)
                    loop.setDeadline(loop.now, for: token)
                }
                if loop.runWhileAsleep(work) { return }
                wasAwake.withLock { $0 = true }
                loop.execute(work)
            }
            // A tick that began before the clock moved has the time of then.
            #expect(isDone && (wasAwake.withLock { $0 } || probe.withLock { $0 } == clock.now))
        }
    }

    @Test func `the next address is tried when the clock says so`() async throws {
        let clock = TestClock()
        let (silent, listener) = (try SilentListener(), try Listener("127.0.0.1"))
        let address = try await onLoop(by: clock) { loop in
            let result = Lock<TransportAddress?>(nil)
            let probe = Probe()
            let timer = loop.registerTimer(handler: probe)
            let connector = Connector(addresses: [silent.address, listener.address], loop: loop) { outcome in
                guard case .success(let connected) = outcome else { return }
                result.withLock { $0 = connected.address }
                loop.deregister(connected.token)
                loop.setDeadline(loop.now, for: timer)
            }
            connector.start()
            clock.advance(by: .milliseconds(249))
            for _ in 0..<20 { await nextTurn(of: loop) }
            #expect(result.withLock { $0 } == nil)
            clock.advance(by: .milliseconds(1))
            _ = await probe.next()
            return withExtendedLifetime(connector) { result.withLock { $0 } }
        }
        #expect(address == listener.address)
    }

    @Test func `a sleep ends with the clock, or with its task`() async throws {
        let clock = TestClock()
        try await clock.sleep(until: clock.now)
        let deadline = clock.now.advanced(by: .seconds(3600))
        async let long: Void = clock.sleep(until: deadline)
        let cancelled = Task { try await Duration.seconds(3600).sleep(by: clock) }
        while clock.sleepCount < 2 { await Task.yield() }
        clock.advance(by: .seconds(3599))
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(clock.sleepCount == 1)
        clock.advance(by: .seconds(1))
        try await long
        #expect(clock.sleepCount == 0)
    }

    @Test func `it retains no loop, and none that ends leaves anything with it`() async throws {
        let clock = TestClock()
        for _ in 0..<10 { try await onLoop(by: clock) { _ in clock.advance(by: .seconds(1)) } }
        while clock.loopCount > 0 { await Task.yield() }
        clock.advance(by: .seconds(1))
    }
}
