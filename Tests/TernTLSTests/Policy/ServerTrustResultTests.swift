// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

struct ServerTrustResultTests {
    private let trust: ServerTrust
    private let policy = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)

    init() throws {
        let authority = try CertificateAuthority()
        trust = try ServerTrust(authority.issue(), anchors: [authority.certificate()])
    }

    @Test func `an answer that repeats the verdict changes nothing`() {
        let (good, bad) = (policy.evaluate(trust, host: "localhost"), policy.evaluate(trust, host: "other.test"))
        for (result, answer) in [
            (good, ServerTrustAnswer.accept), (good, .performDefaultHandling), (bad, .refuse),
            (bad, .performDefaultHandling),
        ] {
            #expect(result.answered(answer) === result)
        }
    }

    @Test func `a delegate that accepts a refused server leaves the refusal readable`() {
        let result = policy.evaluate(trust, host: "other.test").answered(.accept)
        #expect(result.isAccepted)
        #expect(result.rule == "accepted-by-delegate")
        #expect(result.failure == nil)
        #expect(result.overridden?.rule == "name-mismatch")
        #expect(result.sentence.hasSuffix(", but a delegate accepted the server"))
    }

    @Test func `a delegate that refuses an accepted server is the reason`() {
        let accepted = policy.evaluate(trust, host: "localhost")
        let result = accepted.answered(.refuse)
        #expect(!result.isAccepted)
        #expect(result.rule == "delegate")
        #expect(result.policyVerdict === accepted)
        #expect(result.overridden == nil)
        #expect(result.failure?.seen.map(\.publicKey) == accepted.verifiedKeys)
    }
}

/// What people read when a server is refused: every word, and every key in a form that can be pinned.
struct ServerTrustResultExplanationTests {
    private let root, intermediate: CertificateAuthority
    private let leaf: Identity
    private let validity = Validity(notBefore: 1_577_836_800, notAfter: 1_893_455_999)  // 2020 to 2029
    private let time: Int64 = 1_767_225_600  // 2026-01-01

    init() throws {
        root = try CertificateAuthority(commonName: "Root", validity: validity)
        intermediate = try root.issueIntermediate(AuthorityRequest(commonName: "CA", validity: validity))
        leaf = try intermediate.issue(
            LeafRequest(
                commonName: "Server", dnsNames: ["api.example.com"], ipAddresses: ["10.0.0.1"], validity: validity))
    }

    private func explain(
        _ policy: ServerTrustPolicy, _ identity: Identity? = nil, host: String = "api.example.com", time: Int64? = nil
    ) throws -> String {
        let trust = try ServerTrust(identity ?? leaf, anchors: [root.certificate()], time: time ?? self.time)
        return policy.evaluate(trust, host: host).explanation
    }

    private var sent: String {
        """
          0  CN=Server
             \(leaf.pin)
             2020-01-01T00:00:00Z to 2029-12-31T23:59:59Z
          1  CN=CA
             \(intermediate.pin)
             2020-01-01T00:00:00Z to 2029-12-31T23:59:59Z
        """
    }

    private var chain: String {
        sent + """

              2  CN=Root
                 \(root.pin)
                 2020-01-01T00:00:00Z to 2029-12-31T23:59:59Z
            """
    }

    @Test func `accepted`() throws {
        #expect(
            try explain(.performDefaultEvaluation(validateHost: true)) == """
                api.example.com: accepted
                policy: default evaluation, chain and host validated
                verified chain:
                \(chain)
                """)
    }

    @Test func `no pinned key`() throws {
        let pin = try X509Certificate.PublicKey(pin: "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
        #expect(
            try explain(.pinPublicKeys(publicKeys: [pin], validateCertificateChain: true, validateHost: true)) == """
                api.example.com: refused
                policy: pin public keys, chain and host validated
                reason: none of the pinned keys is in the chain
                verified chain:
                \(chain)
                pinned keys:
                     sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=
                """)
    }

    @Test func `no pinned certificate`() throws {
        let other = try CertificateAuthority(commonName: "Other", validity: validity)
        #expect(
            try explain(
                .pinCertificates(
                    certificates: [other.certificate()], validateCertificateChain: false, validateHost: false)) == """
                    api.example.com: refused
                    policy: pin certificates, neither chain nor host validated
                    reason: none of the pinned certificates is in the chain
                    path whose signatures hold, not validated:
                    \(chain)
                    pinned certificates:
                      0  CN=Other
                         \(other.pin)
                         2020-01-01T00:00:00Z to 2029-12-31T23:59:59Z
                    """)
    }

    @Test func `the wrong host`() throws {
        #expect(
            try explain(.performDefaultEvaluation(validateHost: true), host: "www.example.com") == """
                www.example.com: refused
                policy: default evaluation, chain and host validated
                reason: the certificate is for DNS:api.example.com, IP:10.0.0.1
                openssl: error 62 at depth 0: hostname mismatch
                sent by the server, not verified:
                \(sent)
                """)
    }

    @Test func `expired`() throws {
        #expect(
            try explain(.performDefaultEvaluation(validateHost: false), time: 2_000_000_000) == """
                api.example.com: refused
                policy: default evaluation, chain validated, host not
                reason: certificate 0 (CN=Server) expired at 2029-12-31T23:59:59Z
                openssl: error 10 at depth 0: certificate has expired
                sent by the server, not verified:
                \(sent)
                """)
    }

    @Test func `a missing intermediate`() throws {
        #expect(
            try explain(
                .performDefaultEvaluation(validateHost: true), leaf.sending(chainPEM: leaf.certificatePEM)) == """
                    api.example.com: refused
                    policy: default evaluation, chain and host validated
                    reason: the issuer (CN=CA) of certificate 0 (CN=Server) was neither sent nor is it trusted
                    openssl: error 20 at depth 0: unable to get local issuer certificate
                    sent by the server, not verified:
                      0  CN=Server
                         \(leaf.pin)
                         2020-01-01T00:00:00Z to 2029-12-31T23:59:59Z
                    """)
    }

    @Test func `a root is not said to be signed by another key if it only says so itself`() throws {
        let foreign = try CertificateAuthority(
            AuthorityRequest(
                commonName: "Root", validity: validity,
                extensions: [CertificateExtension("authorityKeyIdentifier", "DER:30068004AABBCCDD")]))
        var request = LeafRequest(commonName: nil, dnsNames: ["api.example.com"])
        request.validity = Validity(notBefore: time - 86400, notAfter: time + 86400)
        let trust = ServerTrust(
            sentChain: [try foreign.issue(request).certificate()], anchors: .only([try foreign.certificate()]),
            time: time, profile: .web)
        let result = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)
            .evaluate(trust, host: "api.example.com")
        #expect(
            result.failure?.sentence
                == "certificate 1 (CN=Root) is a root whose authorityKeyIdentifier names another key than its own")
    }

    @Test func `one line for a log`() throws {
        let trust = try ServerTrust(leaf, anchors: [root.certificate()], time: time)
        let failure = ServerTrustPolicy.customEvaluation { _, _ in false }.evaluate(trust, host: "a.test").failure
        #expect(failure?.description == "a.test is not trusted: the custom evaluation refused it")
        #expect(failure.map { TLSError(.trust($0)).description } == failure?.description)
    }
}
