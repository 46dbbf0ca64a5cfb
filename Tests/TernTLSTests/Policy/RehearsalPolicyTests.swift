// SPDX-License-Identifier: Apache-2.0
import TernTLS
import TernTesting
import Testing

/// Policies that are evaluated beside those that decide.
struct RehearsalPolicyTests: PinnedServerSuite {
    let server: PinnedServer

    init() throws { server = try PinnedServer() }

    @Test func `only the enforced policy decides, and the verdict of the other is told`() {
        let refuses = ServerTrustPolicy.composite([])
        for (next, enforced) in [(right, right), (right, wrong), (wrong, right), (wrong, refuses), (refuses, right)] {
            let alone = enforced.evaluate(trust, host: "example.com")
            let result = ServerTrustPolicy.rehearsal(of: next, enforcing: enforced).evaluate(trust, host: "example.com")
            #expect(result.verdict == alone.verdict)
            #expect(result.verifiedChain == alone.verifiedChain)
            #expect(result.isChainValidated == alone.isChainValidated)
            #expect(result.waived == nil)
            #expect(result.policy == alone.policy)
            #expect(result.rehearsed?.verdict == next.evaluate(trust, host: "example.com").verdict)
        }
    }

    @Test func `a policy that only reports still validates chain and host`() {
        let policy = ServerTrustPolicy.reportOnly(wrong)
        let accepted = policy.evaluate(trust, host: "example.com")
        #expect(accepted.isAccepted)
        #expect(accepted.rehearsed?.rule == "key-not-pinned")
        #expect(policy.evaluate(trust, host: "example.org").rule == "name-mismatch")
        #expect(
            ServerTrustPolicy.reportOnly(.disableEvaluation).evaluate(trust, host: "example.org").isAccepted == false)
    }

    @Test func `a rehearsal within a composite is told, and the others still decide`() {
        let rehearsal = ServerTrustPolicy.rehearsal(of: wrong, enforcing: right)
        let accepted = ServerTrustPolicy.composite([right, rehearsal]).evaluate(trust, host: "example.com")
        #expect(accepted.isAccepted)
        #expect(accepted.rehearsed?.rule == "key-not-pinned")
        #expect(!ServerTrustPolicy.composite([rehearsal, wrong]).evaluate(trust, host: "example.com").isAccepted)
    }

    @Test func `the policies of hosts are rehearsed for each host, with their rule that every host must have one`() {
        let rehearsal = TrustRehearsal(
            of: ServerTrustPolicyManager(policies: ["example.com": wrong], allHostsMustBeEvaluated: true),
            enforcing: ServerTrustPolicyManager(policies: ["example.com": right]))
        let pinned = rehearsal.evaluate(trust, host: "example.com")
        #expect(pinned.isAccepted)
        #expect(pinned.rehearsed?.rule == "key-not-pinned")
        #expect(rehearsal.evaluate(trust, host: "www.example.com").rehearsed?.rule == "no-policy")
        let strict = TrustRehearsal(
            of: ServerTrustPolicyManager(policies: ["example.com": right]),
            enforcing: ServerTrustPolicyManager(policies: [:], allHostsMustBeEvaluated: true))
        #expect(strict.evaluate(trust, host: "example.com").failure?.reason == .noRequiredEvaluator)
    }

    @Test func `a report counts hosts, and names those that would be refused and those that would recover`() {
        let rehearsal = TrustRehearsal(
            of: ServerTrustPolicyManager(policies: ["example.com": wrong, "www.example.com": .disableEvaluation]),
            enforcing: ServerTrustPolicyManager(policies: ["example.com": right]))
        for host in ["example.com", "www.example.com", "example.com", "example.org"] {
            rehearsal.record(rehearsal.evaluate(trust, host: host))
        }
        // Not rehearsed.
        rehearsal.record(right.evaluate(trust, host: "other.example"))
        let report = rehearsal.report
        #expect(report.hosts == 3)
        #expect(report.refused.mapValues(\.rule) == ["example.com": "key-not-pinned"])
        #expect(report.recovered == ["www.example.com"])
        #expect(
            "\(report)" == "the next policies would refuse 1 of 3 servers: example.com (key-not-pinned); "
                + "they would accept www.example.com, refused now")
    }

    @Test func `servers of one host are told apart, and the worst verdict about each stays beside the last`() {
        let rehearsal = TrustRehearsal(
            of: ServerTrustPolicyManager(policies: [
                "example.com": wrong, "www.example.com": right, "c.test": .disableEvaluation,
            ]),
            enforcing: ServerTrustPolicyManager(policies: ["example.com": right, "www.example.com": right]))
        var expired = trust
        expired.time = .max
        func record(_ trust: ServerTrust, _ host: String, _ port: UInt16 = 443) {
            rehearsal.record(rehearsal.evaluate(trust, host: host), port: port)
        }
        // Refused by both: it neither is refused newly nor recovers.
        record(expired, "www.example.com", 8443)
        #expect(rehearsal.report.refused.isEmpty && rehearsal.report.recovered.isEmpty && rehearsal.report.mayGoAhead)
        record(trust, "example.com")
        record(expired, "example.com", 8443)
        record(trust, "c.test")
        record(trust, "c.test", 8443)
        #expect(rehearsal.report.refused.mapValues(\.rule) == ["example.com": "key-not-pinned"])
        #expect(rehearsal.report.recovered == ["c.test", "c.test:8443"])
        #expect(rehearsal.report.hosts == 5 && !rehearsal.report.mayGoAhead)
    }

    @Test func `the next policies are rehearsed by their own rules for chains`() throws {
        let manager = ServerTrustPolicyManager(policies: [:], maximumPathDepth: 0)
        let rehearsal = TrustRehearsal(of: manager)
        let chain = try CertificateAuthority()
        let behind = try ServerTrust(chain.issueIntermediate().issue(), anchors: [chain.certificate()])
        let result = rehearsal.evaluate(behind, host: "localhost")
        #expect(result.isAccepted && result.rehearsed?.rule == manager.evaluate(behind, host: "localhost").rule)
        #expect(result.rehearsed?.rule == "chain-too-long")
    }

    @Test func `hosts beyond the maximum are not counted`() {
        let rehearsal = TrustRehearsal(of: ServerTrustPolicyManager(policies: [:]))
        let policy = ServerTrustPolicy.rehearsal(of: .disableEvaluation, enforcing: .disableEvaluation)
        for number in 0...TrustRehearsal.maximumHosts { rehearsal.record(policy.evaluate(trust, host: "h\(number)")) }
        #expect(rehearsal.report.hosts == TrustRehearsal.maximumHosts)
        #expect(rehearsal.report.refused.isEmpty)
    }
}
