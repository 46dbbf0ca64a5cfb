// SPDX-License-Identifier: Apache-2.0
import TernIO
import Testing

@testable import TernEngine

@Suite struct RetryBudgetTests {
    private let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)

    private func spend(_ budget: RetryBudget, on host: String = "a.test:80", after time: Duration = .zero) -> Bool {
        budget.spend(on: host, RetryPolicy.Budget(share: 0.1, floor: 10), at: start.advanced(by: time))
    }

    @Test func `a quiet host may be retried ten times in ten seconds, and each host has its own`() {
        let budget = RetryBudget()
        #expect((0..<20).count { _ in spend(budget) } == 10)
        #expect((0..<20).count { _ in spend(budget, on: "b.test:80") } == 10)
        #expect(!spend(budget, after: .seconds(4)))
        // The first half of the window still counts in the second.
        #expect(!spend(budget, after: .seconds(6)))
        #expect((0..<20).count { _ in spend(budget, after: .seconds(12)) } == 10)
    }

    @Test func `a busy host may be retried for a tenth of the requests to it`() {
        let budget = RetryBudget()
        let limits = RetryPolicy.Budget(share: 0.1, floor: 10)
        #expect(budget.spend(on: "a.test:80", limits, at: .now))
        for _ in 0..<1000 { budget.began("a.test:80") }
        #expect((0..<1000).count { _ in budget.spend(on: "a.test:80", limits, at: .now) } == 99)
    }

    @Test(arguments: [(0.0, 0), (-1, -1), (.nan, 0), (0, .min)] as [(Double, Int)])
    func `a budget of nothing allows nothing`(_ share: Double, _ floor: Int) {
        #expect(!RetryBudget().spend(on: "a.test:80", RetryPolicy.Budget(share: share, floor: floor), at: start))
    }

    @Test func `what is repeated whatever the budget is counts, and asking costs nothing`() {
        let (budget, limits) = (RetryBudget(), RetryPolicy.Budget(share: 0, floor: 3))
        for _ in 0..<2 { budget.addRepeat(to: "a.test:80", at: start) }
        for _ in 0..<9 { #expect(budget.allows("a.test:80", limits, at: start)) }
        #expect((0..<9).count { _ in budget.spend(on: "a.test:80", limits, at: start) } == 1)
        #expect(!budget.allows("a.test:80", limits, at: start) && budget.allows("a.test:80", nil, at: start))
    }

    @Test func `requests are not counted before a host wants a retry`() {
        let budget = RetryBudget()
        for _ in 0..<1000 {
            budget.began(
                {
                    Issue.record("The host was asked for."); return nil
                }())
        }
    }
}
