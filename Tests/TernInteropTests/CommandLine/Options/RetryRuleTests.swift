// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Tern
import Testing

@testable import TernCLI
@testable import TernIO

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
            ("soon", 5), ("-7", 5), ("", 5), ("99999999999999999999999999", nil),
            ("3600", 3600), ("3601", nil),
        ])
    func retryAfter(field: String, delay: Double?) {
        #expect(RetryRule(count: 1, fixedDelay: 5).delay(after: 3, retryAfter: field, now: now) == delay)
    }

    @Test func `no attempt begins after --retry-max-time, and none is waited for longer than --max-time`() {
        let bounded = RetryRule(count: 9, fixedDelay: 5, maximumTime: 20)
        #expect(bounded.delay(after: 1, elapsed: 15, retryAfter: nil, now: now) == 5)
        #expect(bounded.delay(after: 1, elapsed: 15.1, retryAfter: nil, now: now) == nil)
        #expect(bounded.delay(after: 1, retryAfter: "21", now: now) == nil)
        let patient = RetryRule(count: 9, fixedDelay: nil, maximumDelay: 3)
        #expect((1...3).map { patient.delay(after: $0, retryAfter: nil, now: now) } == [1, 2, nil])
    }

    @Test func `refusals and all errors are asked again where that is said`() throws {
        let address = try #require(TransportAddress(literal: "127.0.0.1", port: 1))
        let refused = SessionError(
            .connecting(
                .unreachable(
                    ConnectError(attempts: [
                        ConnectError.Attempt(
                            address: address, error: SystemCallError(.connect, code: ECONNREFUSED))
                    ]))), phase: .connect)
        let lost = SessionError(.transfer(.connectionLost(nil)), phase: .head)
        for (reason, isTransient) in [(ResolveError.Reason.unknownHost, true), (.otherFamily, false)] {
            let failure = ResolveError(host: "a.test", reason: reason)
            let error = SessionError(.connecting(.unresolved(failure)), phase: .resolve)
            #expect(RetryRule(count: 1, fixedDelay: nil).isTransient(error) == isTransient)
        }
        #expect(!RetryRule(count: 1, fixedDelay: nil).isTransient(refused))
        #expect(RetryRule(count: 1, fixedDelay: nil, includesRefusals: true).isTransient(refused))
        #expect(!RetryRule(count: 1, fixedDelay: nil, includesRefusals: true).isTransient(lost))
        #expect(RetryRule(count: 1, fixedDelay: nil, includesEverything: true).isTransient(lost))
    }

    @Test func `the statuses that may pass are curl's`() {
        #expect((100...599).filter(RetryRule.isTransient(status:)) == [408, 429, 500, 502, 503, 504])
        #expect(RetryRule(count: 1, fixedDelay: nil).isTransient(SessionError(.timedOut(.total), phase: .head)))
        #expect(
            !RetryRule(count: 1, fixedDelay: nil).isTransient(
                SessionError(.transfer(.connectionLost(nil)), phase: .head)))
    }
}
