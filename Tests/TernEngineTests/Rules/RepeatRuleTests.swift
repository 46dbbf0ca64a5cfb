// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

@Suite struct RepeatRuleTests {
    private typealias Evidence = RepeatRule.Evidence

    /// Every combination of what can be known.
    private static let everything: [Evidence] = {
        var all: [Evidence] = []
        for method in ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "POST", "PATCH", "CONNECT", "get", "SEARCH"]
        {
            for policy in RepeatPolicy.allCases {
                for bits in 0..<64 {
                    all.append(
                        Evidence(
                            method: method, hasIdempotencyKey: bits & 1 != 0, policy: policy,
                            isContentReplayable: bits & 2 != 0, wasConnectionReused: bits & 4 != 0,
                            wasSent: bits & 8 != 0,
                            wasAnswered: bits & 16 != 0, wasRepeated: bits & 32 != 0))
                }
            }
        }
        return all
    }()

    /// The rule as a table: the first line that fits decides. A dash means "whatever".
    ///
    ///     reused sent answered repeated replayable  may be carried out twice  policy never
    private static let table: [(String, repeats: Bool)] = [
        ("- - - - - - y", false),
        ("n - - - - - -", false),
        ("- - y - - - -", false),
        ("- - - y - - -", false),
        ("- - - - n - -", false),
        ("- n - - - - -", true),
        ("- y - - - y -", true),
        ("- y - - - n -", false),
    ]

    private func expectation(_ evidence: Evidence) throws -> Bool {
        let word = evidence.policy == .always || evidence.policy == .automatic && evidence.hasIdempotencyKey
        let byMethod = ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(evidence.method)
        let facts = [
            evidence.wasConnectionReused, evidence.wasSent, evidence.wasAnswered, evidence.wasRepeated,
            evidence.isContentReplayable, word || byMethod, evidence.policy == .never,
        ]
        let line = Self.table.first { line in
            zip(line.0.split(separator: " "), facts).allSatisfy { $0 == "-" || ($0 == "y") == $1 }
        }
        return try #require(line).repeats
    }

    @Test func `every combination is decided as in the table`() throws {
        var repeats = 0
        for evidence in Self.everything {
            let expected = try expectation(evidence)
            #expect(RepeatRule().repeats(evidence) == expected, "\(evidence)")
            repeats += expected ? 1 : 0
        }
        // On a reused connection, unanswered, replayable, for the first time: whatever was not sent; of what was, all
        // under the policy always, all that has a key, and the six methods.
        #expect(repeats == 11 * 2 * 2 + 11 * 2 + 11 + 6)
    }

    @Test func `switched off, nothing is repeated`() {
        #expect(Self.everything.allSatisfy { !RepeatRule(isEnabled: false).repeats($0) })
    }

    @Test func `nothing is repeated transparently that the caller must not retry`() {
        for evidence in Self.everything where RepeatRule().repeats(evidence) {
            #expect(RepeatRule.isSafeToRepeat(evidence))
        }
    }

    @Test func `what was not sent may always be asked again`() {
        #expect(Self.everything.filter { !$0.wasSent }.allSatisfy(RepeatRule.isSafeToRepeat))
    }

    @Test(arguments: [
        ("GET", false, RepeatPolicy.automatic, true), ("GET", true, .never, false), ("GET", false, .always, true),
        ("PUT", false, .automatic, true), ("DELETE", false, .automatic, true), ("POST", false, .automatic, false),
        ("POST", true, .automatic, true), ("PATCH", true, .automatic, true), ("PATCH", false, .automatic, false),
        ("POST", false, .always, true), ("POST", true, .never, false), ("get", false, .automatic, false),
        ("CONNECT", false, .automatic, false),
    ])
    func `what was sent may be asked again if it does no harm twice`(
        _ method: String, _ hasKey: Bool, _ policy: RepeatPolicy, _ isSafe: Bool
    ) {
        for bits in 0..<16 {
            let evidence = Evidence(
                method: method, hasIdempotencyKey: hasKey, policy: policy, isContentReplayable: bits & 1 != 0,
                wasConnectionReused: bits & 2 != 0, wasSent: true, wasAnswered: bits & 4 != 0,
                wasRepeated: bits & 8 != 0)
            #expect(RepeatRule.isSafeToRepeat(evidence) == isSafe)
        }
    }
}
