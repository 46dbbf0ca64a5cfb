// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import Tern

@testable import TernCLI

@Suite struct RetryRuleTests {
    private let now = Date(timeIntervalSince1970: 784_111_777)  // Sun, 06 Nov 1994 08:49:37 GMT

    @Test func `waits double from one second up to ten minutes`() {
        let rule = RetryRule(count: 20, fixedDelay: nil)
        let delays = (1...12).map { rule.delay(after: $0, retryAfter: nil, now: now) }
        #expect(delays == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600])
        #expect(rule.delay(after: 100_000, retryAfter: nil, now: now) == 600)
    }

    @Test(
        "Retry-After counts where it is later",
        arguments: [
            ("120", 120.0), ("1", 5), ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sun, 06 Nov 1994 08:00:00 GMT", 5),
            ("soon", 5), ("-7", 5), ("", 5), ("99999999999999999999999999", 1e9),
        ])
    func retryAfter(field: String, delay: Double) {
        #expect(RetryRule(count: 1, fixedDelay: 5).delay(after: 3, retryAfter: field, now: now) == delay)
    }

    @Test func `the statuses that may pass are curl's`() {
        #expect((100...599).filter(RetryRule.isTransient(status:)) == [408, 429, 500, 502, 503, 504])
        #expect(RetryRule.isTransient(EngineError(.timedOut(.total), phase: .head)))
        #expect(!RetryRule.isTransient(EngineError(.transfer(.connectionLost(nil)), phase: .head)))
    }
}
