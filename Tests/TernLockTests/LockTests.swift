// SPDX-License-Identifier: Apache-2.0
import TernLock
import Testing

@Suite(.timeLimit(.minutes(1))) struct LockTests {
    @Test func `tasks that add up lose nothing`() async {
        let counter = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { @concurrent in
                    for _ in 0..<1000 { counter.sum.withLock { $0 += 1 } }
                }
            }
        }
        #expect(counter.sum.withLock { $0 } == 4000)
    }

    @Test func `an error leaves the lock open`() {
        struct Failure: Error {}
        let value = Lock(1)
        #expect(throws: Failure.self) { try value.withLock { _ in throw Failure() } }
        #expect(value.withLock { $0 } == 1)
    }

    private final class Counter: Sendable {
        let sum = Lock(0)
    }
}
