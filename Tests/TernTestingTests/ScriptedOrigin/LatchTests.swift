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

struct DurationPollTests {
    @Test(
        arguments: [
            (Duration.zero, 0), (.milliseconds(1), 1), (.microseconds(1999), 1), (.seconds(2), 2000),
            (.milliseconds(1500), 1500), (.seconds(1 << 40), 2_000_000_000),
        ] as [(Duration, Int32)])
    func `milliseconds are rounded down, and a long time is limited`(duration: Duration, milliseconds: Int32) {
        #expect(duration.pollTimeout == milliseconds)
    }
}
