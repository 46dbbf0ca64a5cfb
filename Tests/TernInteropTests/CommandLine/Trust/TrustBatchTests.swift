// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernTLS
import TernTesting
import TestPrograms
import Testing

@testable import TernCLI

/// `tern trust evaluate --batch`, as programs drive it.
@Suite struct TrustBatchTests {
    struct Verdict: Decodable, Equatable {
        let id: String?
        let verdict: String
        let reason: String
        let detail: String
    }

    private struct Fixtures {
        let authority: CertificateAuthority
        let intermediate: CertificateAuthority
        let leaf: Identity

        init() throws {
            authority = try CertificateAuthority()
            intermediate = try authority.issueIntermediate()
            leaf = try intermediate.issue(
                LeafRequest(dnsNames: ["example.com", "*.example.com"], ipAddresses: ["127.0.0.1"]))
        }

        /// A good case.
        var good: [String: Any] {
            [
                "id": "good", "host": "www.example.com",
                "chain": [leaf.certificatePEM, intermediate.certificatePEM], "anchors": [authority.certificatePEM],
            ]
        }

        func good(_ changes: [String: Any?]) -> [String: Any] {
            var fields = good
            for (name, value) in changes { fields[name] = value }
            return fields
        }
    }

    /// Runs the batch over `lines` and takes its verdicts apart.
    private func verdicts(_ lines: [String]) async throws -> [Verdict] {
        let folder = try TemporaryFolder()
        let file = try folder.write(lines.joined(separator: "\n"), to: "cases.jsonl")
        let result = try await TernTool.run("trust", "evaluate", "--batch", file)
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
        return try result.text.split(separator: "\n").map {
            try JSONDecoder().decode(Verdict.self, from: Data($0.utf8))
        }
    }

    private func verdict(_ fields: [String: Any]) async throws -> Verdict {
        let all = try await verdicts([try Self.line(fields)])
        #expect(all.count == 1)
        return try #require(all.first)
    }

    private static func line(_ fields: [String: Any]) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: fields), as: UTF8.self)
    }

    @Test func `a verdict is one line, whatever a reader takes for the end of one`() async throws {
        let id = "a\u{85}b\u{2028}c\u{2029}d\u{b}e\"\\é😜"
        let folder = try TemporaryFolder()
        let file = try folder.write(try Self.line(["id": id]), to: "case.jsonl")
        let text = try await TernTool.run("trust", "evaluate", "--batch", file).text
        #expect(text.split(whereSeparator: \.isNewline).count == 1)
        #expect(try await verdict(["id": id]).id == id)
    }

    @Test func `a good chain is accepted, in one text or in several`() async throws {
        let fixtures = try Fixtures()
        #expect(try await verdict(fixtures.good).verdict == "accept")
        let joined = fixtures.good(["chain": [fixtures.leaf.chainPEM]])
        let accepted = try await verdict(joined)
        #expect(accepted.verdict == "accept")
        #expect(accepted.id == "good")
        #expect(accepted.reason == "accepted")
    }

    @Test func `the anchors given are the only ones, and the system's do not vouch for a test authority`()
        async throws
    {
        let fixtures = try Fixtures()
        #expect(try await verdict(fixtures.good(["anchors": nil])).reason == "missing-issuer")
        #expect(try await verdict(fixtures.good(["anchors": [String]()])).verdict == "refuse")
        let other = try CertificateAuthority().certificatePEM
        #expect(try await verdict(fixtures.good(["anchors": [other]])).reason == "missing-issuer")
        #expect(
            try await verdict(fixtures.good(["anchors": [other, fixtures.authority.certificatePEM]])).verdict
                == "accept")
    }

    @Test func `the host decides, and without one no name is checked`() async throws {
        let fixtures = try Fixtures()
        #expect(try await verdict(fixtures.good(["host": "example.org"])).reason == "name-mismatch")
        #expect(try await verdict(fixtures.good(["host": "127.0.0.1"])).verdict == "accept")
        #expect(try await verdict(fixtures.good(["host": "127.0.0.2"])).reason == "name-mismatch")
        #expect(try await verdict(fixtures.good(["host": "not a host"])).reason == "invalid-host")
        #expect(try await verdict(fixtures.good(["host": ""])).reason == "invalid-host")
        #expect(try await verdict(fixtures.good(["host": nil])).verdict == "accept")
        #expect(try await verdict(fixtures.good(["host": NSNull()])).verdict == "accept")
        #expect(try await verdict(fixtures.good(["host": nil, "chain": [String]()])).reason == "no-certificate")
    }

    @Test func `the time decides, and is read strictly`() async throws {
        let fixtures = try Fixtures()
        #expect(try await verdict(fixtures.good(["at": "2000-01-01T00:00:00Z"])).reason == "not-yet-valid")
        #expect(try await verdict(fixtures.good(["at": "2999-01-01T00:00:00.123+02:00"])).reason == "expired")
        for nonsense in ["2030-02-30T00:00:00Z", "2030-01-01 00:00:00Z", "2030-01-01", "now", "2030-01-01T00:00:00"] {
            #expect(try await verdict(fixtures.good(["at": nonsense])).reason == "malformed-case")
        }
    }

    @Test func `a moment between two seconds is evaluated exactly`() async throws {
        let authority = try CertificateAuthority()
        let leaf = try authority.issue(
            LeafRequest(validity: Validity(notBefore: 1_893_456_000, notAfter: 1_893_542_400)))
        let cases = [
            ("2029-12-31T23:59:59.999Z", "not-yet-valid"), ("2030-01-01T00:00:00Z", "accepted"),
            ("2030-01-01T00:00:00.5Z", "accepted"), ("2030-01-01T23:59:59.999999Z", "accepted"),
            ("2030-01-02T00:00:00.000Z", "accepted"), ("2030-01-02T00:00:00.000001Z", "expired"),
        ]
        let lines = try cases.map { at, _ in
            try Self.line([
                "at": at, "chain": [leaf.certificatePEM], "anchors": [authority.certificatePEM], "host": "localhost",
            ])
        }
        for (verdict, (at, expected)) in zip(try await verdicts(lines), cases) {
            #expect(verdict.reason == expected, "\(at): \(verdict)")
        }
    }

    @Test func `a policy is one rule, or a policy file's object`() async throws {
        let fixtures = try Fixtures()
        let (right, wrong) = (fixtures.leaf.pin, try CertificateAuthority().pin)
        let policies: [([String: Any], String)] = [
            (["pins": [right]], "accepted"), (["pins": [wrong]], "key-not-pinned"),
            (["pins": [wrong], "backupPins": [right]], "accepted"),
            (["pins": [wrong], "mode": "reportOnly"], "accepted-unpinned"),
            (["pins": [wrong], "expires": "2001-01-01"], "accepted-expired-pins"),
            (["pins": [fixtures.intermediate.pin], "scope": "leaf"], "key-not-pinned"),
            (["evaluation": "pinPublicKeys", "pins": [fixtures.authority.pin]], "accepted"),
            (["evaluation": "pinCertificates", "certificates": [fixtures.leaf.certificatePEM]], "accepted"),
            (["certificates": [try CertificateAuthority().certificatePEM]], "missing-issuer"),
            (["evaluation": "disableEvaluation"], "accepted"),
            (["evaluation": "performRevokedEvaluation"], "accepted"),
            (
                ["evaluation": "performRevokedEvaluation", "revocationFlags": ["crl", "requirePositiveResponse"]],
                "revocation-undetermined"
            ),
            (["evaluation": "composite", "policies": [["pins": [right]], ["pins": [wrong]]]], "key-not-pinned"),
            (["evaluation": "composite", "policies": [[String: Any]]()], "no-policy"),
            ([:], "accepted"), (["profile": "standard"], "accepted"),
            (["profile": "standard", "pins": [right]], "accepted"),
            (["pinSets": [["hosts": ["*.example.com"], "pins": [wrong]]]], "key-not-pinned"),
            (["pinSets": [["hosts": ["example.com"], "pins": [wrong]]]], "accepted"),
            (["maxPathDepth": 1], "accepted"), (["maxPathDepth": 0], "chain-too-long"),
            (["maxPathDepth": 0, "pinSets": [[String: Any]]()], "chain-too-long"),
            (["profile": "web", "pinSets": [[String: Any]]()], "common-name"), (["profile": "web"], "common-name"),
            (
                ["pinSets": [["hosts": ["example.com"], "pins": [right]]], "unlistedHosts": "refuse"],
                "no-required-evaluator"
            ),
        ]
        let lines = try policies.map { try Self.line(fixtures.good(["policy": $0.0])) }
        for (verdict, (policy, expected)) in zip(try await verdicts(lines), policies) {
            #expect(verdict.reason == expected, "\(policy)")
        }
    }

    @Test func `a policy that is not understood refuses`() async throws {
        let fixtures = try Fixtures()
        let policies: [[String: Any]] = [
            ["pins": [String]()], ["pins": ["md5/AAAA"]], ["pinz": [fixtures.leaf.pin]], ["evaluation": "trustMe"],
            ["profile": "none"], ["maxPathDepth": 11], ["maxPathDepth": "1"],
            ["evaluation": "performRevokedEvaluation", "revocationFlags": ["any"]],
            ["evaluation": "pinCertificates"], ["evaluation": "disableEvaluation", "validateHost": true],
            ["pins": fixtures.leaf.pin],
        ]
        for policy in policies {
            let verdict = try await verdict(fixtures.good(["policy": policy]))
            #expect(verdict.verdict == "refuse")
            #expect(verdict.reason == "malformed-policy", "\(policy): \(verdict.detail)")
        }
    }

    @Test func `an invalid case is refused in its position, and the batch continues`() async throws {
        let fixtures = try Fixtures()
        let good = try Self.line(fixtures.good)
        let lines = [
            good, "", "{", "[]", "null", "\u{FEFF}{}", #"{"id":"a","id":"b"}"#, #"{"id":"no chain"}"#,
            #"{"id":"chain is text","chain":"x"}"#, #"{"id":["x"],"chain":[]}"#, #"{"id":"garbage","chain":["x"]}"#,
            String(repeating: "[", count: 100_000), good,
        ]
        let all = try await verdicts(lines)
        #expect(all.count == lines.count - 1)
        #expect(all.first?.verdict == "accept")
        #expect(all.last?.verdict == "accept")
        #expect(all.dropFirst().dropLast().allSatisfy { $0.verdict == "refuse" && !$0.detail.isEmpty })
        #expect(all.compactMap(\.id) == ["good", "no chain", "chain is text", "garbage", "good"])
    }

    @Test func `broken certificates are refused by their place`() async throws {
        let fixtures = try Fixtures()
        let truncated = String(fixtures.leaf.certificatePEM.dropLast(200))
        let broken = try await verdict(fixtures.good(["chain": [fixtures.leaf.certificatePEM, truncated]]))
        #expect(broken.reason == "malformed-certificate")
        #expect(broken.detail.hasPrefix("chain[1]: "))
        let key = try await verdict(fixtures.good(["chain": [fixtures.leaf.privateKeyPEM]]))
        #expect(key.reason == "malformed-certificate")
        let anchor = try await verdict(fixtures.good(["anchors": ["x"]]))
        #expect(anchor.detail.hasPrefix("anchors[0]: "))
    }

    @Test func `numbers are good for ids`() async throws {
        let fixtures = try Fixtures()
        let folder = try TemporaryFolder()
        let file = try folder.write(try Self.line(fixtures.good(["id": 7])), to: "cases.jsonl")
        let result = try await TernTool.run("trust", "evaluate", "--batch", file)
        #expect(try result.object()["id"] as? Int == 7)
    }

    @Test func `a line that is too long is refused by that name, and the batch continues`()
        async throws
    {
        let fixtures = try Fixtures()
        let long = fixtures.good([
            "chain": [fixtures.leaf.certificatePEM]
                + Array(repeating: fixtures.intermediate.certificatePEM, count: 100)
        ])
        let large = fixtures.good(["chain": [String(repeating: "A", count: 1 << 20)]])
        let all = try await verdicts([try Self.line(long), try Self.line(large), try Self.line(long)])
        #expect(all.map(\.verdict) == ["accept", "refuse", "accept"])
        #expect(all.map(\.reason)[1] == "line-too-long")
    }

    @Test func `ten thousand cases need no more memory than a thousand, and each is answered before more are read`()
        async throws
    {
        let fixtures = try Fixtures()
        let (good, bad) = (try Self.line(fixtures.good), try Self.line(fixtures.good(["host": "example.org"])))
        let batch = try InteractiveBatch()
        let hundred = (0..<100).map { $0.isMultiple(of: 2) ? good : bad }
        var peaks: [Int] = []
        for round in 1...100 {
            #expect(try await batch.answer(hundred))
            if round == 10 || round == 100 { peaks.append(try batch.peakKilobytes()) }
        }
        #expect(await batch.end() == .exited(0))
        #expect(peaks[1] - peaks[0] < 4096)
    }

    @Test func `the help lists the members of a case`() async throws {
        let help = try await TernTool.run("trust", "evaluate", "--help").text
        let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("of which all but chain are optional"))
        #expect(try await verdicts([Self.line(["chain": []])]).map(\.reason) == ["no-certificate"])
    }

    @Test func `wrong usage exits 2`() async throws {
        #expect(try await TernTool.run("trust", "evaluate", "--batch", "/nowhere/cases.jsonl").status == 2)
        #expect(try await TernTool.run("trust", "evaluate", "--batch", "-", "--host", "example.com").status == 2)
    }
}

@Suite struct BatchVerdictTests {
    private func id(_ json: String) throws -> BatchVerdict.ID {
        var fields = try JSONFields(reading: Array("{\"id\": \(json)}".utf8))
        return try BatchVerdict.ID(fields.require("id"))
    }

    @Test(arguments: ["7", "-1.50e3", "\"a\"", #""a\"b""#, #""a\u2028b""#])
    func `an id is echoed as it was given`(json: String) throws { #expect(try id(json).json == json) }

    @Test(arguments: ["true", "[]", "{}"]) func `an id is a string or a number`(json: String) {
        #expect(throws: Malformed.self) { try id(json) }
    }

    @Test func `an invalid case is refused with its reason, on one line`() {
        let verdict = BatchVerdict(id: nil, Malformed(detail: "a\nb"))
        #expect(
            verdict.json == #"{"id":null,"verdict":"refuse","reason":"malformed-case","detail":"a\nb"}"#)
    }

    @Test func `a verdict has the rule and the sentence of its result`() throws {
        let trust = ServerTrust(sentChain: [], anchors: .only([]), time: 0)
        let result = ServerTrustPolicy.performDefaultEvaluation(validateHost: true).evaluate(trust, host: "a.test")
        #expect(
            try BatchVerdict(id: id("1"), result).json
                == #"{"id":1,"verdict":"refuse","reason":"no-certificate","detail":"the server presented no certificate"}"#
        )
    }
}

@Suite struct MalformedTests {
    private func malformed(_ name: String, _ json: String) throws -> Malformed {
        var fields = try JSONFields(reading: Array("{\"\(name)\": \(json)}".utf8))
        let element = try fields.require(name)
        return Malformed(try #require(throws: PolicyFileError.self) { try element.string() })
    }

    @Test func `the word depends on the field, and the detail names it`() throws {
        let host = try malformed("host", "7")
        #expect(host.reason == "malformed-case")
        #expect(host.detail.hasPrefix("host: "))
        #expect(try malformed("policy", "7").reason == "malformed-policy")
        #expect(Malformed.tooLong(limit: 5).reason == "line-too-long")
        #expect(Malformed.tooLong(limit: 5).detail == "the line is longer than 5 bytes")
    }

    @Test func `a broken certificate is one wherever it is`() throws {
        var fields = try JSONFields(reading: Array("{\"policy\": \"no PEM\"}".utf8))
        let element = try fields.require("policy")
        let error = try #require(throws: PolicyFileError.self) { try element.pemCertificates() }
        #expect(Malformed(error).reason == "malformed-certificate")
    }
}
