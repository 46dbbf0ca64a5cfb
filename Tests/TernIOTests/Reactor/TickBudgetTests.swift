// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernIO

@Suite struct TickBudgetTests {
    @Test func `a few items are free, whatever they take`() {
        var budget = TickBudget()
        for _ in 0..<16 { #expect(budget.spend() == true) }
    }

    @Test func `is spent after its time, and looks at the clock only now and then`() {
        var budget = TickBudget()
        var pieces = 0
        let start = MonotonicInstant.now
        while budget.spend() { pieces += 1 }
        #expect(MonotonicInstant.now.seconds(since: start) >= 0.001)
        #expect(pieces >= 32)
        #expect(pieces % 16 == 0)
    }
}
