// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernTLS

struct EvaluationBudgetTests {
    @Test func `work is done as long as it fits, to the last unit`() {
        var budget = EvaluationBudget(10)
        #expect(budget.spend(4) == true)
        #expect(budget.canSpend(6))
        #expect(!budget.canSpend(7))
        #expect(budget.spend(6) == true)
        #expect(budget.left == 0)
        #expect(!budget.isExceeded)
    }

    @Test func `after work that did not fit nothing is done, however small`() {
        var budget = EvaluationBudget(10)
        #expect(budget.spend(11) == false)
        #expect(budget.isExceeded)
        #expect(budget.left == 10)
        #expect(budget.spend(1) == false)
        #expect(!budget.canSpend(0))
    }
}
