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

    /// The policy of these options.
    private func policy(_ options: String, refused: Range<Int>? = nil) throws -> RetryPolicy {
        try #require(
            try TransferOptions.parse(options.split(separator: " ").map(String.init)).retryPolicy(refused: refused))
    }

    /// How long the next attempt waits; nil if there is none.
    private func delay(
        _ policy: RetryPolicy, on outcome: Outcome? = nil, after attempt: Int, elapsed: Duration = .zero
    ) -> Duration? {
        let verdict = RetryRule(policy).verdict(
            on: outcome ?? unavailable, .init(ofWhole: request), .init(retries: attempt - 1), elapsed: elapsed)
        return if case .retry(let delay) = verdict { delay } else { nil }
    }

    private func delays(_ policy: RetryPolicy, _ attempts: ClosedRange<Int>) -> [Duration?] {
        attempts.map { delay(policy, after: $0) }
    }

    @Test func `waits double from one second up to ten minutes`() throws {
        let rule = try policy("--retry 200000")
        let seconds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]
        #expect(delays(rule, 1...12) == seconds.map { .seconds($0) })
        #expect(delay(rule, after: 100_000) == .seconds(600))
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
        let rule = try policy("--retry 3 --retry-delay 5")
        #expect(self.delay(rule, on: outcome, after: 3) == delay.map { .seconds($0) })
    }

    @Test func `no attempt begins after --retry-max-time, and none is waited for longer than --max-time`() throws {
        let bounded = try policy("--retry 9 --retry-delay 5 --retry-max-time 20")
        #expect(delay(bounded, after: 1, elapsed: .seconds(15)) == .seconds(5))
        #expect(delay(bounded, after: 1, elapsed: .seconds(15.1)) == nil)
        let late = Outcome(of: try ResponseHead(status: 503, fields: ["Retry-After": "21"]))
        #expect(delay(bounded, on: late, after: 1) == nil)
        let patient = try policy("--retry 9 --max-time 3")
        #expect(delays(patient, 1...3) == [.seconds(1), .seconds(2), nil])
    }

    @Test func `refusals and all errors are asked again where that is said`() throws {
        func isRetried(
            _ reason: SessionError.Reason, refusals: Bool = false, everything: Bool = false
        ) throws -> Bool {
            let words = (refusals ? " --retry-connrefused" : "") + (everything ? " --retry-all-errors" : "")
            return delay(try policy("--retry 1" + words), on: Outcome(of: SessionError(reason, phase: .head)), after: 1)
                != nil
        }
        let address = try #require(TransportAddress(literal: "127.0.0.1", port: 1))
        let attempt = ConnectError.Attempt(address: address, error: SystemCallError(.connect, code: ECONNREFUSED))
        let refused = SessionError.Reason.connecting(.unreachable(ConnectError(attempts: [attempt])))
        let lost = SessionError.Reason.transfer(.connectionLost(nil))
        for (reason, isTransient) in [(ResolveError.Reason.unknownHost, true), (.otherFamily, false)] {
            let failure = ResolveError(host: "a.test", reason: reason)
            #expect(try isRetried(.connecting(.unresolved(failure))) == isTransient)
        }
        #expect(try !isRetried(refused) && isRetried(refused, refusals: true))
        #expect(try !isRetried(lost, refusals: true) && isRetried(lost, everything: true))
        #expect(try isRetried(.timedOut(.total)))
    }

    @Test func `the statuses that may pass are curl's`() throws {
        func retried(_ policy: RetryPolicy) throws -> [Int] {
            try (200...599).filter { status in
                delay(policy, on: Outcome(of: try ResponseHead(status: status)), after: 1) != nil
            }
        }
        for options in ["--retry 1", "--retry 1 --retry-all-errors"] {
            #expect(try retried(policy(options)) == [408, 429, 500, 502, 503, 504])
        }
        #expect(try retried(policy("--retry 1 --retry-all-errors", refused: 400..<600)) == Array(400...599))
        #expect(try TransferOptions.parse([]).retryPolicy() == nil)
    }
}
