// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import TernTesting
import Testing

@testable import TernTLS

/// Each limit from both sides: at it a server is accepted, one beyond it refused by the name of the limit.
struct EvaluationLimitTests {
    private let root: CertificateAuthority
    private let policy = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)

    init() throws { root = try CertificateAuthority(commonName: "Root") }

    private func rule(_ leaf: Identity, _ more: [X509Certificate] = []) throws -> String {
        policy.evaluate(try ServerTrust(leaf, more, anchors: [root.certificate()]), host: "localhost").rule
    }

    private func names(_ count: Int) -> [String] { ["localhost"] + (1..<count).map { "a\($0).b" } }

    @Test(arguments: [(0, "accepted"), (1, "name-count")])
    func `the number of names of a certificate is limited`(excess: Int, expected: String) throws {
        let count = EvaluationLimit.names.maximum + excess
        #expect(try rule(root.issue(LeafRequest(dnsNames: names(count)))) == expected)
    }

    @Test(arguments: [(0, "accepted"), (1, "certificate-count")])
    func `the number of certificates is limited`(excess: Int, expected: String) throws {
        let stranger = try CertificateAuthority().certificate()
        let more = Array(repeating: stranger, count: EvaluationLimit.certificates.maximum - 1 + excess)
        #expect(try rule(root.issue(), more) == expected)
        let pin = ServerTrustPolicy.pinPublicKeys(
            publicKeys: [stranger.publicKey], validateCertificateChain: false, validateHost: false)
        let trust = try ServerTrust(root.issue(), more, anchors: [root.certificate()])
        #expect(pin.evaluate(trust, host: "localhost").rule == (excess == 0 ? "key-not-pinned" : expected))
    }

    @Test(arguments: [(30_000, "accepted"), (52_000, "certificate-list-size")])
    func `the number of bytes of certificates is limited`(size: Int, expected: String) throws {
        let text = String(repeating: "x", count: size)
        let extensions = [CertificateExtension("1.3.6.1.4.1.99999.1", "ASN1:UTF8String:" + text)]
        let large = try CertificateAuthority(AuthorityRequest(commonName: "Large", extensions: extensions))
        #expect(try rule(root.issue(), [large.certificate(), large.certificate()]) == expected)
    }

    @Test(arguments: [(255, "accepted"), (256, "name-part-count")])
    func `the number of parts of a subject is limited`(more: Int, expected: String) throws {
        let leaf = try root.issue()
        let long = try leaf.certificate().withParts(more, signedBy: root)
        let trust = ServerTrust(sentChain: [long], anchors: .only([try root.certificate()]))
        #expect(policy.evaluate(trust, host: "localhost").rule == expected)
    }

    @Test(arguments: [(0, "accepted"), (1, "name-constraint-count")])
    func `the number of an authority's name constraints is limited`(excess: Int, expected: String) throws {
        let count = EvaluationLimit.constraints.maximum + excess
        let list = (1..<count).map { "excluded;DNS:\($0).b" }.joined(separator: ",")
        let authority = try root.issueIntermediate(
            AuthorityRequest(
                commonName: "Narrow",
                extensions: [CertificateExtension("nameConstraints", "critical,permitted;DNS:localhost," + list)]))
        #expect(try rule(authority.issue(LeafRequest(dnsNames: ["localhost"]))) == expected)
    }

    @Test(arguments: [(0, "accepted"), (1, "policy-count")])
    func `the number of policies of a certificate is limited, where policies count`(excess: Int, expected: String)
        throws
    {
        let count = EvaluationLimit.policies.maximum + excess
        // 1.2.3.128 and so on.
        var list: [UInt8] = []
        for number in 128..<(128 + count) {
            list += [0x30, 6, 6, 4, 0x2a, 3, UInt8(0x80 | number >> 7), UInt8(number & 0x7f)]
        }
        let whole: [UInt8] = [0x30, 0x82, UInt8(list.count >> 8), UInt8(list.count & 0xff)] + list
        let policies = CertificateExtension("certificatePolicies", "DER:" + whole.map(hexadecimal).joined())
        let demand = CertificateExtension("policyConstraints", "critical,requireExplicitPolicy:0")
        let (any, free) = (
            try root.issueIntermediate(AuthorityRequest(commonName: "Demanding", extensions: [policies, demand])),
            try root.issueIntermediate(AuthorityRequest(commonName: "Free"))
        )
        let request = LeafRequest(dnsNames: ["localhost"], extensions: [policies])
        // The first of them is enough below: OpenSSL follows a thousand in all.
        let first = CertificateExtension("certificatePolicies", "DER:3008300606042a038100")
        #expect(try rule(any.issue(LeafRequest(dnsNames: ["localhost"], extensions: [first]))) == expected)
        #expect(try rule(free.issue(request)) == "accepted")
    }

    @Test func `the work of a search is limited`() throws {
        // Seven authorities that all signed each other, and none that anybody trusts: some 2,000 paths.
        let tops = try (0..<7).map { try CertificateAuthority(AuthorityRequest(commonName: "A\($0)", key: .p384)) }
        var sent: [X509Certificate] = []
        for signer in tops {
            for other in tops where other !== signer { sent.append(try signer.crossSign(other).certificate()) }
        }
        #expect(try rule(tops[0].issue(), sent) == "evaluation-work")
        // Five are searched through.
        let few = try sent.filter { certificate in
            try tops.prefix(5).contains { try $0.certificate().subject == certificate.subject }
                && tops.prefix(5).contains { try $0.certificate().subject == certificate.issuer }
        }
        #expect(try rule(tops[0].issue(), few) == "missing-issuer")
    }

    @Test func `look-alikes and many names buy no more work than the limit`() throws {
        // Twenty certificates of one authority below twenty of another: 400 paths. Each used to look at the leaf's
        // names.
        let bare = ["subjectKeyIdentifier", "authorityKeyIdentifier"].map { CertificateExtension($0, nil) }
        let (lower, upper) = (try CertificateAuthority(commonName: "I"), try CertificateAuthority(commonName: "J"))
        let top = try CertificateAuthority(commonName: "K")
        var sent: [X509Certificate] = []
        for _ in 0..<20 {
            sent.append(try upper.crossSign(lower, AuthorityRequest(commonName: "I", extensions: bare)).certificate())
            sent.append(try top.crossSign(upper, AuthorityRequest(commonName: "J", extensions: bare)).certificate())
        }
        let leaf = try lower.issue(
            LeafRequest(
                commonName: "0x01.1", dnsNames: names(4000), ipAddresses: ["10.0.0.1"],
                extensions: [CertificateExtension("authorityKeyIdentifier", nil)]))
        let trust = try ServerTrust(leaf.sending(chainPEM: leaf.certificatePEM), sent, anchors: [root.certificate()])
        let start = ThreadClock.now
        #expect(!policy.evaluate(trust, host: "localhost").isAccepted)
        let duration = ThreadClock.now - start
        // Without optimisation, and far below the four seconds and more that it took.
        #expect(duration < .seconds(1), "\(duration)")
    }
}

extension X509Certificate {
    /// The same with a subject of `count` parts more.
    fileprivate func withParts(_ count: Int, signedBy authority: CertificateAuthority) throws -> X509Certificate {
        let copy = unsafe try #require(X509_dup(x509.pointer))
        let subject = unsafe X509_get_subject_name(copy)
        for _ in 0..<count {
            unsafe X509_NAME_add_entry_by_txt(subject, "OU", MBSTRING_ASC, [UInt8(ascii: "x")], 1, -1, 0)
        }
        // The bytes are lent to the BIO, which ends before they do.
        let key = unsafe Array(authority.privateKeyPEM.utf8).withUnsafeBytes { bytes in
            let bio = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
            defer { unsafe BIO_free(bio) }
            return unsafe PEM_read_bio_PrivateKey(bio, nil, nil, nil)
        }
        defer { unsafe EVP_PKEY_free(key) }
        #expect(unsafe X509_sign(copy, key, EVP_sha256()) > 0)
        return try X509Certificate(der: unsafe X509Reference(owning: copy).der)
    }
}

struct EvaluationBudgetTests {
    @Test func `work is done as long as it fits, to the last unit`() {
        var budget = EvaluationBudget(10)
        #expect(budget.spend(4) == true)
        #expect(budget.canSpend(6))
        #expect(!budget.canSpend(7))
        #expect(budget.spend(6) == true)
        #expect(budget.left == 0)
        #expect(!budget.isExceeded)
    }

    @Test func `after work that did not fit nothing is done, however small`() {
        var budget = EvaluationBudget(10)
        #expect(budget.spend(11) == false)
        #expect(budget.isExceeded)
        #expect(budget.left == 10)
        #expect(budget.spend(1) == false)
        #expect(!budget.canSpend(0))
    }
}
