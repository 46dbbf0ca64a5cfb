// SPDX-License-Identifier: Apache-2.0
import TernTLS
import TernTesting
import Testing

struct CertificateFindingsTests {
    private func result(_ leaf: LeafRequest, by intermediate: AuthorityRequest, host: String) throws
        -> ServerTrustResult
    {
        let authority = try CertificateAuthority()
        let identity = try authority.issueIntermediate(intermediate).issue(leaf)
        return ServerTrustPolicy.performDefaultEvaluation(validateHost: true)
            .evaluate(try ServerTrust(identity, anchors: [try authority.certificate()]), host: host)
    }

    @Test func `every certificate of a verified chain is described`() throws {
        let constraints = CertificateExtension("nameConstraints", "critical,permitted;DNS:good.test")
        let result = try result(
            LeafRequest(dnsNames: ["www.good.test"], key: .rsa(bits: 2048), validity: .days(-1, to: 10)),
            by: AuthorityRequest(commonName: "Middle", extensions: [constraints]), host: "www.good.test")
        #expect(result.isAccepted)
        #expect(result.chain == .verified)
        let findings = result.findings
        #expect(findings.map(\.role) == [.leaf, .intermediate, .anchor])
        #expect(findings.map(\.depth) == [0, 1, 2])
        #expect(findings.map(\.isAuthority) == [false, true, true])
        #expect(findings.map(\.publicKey) == result.verifiedKeys)
        #expect(findings[0].key == "RSA 2048")
        #expect(findings[0].keySecurityBits == 112)
        #expect(findings[0].names == [.dns("www.good.test")])
        #expect(findings[0].extendedKeyUsage == "TLS Web Server Authentication")
        #expect([.current(daysLeft: 10), .current(daysLeft: 9)].contains(findings[0].dates))
        #expect(findings[1].key == "EC prime256v1")
        #expect(findings[1].keySecurityBits == 128)
        #expect(findings[1].signature == "ecdsa-with-SHA256")
        #expect(findings[1].signatureSecurityBits == 128)
        #expect(findings[1].nameConstraints?.contains("DNS:good.test") == true)
        #expect(findings[1].basicConstraints?.contains("CA:TRUE") == true)
        #expect(findings.allSatisfy { $0.failure == nil })
    }

    @Test func `the failure stands beside the certificate it is about`() throws {
        let result = try result(
            LeafRequest(dnsNames: ["good.test"]), by: AuthorityRequest(commonName: "Old", validity: .expired),
            host: "good.test")
        #expect(result.chain == .sent)
        #expect(result.findings.map(\.failure?.rule) == [nil, "expired"])
        #expect(result.findings.map(\.dates).last == .expired)
    }

    @Test func `bytes that would steer a terminal do not come through`() throws {
        let policies = CertificateExtension("nameConstraints", "permitted;DNS:a\u{1B}[31mb.test")
        let result = try result(
            LeafRequest(dnsNames: ["good.test"]), by: AuthorityRequest(commonName: "Red", extensions: [policies]),
            host: "good.test")
        let text = try #require(result.findings.last { $0.nameConstraints != nil }?.nameConstraints)
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 })
    }

    @Test func `of nothing there is nothing to say`() {
        let trust = ServerTrust(sentChain: [], anchors: .only([]), time: 0)
        #expect(ServerTrustPolicy.disableEvaluation.evaluate(trust, host: "x.test").findings.isEmpty)
    }
}
