// SPDX-License-Identifier: Apache-2.0
import TernIO
import Testing

@testable import TernEngine

@Suite struct RefreshWindowTests {
    private func instant(_ seconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
    }

    @Test func `a window admits its number of refreshes, and another one when the first has left it`() {
        let window = RefreshWindow(interval: .seconds(10), maximumAttempts: 2)
        var past: [MonotonicInstant] = []
        let admitted = [100, 105, 109, 110, 114, 115, 130].map { window.admits(instant($0), after: &past) }
        #expect(admitted == [true, true, false, true, false, true, true])
        #expect(past == [instant(130)])
    }

    @Test(arguments: [Int.min, -1, 0, 1])
    func `a window without attempts admits one`(count: Int) {
        let window = RefreshWindow(interval: .seconds(1), maximumAttempts: count)
        var past: [MonotonicInstant] = []
        let admitted = [window.admits(instant(1), after: &past), window.admits(instant(1), after: &past)]
        #expect(admitted == [true, false])
    }
}
