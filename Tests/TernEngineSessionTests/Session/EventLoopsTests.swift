// SPDX-License-Identifier: Apache-2.0
import TernLock
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(1))) struct EventLoopsTests {
    @Test func `work for the end of a tick waits for it on a reactor, and nowhere else`() async {
        let session = Session()
        let eventLoops = session.eventLoops
        let order = Lock<[String]>([])
        await session.onReactor {
            eventLoops.afterTick { order.withLock { $0.append("end") } }
            order.withLock { $0.append("turn") }
        }
        await session.settle()
        eventLoops.afterTick { order.withLock { $0.append("elsewhere") } }
        #expect(order.withLock { $0 } == ["turn", "end", "elsewhere"])
    }

    @Test func `a task that a reactor resumes continues after the reactor's turn, another one at once`() async {
        let session = Session()
        let eventLoops = session.eventLoops
        let order = Lock<[String]>([])
        await unsafe withUnsafeContinuation { continuation in
            eventLoops.loops[0].execute {
                unsafe eventLoops.resume(continuation)
                order.withLock { $0.append("turn") }
            }
        }
        order.withLock { $0.append("resumed") }
        await unsafe withUnsafeContinuation { unsafe eventLoops.resume($0) }
        #expect(order.withLock { $0 } == ["turn", "resumed"])
    }

    @Test func `the event loops of a session do not retain it`() {
        var session: Session? = Session()
        weak let held = session
        let eventLoops = session?.eventLoops
        session = nil
        #expect(held == nil)
        #expect(eventLoops != nil)
    }
}
