// SPDX-License-Identifier: Apache-2.0
import TernTLS
import TernTesting
import Testing

struct ServerTrustPolicyEvaluationTests {
    private let trust: ServerTrust
    private let leaf: X509Certificate

    init() throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issue(LeafRequest(dnsNames: ["example.com"]))
        leaf = try identity.certificate()
        trust = try ServerTrust(identity, anchors: [try authority.certificate()])
    }

    private var right: ServerTrustPolicy {
        .pinPublicKeys(publicKeys: [leaf.publicKey], validateCertificateChain: true, validateHost: true)
    }

    private let wrong = ServerTrustPolicy.pinPublicKeys(
        publicKeys: [X509Certificate.PublicKey(subjectPublicKeyInfo: [1])], validateCertificateChain: true,
        validateHost: true)

    @Test func `Alamofire's method answers what the result says`() {
        for policy in [right, wrong, .disableEvaluation, .performDefaultEvaluation(validateHost: true)] {
            for host in ["example.com", "example.org"] {
                #expect(policy.evaluate(trust, forHost: host) == policy.evaluate(trust, host: host).isAccepted)
            }
        }
        #expect(right.evaluate(trust, forHost: "example.com"))
        #expect(!right.evaluate(trust, forHost: "example.org"))
    }

    @Test func `without a host everything but the name is checked`() {
        #expect(right.evaluateChain(trust).isAccepted)
        #expect(!wrong.evaluateChain(trust).isAccepted)
        #expect(ServerTrustPolicy.pinSet(PinSet(pins: [leaf.publicKey])).evaluateChain(trust).isAccepted)
        var expired = trust
        expired.time = 32_503_680_000  // the year 3000
        #expect(right.evaluateChain(expired).rule == "expired")
    }
}
