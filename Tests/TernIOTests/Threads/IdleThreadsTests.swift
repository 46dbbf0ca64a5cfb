// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernIO

@Suite struct IdleThreadsTests {
    @Test func `a call is for one thread, and no thread that comes to wait later takes it`() {
        let (first, second) = (Semaphore(), Semaphore())
        var threads = IdleThreads()
        threads.append(first)
        // The first thread's time passes; before it can leave, a name comes, and another thread has nothing to do.
        let called = threads.call()
        threads.append(second)
        called?.signal()
        #expect(called === first)
        #expect(!second.wait(atMost: .zero))
        let hasLeft = (threads.leave(first), threads.leave(second))
        #expect(hasLeft == (false, true))
        #expect(first.wait(atMost: .zero))
        let count = threads.count
        #expect(count == 0)
    }

    @Test func `the thread that came last is called first, and each once`() {
        let all = [Semaphore(), Semaphore(), Semaphore()]
        var threads = IdleThreads()
        for thread in all { threads.append(thread) }
        let last = threads.call()
        #expect(last === all[2])
        let rest = threads.callAll()
        #expect(rest.map(ObjectIdentifier.init) == all.dropLast().map(ObjectIdentifier.init))
        let (none, count) = (threads.call(), threads.count)
        #expect(none == nil && count == 0)
        for thread in all {
            let hasLeft = threads.leave(thread)
            #expect(!hasLeft)
        }
    }
}
