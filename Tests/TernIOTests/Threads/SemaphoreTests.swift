// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernIO

@Suite(.timeLimit(.minutes(1))) struct SemaphoreTests {
    @Test func `each signal is taken once, and without one the wait ends`() {
        let semaphore = Semaphore()
        semaphore.signal()
        semaphore.signal()
        #expect(semaphore.wait(atMost: .zero))
        #expect(semaphore.wait(atMost: .seconds(1) - .nanoseconds(1)))
        #expect(!semaphore.wait(atMost: .milliseconds(1)))
    }

    @Test func `a signal from another thread ends the wait`() {
        let semaphore = Semaphore()
        DetachedThread.run { semaphore.signal() }
        semaphore.wait()
        DetachedThread.run { semaphore.signal() }
        #expect(semaphore.wait(atMost: .seconds(50)))
    }
}
