// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TernTesting

@Suite struct LatchTests {
    @Test func `is closed until it is opened, and then for good`() throws {
        let latch = try Latch()
        #expect(!latch.isOpen)
        latch.open()
        latch.open()
        #expect(latch.isOpen)
    }

    @Test func `waits no longer than until it is open`() throws {
        let latch = try Latch()
        latch.wait(.milliseconds(1))
        latch.open()
        let start = ContinuousClock.now
        latch.wait(.seconds(60))
        #expect(ContinuousClock.now - start < .seconds(30))
    }
}
