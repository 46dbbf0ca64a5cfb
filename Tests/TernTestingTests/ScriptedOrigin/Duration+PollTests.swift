// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernTesting

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
