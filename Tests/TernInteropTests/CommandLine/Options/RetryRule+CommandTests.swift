// SPDX-License-Identifier: Apache-2.0
import Glibc
import Tern
import Testing

@testable import TernCLI
@testable import TernEngine
@testable import TernIO

/// The command's policy; the rule itself is tested beside it.
@Suite struct RetryRuleCommandTests {
    private typealias Outcome = RetryRule.Outcome

    private let request: URLRequest
    private let unavailable: Outcome

    init() throws {
        request = try URLRequest(string: "http://a.test/")
        unavailable = Outcome(of: try ResponseHead(status: 503))
    }

    private func delays(_ rule: RetryRule, _ attempts: ClosedRange<Int>) -> [Duration?] {
        attempts.map { rule.delay(on: unavailable, of: request, after: $0) }
    }

    @Test func `waits double from one second up to ten minutes`() {
        let rule = RetryRule(retries: 200_000)
        let seconds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]
        #expect(delays(rule, 1...12) == seconds.map { .seconds($0) })
        #expect(rule.delay(on: unavailable, of: request, after: 100_000) == .seconds(600))
    }

    @Test(
        "Retry-After counts where it is later",
        arguments: [
            ("120", 120.0), ("1", 5), ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sun, 06 Nov 1994 08:00:00 GMT", 5),
            ("soon", 5), ("-7", 5), ("", 5), ("99999999999999999999999999", nil),
            ("3600", 3600), ("3601", nil),
        ] as [(String, Double?)])
    func retryAfter(field: String, delay: Double?) throws {
        let fields: HeaderFields = ["Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Retry-After": field]
        let outcome = Outcome(of: try ResponseHead(status: 503, fields: fields))
        let rule = RetryRule(retries: 3, fixedDelay: 5)
        #expect(rule.delay(on: outcome, of: request, after: 3) == delay.map { .seconds($0) })
    }

    @Test func `no attempt begins after --retry-max-time, and none is waited for longer than --max-time`() throws {
        let bounded = RetryRule(retries: 9, fixedDelay: 5, maximumTime: 20)
        #expect(bounded.delay(on: unavailable, of: request, after: 1, elapsed: .seconds(15)) == .seconds(5))
        #expect(bounded.delay(on: unavailable, of: request, after: 1, elapsed: .seconds(15.1)) == nil)
        let late = Outcome(of: try ResponseHead(status: 503, fields: ["Retry-After": "21"]))
        #expect(bounded.delay(on: late, of: request, after: 1) == nil)
        let patient = RetryRule(retries: 9, maximumDelay: 3)
        #expect(delays(patient, 1...3) == [.seconds(1), .seconds(2), nil])
    }

    @Test func `refusals and all errors are asked again where that is said`() throws {
        func isRetried(
            _ reason: SessionError.Reason, refusals: Bool = false, everything: Bool = false
        ) -> Bool {
            let rule = RetryRule(retries: 1, includesRefusals: refusals, includesEverything: everything)
            return rule.delay(on: SessionError(reason, phase: .head), of: request, after: 1) != nil
        }
        let address = try #require(TransportAddress(literal: "127.0.0.1", port: 1))
        let attempt = ConnectError.Attempt(address: address, error: SystemCallError(.connect, code: ECONNREFUSED))
        let refused = SessionError.Reason.connecting(.unreachable(ConnectError(attempts: [attempt])))
        let lost = SessionError.Reason.transfer(.connectionLost(nil))
        for (reason, isTransient) in [(ResolveError.Reason.unknownHost, true), (.otherFamily, false)] {
            let failure = ResolveError(host: "a.test", reason: reason)
            #expect(isRetried(.connecting(.unresolved(failure))) == isTransient)
        }
        #expect(!isRetried(refused) && isRetried(refused, refusals: true))
        #expect(!isRetried(lost, refusals: true) && isRetried(lost, everything: true))
        #expect(isRetried(.timedOut(.total)))
        let everything = RetryRule(retries: 1, includesEverything: true)
        #expect(everything.delay(on: StandardStreams.WriteError(number: EPIPE), of: request, after: 1) == nil)
    }

    @Test func `the statuses that may pass are curl's`() throws {
        for rule in [RetryRule(retries: 1), RetryRule(retries: 1, includesEverything: true)] {
            let retried = try (200...599).filter { status in
                rule.delay(on: Outcome(of: try ResponseHead(status: status)), of: request, after: 1) != nil
            }
            #expect(retried == [408, 429, 500, 502, 503, 504])
        }
    }
}
