// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

struct RevocationCheckQuestionsTests {
    private let root: CertificateAuthority
    private let issuer: CertificateAuthority
    private let leaf: Identity
    private let now = Timestamp.now

    init() throws {
        root = try CertificateAuthority()
        issuer = try root.issueIntermediate()
        leaf = try issuer.issue(
            LeafRequest(
                dnsNames: ["localhost"],
                extensions: [
                    CertificateExtension(
                        "authorityInfoAccess", "OCSP;URI:http://ocsp.test/a,OCSP;URI:https://no.test/"),
                    CertificateExtension("crlDistributionPoints", "URI:http://crl.test/b"),
                ]))
    }

    private func judge(_ flags: RevocationFlags = .useAnyAvailableMethod, staple: [UInt8]? = nil) throws
        -> ServerTrustResult
    {
        var trust = try ServerTrust(leaf, anchors: [root.certificate()], time: now)
        trust.revocation = RevocationData(stapledResponse: staple.map(OCSPResponse.init))
        return ServerTrustPolicy.performRevokedEvaluation(validateHost: true, revocationFlags: flags)
            .evaluate(trust, host: "localhost")
    }

    @Test func `a certificate that names many places has the first two of a kind asked`() throws {
        let urls = (1...5).map { "URI:http://crl.test/\($0)" }.joined(separator: ",")
        let many = try issuer.issue(LeafRequest(extensions: [CertificateExtension("crlDistributionPoints", urls)]))
        let questions = RevocationCheck.questions(
            about: try many.certificate(), issuedBy: try issuer.certificate(), .crl)
        #expect(questions == [.list(url: "http://crl.test/1"), .list(url: "http://crl.test/2")])
    }

    @Test func `what is missing comes back as questions, in the order of the flags`() throws {
        func urls(_ flags: RevocationFlags) throws -> [String] {
            try #require(try judge(flags).revocation.first).questions.map(\.url)
        }
        #expect(try urls(.useAnyAvailableMethod) == ["http://ocsp.test/a", "http://crl.test/b"])
        #expect(try urls([.useAnyAvailableMethod, .preferCRL]) == ["http://crl.test/b", "http://ocsp.test/a"])
        #expect(try urls(.ocsp) == ["http://ocsp.test/a"])
        #expect(try urls(.crl) == ["http://crl.test/b"])
        #expect(try urls([.useAnyAvailableMethod, .networkAccessDisabled]) == [])
        let loud = try issuer.issue(
            LeafRequest(extensions: [CertificateExtension("crlDistributionPoints", "URI:HTTP://crl.test/b")]))
        var trust = try ServerTrust(loud, anchors: [root.certificate()], time: now)
        trust.revocation = RevocationData()
        let result = ServerTrustPolicy.performRevokedEvaluation(validateHost: false, revocationFlags: .crl)
            .evaluate(trust, host: "localhost")
        #expect(result.revocation.first?.questions.map(\.url) == ["HTTP://crl.test/b"])
        let staple = try issuer.ocspResponse(about: leaf, .good)
        #expect(try #require(try judge(staple: staple).revocation.first).questions.isEmpty)
    }
}
