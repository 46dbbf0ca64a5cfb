// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TestProofs
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Repeats on a lost kept-alive connection, and what may be sent twice.
@Suite struct RepeatsOfRetryRuleTests {
    private typealias Facts = RetryRule.Facts
    private typealias Requests = RetryPolicy.Requests

    private static let requests: [Requests] = [.idempotent, .all, .none]

    private static func rule(_ requests: Requests, repeats: Bool = true, posts: Bool = false) -> RetryRule {
        var policy = RetryPolicy()
        (policy.requests, policy.repeatsLostRequests) = (requests, repeats)
        policy.repeatsLostPosts = posts
        return RetryRule(policy)
    }

    /// Every combination of what can be known.
    private static let everything: [(rule: RetryRule, evidence: Facts)] = {
        var all: [(RetryRule, Facts)] = []
        for method in ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "POST", "PATCH", "CONNECT", "get", "SEARCH"]
        {
            for requests in Self.requests {
                for bits in 0..<128 {
                    let evidence = Facts(
                        method: method, hasIdempotencyKey: bits & 1 != 0, isContentReplayable: bits & 2 != 0,
                        wasConnectionReused: bits & 4 != 0, wasSent: bits & 8 != 0, wasAnswered: bits & 16 != 0,
                        wasRepeated: bits & 32 != 0)
                    all.append((rule(requests, posts: bits & 64 != 0), evidence))
                }
            }
        }
        return all
    }()

    /// The rule as a table: the first line that fits decides. A dash means "whatever".
    ///
    ///     reused sent answered repeated replayable  may be carried out twice  policy never  policy repeats posts
    private static let table: [(String, repeats: Bool)] = [
        ("- - - - - - y -", false),
        ("n - - - - - - -", false),
        ("- - y - - - - -", false),
        ("- - - y - - - -", false),
        ("- - - - n - - -", false),
        ("- n - - - - - -", true),
        ("- y - - - y - -", true),
        ("- y - - - n - y", true),
        ("- y - - - n - n", false),
    ]

    private func expectation(_ policy: RetryPolicy, _ evidence: Facts) throws -> Bool {
        let requests = policy.requests
        let word = requests == .all || requests == .idempotent && evidence.hasIdempotencyKey
        let byMethod = ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(evidence.method)
        let facts = [
            evidence.wasConnectionReused, evidence.wasSent, evidence.wasAnswered, evidence.wasRepeated,
            evidence.isContentReplayable, word || byMethod, requests == .none, policy.repeatsLostPosts,
        ]
        let line = Self.table.first { line in
            zip(line.0.split(separator: " "), facts).allSatisfy { $0 == "-" || ($0 == "y") == $1 }
        }
        return try #require(line).repeats
    }

    @Test func `every combination is decided as in the table`() throws {
        var repeats = 0
        for (rule, evidence) in Self.everything {
            let expected = try expectation(rule.policy, evidence)
            #expect(rule.repeats(evidence) == expected, "\(evidence)")
            repeats += expected ? 1 : 0
        }
        // On a reused connection, unanswered, replayable, for the first time: whatever was not sent; of what was, all
        // where every request may be repeated, all that has a key, and the six methods; and all of them where posts are
        // repeated, whether sent or not.
        #expect(repeats == 11 * 2 * 2 + 11 * 2 + 11 + 6 + 11 * 2 * 2 * 2)
    }

    @Test func `switched off, nothing is repeated`() {
        for (rule, evidence) in Self.everything {
            for posts in [false, true] {
                #expect(!Self.rule(rule.policy.requests, repeats: false, posts: posts).repeats(evidence))
            }
        }
    }

    @Test func `nothing is repeated transparently that the caller must not retry, unless the policy takes that risk`() {
        for (rule, evidence) in Self.everything where rule.repeats(evidence) {
            #expect(rule.isSafeToRepeat(evidence) || rule.policy.repeatsLostPosts)
        }
    }

    @Test func `what was not sent may always be asked again`() {
        #expect(Self.everything.allSatisfy { $0.evidence.wasSent || $0.rule.isSafeToRepeat($0.evidence) })
    }

    @Test(
        arguments: [
            ("GET", false, RetryPolicy.Requests.idempotent, true), ("GET", true, .none, false),
            ("GET", false, .all, true),
            ("PUT", false, .idempotent, true), ("DELETE", false, .idempotent, true),
            ("POST", false, .idempotent, false),
            ("POST", true, .idempotent, true), ("PATCH", true, .idempotent, true), ("PATCH", false, .idempotent, false),
            ("POST", false, .all, true), ("POST", true, .none, false), ("get", false, .idempotent, false),
            ("CONNECT", false, .idempotent, false), ("POST", false, .methods(["POST"]), true),
            ("GET", false, .methods(["POST"]), false), ("GET", true, .methods([]), true),
        ] as [(String, Bool, RetryPolicy.Requests, Bool)])
    func `what was sent may be asked again if it does no harm twice`(
        _ method: String, _ hasKey: Bool, _ requests: RetryPolicy.Requests, _ isSafe: Bool
    ) {
        for bits in 0..<16 {
            let evidence = Facts(
                method: method, hasIdempotencyKey: hasKey, isContentReplayable: bits & 1 != 0,
                wasConnectionReused: bits & 2 != 0, wasSent: true, wasAnswered: bits & 4 != 0,
                wasRepeated: bits & 8 != 0)
            #expect(Self.rule(requests).isSafeToRepeat(evidence) == isSafe)
        }
    }
}

/// Retries after a delay: what the planner decides, as a table.
@Suite struct RetryRuleTests {
    private typealias Outcome = RetryRule.Outcome
    private typealias Verdict = RetryRule.Verdict

    /// What differs from the standard policy in its first retry of a GET, and what follows.
    private struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        var outcome = answered(503)
        var method = "GET"
        var retries = 0
        var elapsed = Duration.zero
        var wasMisdirected = false
        var policy: @Sendable (inout RetryPolicy) -> Void = { _ in }
        let verdict: Verdict

        var testDescription: String { name }
    }

    private typealias Made = @Sendable () throws -> Outcome

    private static func failed(_ reason: SessionError.Reason) -> Made {
        { Outcome(of: SessionError(reason, phase: .head)) }
    }

    /// - Parameter wait: what the response asks for, in seconds.
    private static func answered(_ status: Int, wait: Int? = nil) -> Made {
        { Outcome(of: try ResponseHead(status: status, fields: wait.map { ["Retry-After": "\($0)"] } ?? [:])) }
    }

    /// An error that the program made, with a code of URLSession.
    private static func own(_ code: Int) -> SessionError.Reason {
        .program(SessionError.ProgramFailure(code: code, information: 0) { "" })
    }

    private static let lost = failed(.transfer(.connectionLost(nil)))
    private static let second = Verdict.retry(after: .seconds(1))

    private static let table: [Row] = [
        Row(name: "a 503 is retried", verdict: second),
        Row(name: "a 500 is an answer", outcome: answered(500), verdict: .end(.notTemporary)),
        Row(
            name: "a 500 is retried where it is named", outcome: answered(500), policy: { $0.statusCodes = [500] },
            verdict: second),
        Row(name: "a 421 is retried at once", outcome: answered(421), verdict: .retry(after: .zero)),
        Row(name: "and once", outcome: answered(421), wasMisdirected: true, verdict: .end(.notTemporary)),
        Row(
            name: "or not at all", outcome: answered(421), policy: { $0.statusCodes = [503] },
            verdict: .end(.notTemporary)),
        Row(name: "a lost connection is retried", outcome: lost, verdict: second),
        Row(name: "a time limit is retried", outcome: failed(.timedOut(.head)), verdict: second),
        Row(name: "the total one is the end", outcome: failed(.timedOut(.total)), verdict: .end(.notTemporary)),
        Row(
            name: "a cancellation is the end", outcome: failed(.cancelled), policy: { $0.failures = .all },
            verdict: .end(.notTemporary)),
        Row(
            name: "an invalid request is the end", outcome: failed(.request(.invalid(.missingURL))),
            policy: { $0.failures = .all }, verdict: .end(.notTemporary)),
        Row(
            name: "a malformed response is the end", outcome: failed(.transfer(.damagedCache)),
            verdict: .end(.notTemporary)),
        Row(
            name: "unless all failures are retried", outcome: failed(.transfer(.damagedCache)),
            policy: { $0.failures = .all }, verdict: second),
        Row(name: "so is a lost connection of the program's own", outcome: failed(own(-1005)), verdict: second),
        Row(
            name: "and what no group stands for is another failure", outcome: failed(own(-1202)),
            policy: { $0.failures = .other }, verdict: second),
        Row(
            name: "but a cancellation of the program's own is the end", outcome: failed(own(-999)),
            policy: { $0.failures = .all }, verdict: .end(.notTemporary)),
        Row(
            name: "what must not be done twice is not", outcome: lost, method: "POST", verdict: .end(.method)),
        Row(
            name: "unless the server has not processed it", outcome: answered(421), method: "POST",
            verdict: .retry(after: .zero)),
        Row(name: "the second retry waits twice as long", retries: 1, verdict: .retry(after: .seconds(2))),
        Row(name: "there is no third", retries: 2, verdict: .end(.attempts)),
        Row(name: "none at all", policy: { $0.maximumRetries = 0 }, verdict: .end(.off)),
        Row(name: "fewer than none", policy: { $0.maximumRetries = .min }, verdict: .end(.off)),
        Row(
            name: "the fiftieth waits no longer than the longest", retries: 50, policy: { $0.maximumRetries = 99 },
            verdict: .retry(after: .seconds(20))),
        Row(
            name: "the last of all likewise", retries: .max - 1, policy: { $0.maximumRetries = .max },
            verdict: .retry(after: .seconds(20))),
        Row(
            name: "the server may ask for more", outcome: answered(429, wait: 60),
            verdict: .retry(after: .seconds(60))),
        Row(name: "but not for less", outcome: answered(429, wait: 0), verdict: second),
        Row(name: "and not for too much", outcome: answered(429, wait: 61), verdict: .end(.delay)),
        Row(
            name: "or is not heard", outcome: answered(429, wait: 61), policy: { $0.honorsRetryAfter = false },
            verdict: second),
        Row(name: "in time", elapsed: .seconds(9), policy: { $0.maximumTime = .seconds(10) }, verdict: second),
        Row(
            name: "too late", elapsed: .milliseconds(9001), policy: { $0.maximumTime = .seconds(10) },
            verdict: .end(.time)),
        Row(name: "no time at all", policy: { $0.maximumTime = .seconds(-1) }, verdict: .end(.time)),
        Row(
            name: "no wait is a millisecond", policy: { $0.backOff.base = .zero },
            verdict: .retry(after: .milliseconds(1))),
        Row(
            name: "less than none likewise", retries: 1,
            policy: { ($0.backOff.base, $0.backOff.maximum) = (.seconds(-5), .seconds(-1)) },
            verdict: .retry(after: .milliseconds(1))),
        Row(
            name: "a factor of three", retries: 1, policy: { $0.backOff.factor = 3 },
            verdict: .retry(after: .seconds(3))),
        Row(name: "a factor of nothing", retries: 1, policy: { $0.backOff.factor = .min }, verdict: second),
        Row(
            name: "a factor beyond all", retries: 1, policy: { $0.backOff.factor = .max },
            verdict: .retry(after: .seconds(20))),
        Row(
            name: "a wait beyond all",
            policy: { ($0.backOff.base, $0.backOff.maximum) = (.seconds(Int64.max), .seconds(Int64.max)) },
            verdict: .end(.delay)),
    ]

    @Test(arguments: table)
    private func `each outcome has one verdict`(_ row: Row) throws {
        var policy = RetryPolicy.standard
        (policy.backOff.base, policy.backOff.jitter) = (.seconds(1), .none)
        row.policy(&policy)
        var count = RetryRule.Count(retries: row.retries)
        count.wasMisdirected = row.wasMisdirected
        let facts = RetryRule.Facts(
            method: row.method, wasConnectionReused: false, wasSent: true, wasAnswered: false, wasRepeated: false)
        let verdict = RetryRule(policy).verdict(on: try row.outcome(), facts, count, elapsed: row.elapsed)
        #expect(verdict == row.verdict)
    }

    @Test func `jitter chooses between bounds, and the extremes are within them`() {
        for unit in [0, 0.25, 1] {
            let full = RetryPolicy.BackOff(base: .seconds(1), jitter: .full)
            #expect(full.delay(.init(retries: 2), unit) == max(.milliseconds(1), .seconds(4) * unit))
            let decorrelated = RetryPolicy.BackOff(base: .seconds(1), jitter: .decorrelated)
            #expect(decorrelated.delay(.init(), unit) == .seconds(1))
            #expect(decorrelated.delay(.init(retries: 1, delay: .seconds(2)), unit) == .seconds(1) + .seconds(5) * unit)
            #expect(decorrelated.delay(.init(retries: 1, delay: .seconds(Int64.max)), unit) <= .seconds(20))
        }
    }

    /// At Sun, 06 Nov 1994 08:49:37 GMT.
    @Test(
        .proves("14.6a"),
        arguments: [
            (["120"], 120), (["0"], 0), (["007"], 7), (["-7"], nil), (["+7"], nil), (["soon"], nil), ([""], nil),
            (["3.7"], 4), (["3.0"], 3), (["0.0001"], 1), (["0.0"], 0), ([".5"], 1), (["5."], 5), (["."], nil),
            (["1.2.3"], nil), (["1,5"], nil), (["1e3"], nil), (["0x10"], nil), (["inf"], nil), (["nan"], nil),
            (["-0.5"], nil), (["1 2"], nil), (["1 s"], nil), (["\u{661}"], nil), (["3.7", "3.2"], 4),
            (["x", "2.5"], 3),
            (["100000000000000000000"], 30_000_000_000), ([String(repeating: "9", count: 5_000)], 30_000_000_000),
            (["0." + String(repeating: "9", count: 5_000)], 1), (["Sun, 06 Nov 1994 08:50:37 GMT"], 60),
            (["Thu, 01 Jan 1970 00:00:00 GMT"], 0), (["Sun, 06 Nov 1994 08:00:00 GMT"], 0),
            (["Fri, 31 Dec 9999 23:59:59 GMT"], 252_618_188_222), (["1", "3"], 3), (["x", "3"], 3), ([], nil),
            (["1", "2", "3", "4", "99"], 4),
        ] as [([String], Int?)])
    func `Retry-After is seconds, rounded up, or a date, and of several the longest`(
        _ values: [String], _ seconds: Int?
    ) {
        let wait = RetryRule.wait(retryAfter: values, now: 784_111_777)
        #expect(wait == seconds.map { .seconds(min($0, 30_000_000_000)) })
    }

    @Test func `a date is read by the server's clock, and a limit of requests has a field of its own`() throws {
        func wait(_ fields: HeaderFields) throws -> Duration? {
            try RetryRule.wait(askedBy: ResponseHead(status: 429, fields: fields), now: 0)
        }
        let date = HeaderField(name: "Date", value: "Sun, 06 Nov 1994 08:49:37 GMT")
        var dated: HeaderFields = ["Retry-After": "Sun, 06 Nov 1994 08:49:47 GMT"]
        dated.append(date)
        #expect(try wait(dated) == .seconds(10))
        #expect(try wait(["RateLimit-Remaining": "0", "RateLimit-Reset": "9"]) == .seconds(9))
        #expect(try wait(["RateLimit-Remaining": "0", "RateLimit-Reset": "8.2"]) == .seconds(9))
        #expect(try wait(["RateLimit-Remaining": "1", "RateLimit-Reset": "9"]) == nil)
        #expect(try wait(["RateLimit-Remaining": "0", "RateLimit-Reset": "9", "Retry-After": "3"]) == .seconds(3))
    }
}
