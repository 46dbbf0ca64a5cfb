// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization
import Testing

@testable import TernIO

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
