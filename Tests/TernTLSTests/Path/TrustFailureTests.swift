// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import TernTesting
import Testing

@testable import TernTLS

struct TrustFailureTests {
    private let root: CertificateAuthority
    private let policy = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)

    init() throws { root = try CertificateAuthority(commonName: "Root") }

    @Test func `the rules of the caller are told from those of every client`() {
        let own: [TrustFailure.Reason] = [
            .keyNotPinned(pins: []), .certificateNotPinned(pins: []), .noRequiredEvaluator, .noPolicy,
            .customEvaluation,
            .delegate,
        ]
        #expect(own.allSatisfy { $0.kind.isOfCaller })
        let others: [TrustFailure.Reason] = [
            .untrustedRoot, .nameMismatch(presented: []), .rule(.validityPeriod), .revoked(at: nil),
            .revocationUndetermined, .revocationNotAsked, .other,
        ]
        #expect(others.allSatisfy { !$0.kind.isOfCaller })
    }

    @Test func `a failure names the place and the certificate`() throws {
        let certificate = try root.certificate()
        func text(_ reason: TrustFailure.Reason) -> String {
            TrustFailure(reason, host: "a.test", depth: 2, certificate: certificate, seen: []).description
        }
        #expect(text(.weakKey) == "a.test is not trusted: the key of certificate 2 (CN=Root) is too weak")
        #expect(text(.expired(notAfter: 0)).contains("certificate 2 (CN=Root) expired at 1970-01-01"))
        #expect(text(.missingIssuer).contains("the issuer (CN=Root) of certificate 2 (CN=Root)"))
        #expect(text(.revoked(at: nil)).hasSuffix("was revoked"))
        #expect(text(.keyNotPinned(pins: [])).hasSuffix("no key is pinned, so none can match"))
    }

    @Test func `a host that is endless makes no long message`() {
        let host = String(repeating: "x", count: 10_000)
        #expect(TrustFailure(.noCertificate, host: host, seen: []).description.utf8.count < 200)
    }

    @Test func `an error lists only some of many names`() throws {
        let names = (0..<1000).map { "\($0).test" } + [String(repeating: "x", count: 5000)]
        let leaf = try root.issue(LeafRequest(dnsNames: names))
        let result = policy.evaluate(try ServerTrust(leaf, anchors: [root.certificate()]), host: "localhost")
        let failure = try #require(result.failure)
        #expect(failure.description.hasSuffix("0.test, DNS:1.test, DNS:2.test, DNS:3.test, DNS:4.test and 996 more"))
        #expect("\(TLSError(.trust(failure)))".utf8.count < 500 && result.explanation.utf8.count < 1000)
    }
}

struct TrustFailureProblemTests {
    private let store: TrustStore
    private let certificate: X509Certificate

    init() throws {
        certificate = try CertificateAuthority().certificate()
        store = TrustStore([certificate])
    }

    private func failure(_ finding: PathProblem.Finding, in store: TrustStore? = nil) -> TrustFailure {
        TrustFailure(
            PathProblem(finding, depth: 1, certificate: certificate), host: "a.test", store: store ?? self.store,
            sent: [certificate])
    }

    @Test(arguments: [
        (X509_V_ERR_IP_ADDRESS_MISMATCH, "name-mismatch"), (X509_V_ERR_CERT_HAS_EXPIRED, "expired"),
        (X509_V_ERR_CERT_NOT_YET_VALID, "not-yet-valid"), (X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, "untrusted-root"),
        (X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, "missing-issuer"),
        (X509_V_ERR_PATH_LENGTH_EXCEEDED, "invalid-authority"), (X509_V_ERR_EXCLUDED_VIOLATION, "name-constraint"),
        (X509_V_ERR_EE_KEY_TOO_SMALL, "weak-key"), (X509_V_ERR_CA_MD_TOO_WEAK, "weak-signature"),
        (X509_V_ERR_CERT_SIGNATURE_FAILURE, "invalid-signature"), (X509_V_ERR_NO_EXPLICIT_POLICY, "certificate-policy"),
        (X509_V_ERR_CERT_CHAIN_TOO_LONG, "chain-too-long"), (X509_V_ERR_OUT_OF_MEM, "other"),
    ])
    func `OpenSSL's code becomes a rule and stays readable`(code: Int32, rule: String) {
        let failure = failure(.openSSL(code))
        #expect(failure.rule == rule)
        #expect(failure.verifyCode == code)
        #expect(!failure.verifyText.isEmpty)
        #expect(failure.depth == 1)
        #expect(failure.certificate == certificate)
    }

    @Test func `without anchors it is they that are missing, whatever OpenSSL says`() {
        #expect(failure(.openSSL(X509_V_ERR_CERT_UNTRUSTED), in: TrustStore([])).reason == .noAnchors)
    }

    @Test func `a rule and a limit are the reason themselves`() {
        #expect(failure(.rule(.timeEncoding)).reason == .rule(.timeEncoding))
        #expect(failure(.limit(.names)).reason == .limit(.names))
        #expect(failure(.limit(.names)).verifyText.isEmpty)
    }
}
