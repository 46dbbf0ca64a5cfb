// SPDX-License-Identifier: Apache-2.0
import Tern
import TernEngine
import TernTLS
import TernTesting
import Testing

@testable import TernCLI

@Suite struct TrustRuleTests {
    private let trust: ServerTrust
    private let notAfter: Int64 = 1_700_000_000

    init() throws {
        let authority = try CertificateAuthority(
            AuthorityRequest(
                commonName: "Root", validity: Validity(notBefore: 1_000_000_000, notAfter: 2_000_000_000)))
        let leaf = try authority.issue(
            LeafRequest(
                dnsNames: ["a.test"], validity: Validity(notBefore: 1_600_000_000, notAfter: notAfter)))
        trust = ServerTrust(
            sentChain: [try X509Certificate(pem: leaf.certificatePEM)],
            anchors: .only([try X509Certificate(pem: authority.certificatePEM)]), time: notAfter)
    }

    private let rule = TrustRule.policy(.performDefaultEvaluation(validateHost: true))

    @Test func `a moment within the last second is after the end`() {
        #expect(rule.evaluate(trust, host: "a.test", isBetweenSeconds: false).isAccepted)
        #expect(rule.evaluate(trust, host: "a.test", isBetweenSeconds: true).rule == "expired")
    }

    @Test func `without a host no name is checked`() {
        #expect(rule.evaluate(trust, host: "b.test", isBetweenSeconds: false).rule == "name-mismatch")
        #expect(rule.evaluate(trust, host: nil, isBetweenSeconds: false).isAccepted)
    }

    @Test func `another policy must accept, too`() {
        let no = ServerTrustPolicy.customEvaluation { _, _ in false }
        #expect(rule.evaluate(trust, host: "a.test", isBetweenSeconds: false, and: no).rule == "custom-evaluation")
    }

    @Test func `a policy file evaluates listed hosts by their rules, and others by the default one`() {
        let no = ServerTrustPolicy.customEvaluation { _, _ in false }
        let rule = TrustRule.manager(ServerTrustPolicyManager(policies: ["a.test": no]))
        #expect(rule.evaluate(trust, host: "a.test", isBetweenSeconds: false).rule == "custom-evaluation")
        #expect(rule.evaluate(trust, host: nil, isBetweenSeconds: false).isAccepted)
    }
}
