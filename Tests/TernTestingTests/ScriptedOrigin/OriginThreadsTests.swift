// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import TernTesting

@Suite struct OriginThreadsTests {
    @Test func `joins all it started, also what they started`() {
        let threads = OriginThreads()
        let ran = Atomic(0)
        for _ in 0..<20 {
            let started = threads.start {
                _ = threads.start { ran.add(1, ordering: .relaxed) }
                ran.add(1, ordering: .relaxed)
            }
            #expect(started)
        }
        threads.joinAll()
        #expect(ran.load(ordering: .relaxed) == 40)
    }

    @Test func `can be joined from one of its own`() throws {
        let threads = OriginThreads()
        let joined = try Latch()
        #expect(
            threads.start {
                threads.joinAll()
                joined.open()
            })
        threads.joinAll()
        joined.wait(.seconds(10))
        #expect(joined.isOpen)
    }
}
