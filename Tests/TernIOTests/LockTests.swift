// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernIO
import Testing

@Suite(.timeLimit(.minutes(1))) struct LockTests {
    @Test func `threads that add up lose nothing`() {
        let sum = Lock(0)
        let ended = Atomic<Int>(0)
        for _ in 0..<4 {
            DetachedThread.run {
                for _ in 0..<1000 { sum.withLock { $0 += 1 } }
                ended.add(1, ordering: .releasing)
            }
        }
        #expect(eventually { ended.load(ordering: .acquiring) == 4 })
        #expect(sum.withLock { $0 } == 4000)
    }

    @Test func `an error leaves the lock open`() {
        struct Failure: Error {}
        let value = Lock(1)
        #expect(throws: Failure.self) { try value.withLock { _ in throw Failure() } }
        #expect(value.withLock { $0 } == 1)
    }
}
