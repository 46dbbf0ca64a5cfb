// SPDX-License-Identifier: Apache-2.0
import TernTLS
import TernTesting
import Testing

/// Everything about a chain but its names.
struct ChainVerifierTests {
    private let root: CertificateAuthority
    private let policy = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)

    init() throws { root = try CertificateAuthority() }

    private func evaluate(_ identity: Identity, _ more: [X509Certificate] = []) throws -> ServerTrustResult {
        policy.evaluate(try ServerTrust(identity, more, anchors: [root.certificate()]), host: "localhost")
    }

    private func extended(_ name: String, _ value: String?) -> LeafRequest {
        LeafRequest(extensions: [CertificateExtension(name, value)])
    }

    // Purpose

    @Test(arguments: ["clientAuth", "codeSigning", "emailProtection,timeStamping"])
    func `a certificate for another purpose is refused by every evaluator`(purpose: String) throws {
        let leaf = try root.issue(extended("extendedKeyUsage", purpose))
        let trust = try ServerTrust(leaf, anchors: [root.certificate()])
        let policies: [ServerTrustPolicy] = [
            .performDefaultEvaluation(validateHost: true), .performDefaultEvaluation(validateHost: false),
            .pinCertificates(
                certificates: [try leaf.certificate()], validateCertificateChain: true, validateHost: false),
            .pinCertificates(
                certificates: [try root.certificate()], validateCertificateChain: true, validateHost: true),
            .pinPublicKeys(
                publicKeys: [try X509Certificate.PublicKey(pin: leaf.pin)], validateCertificateChain: true,
                validateHost: true),
        ]
        for policy in policies {
            #expect(policy.evaluate(trust, host: "localhost").failure?.reason == .wrongPurpose, "\(policy)")
        }
    }

    @Test func `any of several purposes, and none stated, will do`() throws {
        #expect(try evaluate(root.issue(extended("extendedKeyUsage", "clientAuth,serverAuth"))).isAccepted)
        #expect(try evaluate(root.issue(extended("extendedKeyUsage", nil))).isAccepted)
    }

    @Test func `an intermediate for another purpose taints what it issues`() throws {
        let clients = try root.issueIntermediate(
            AuthorityRequest(
                commonName: "Client CA", extensions: [CertificateExtension("extendedKeyUsage", "clientAuth")]))
        let result = try evaluate(clients.issue())
        #expect(result.failure?.reason == .wrongPurpose)
        #expect(result.failure?.depth == 1)
    }

    // Authorities

    @Test func `an issuer must be an authority`() throws {
        for value in ["critical,CA:FALSE", nil] {
            let leaf = try root.issueIntermediate(
                AuthorityRequest(
                    commonName: "No CA",
                    extensions: [
                        CertificateExtension("basicConstraints", value), CertificateExtension("keyUsage", nil),
                    ]))
            #expect(try evaluate(leaf.issue()).failure?.reason == .invalidAuthority)
        }
    }

    @Test func `an issuer must be allowed to sign certificates, and this many levels of them`() throws {
        let signer = try root.issueIntermediate(
            AuthorityRequest(
                commonName: "No Signer", extensions: [CertificateExtension("keyUsage", "critical,digitalSignature")]))
        #expect(try !evaluate(signer.issue()).isAccepted)
        let last = try root.issueIntermediate(
            AuthorityRequest(
                commonName: "Last CA",
                extensions: [CertificateExtension("basicConstraints", "critical,CA:TRUE,pathlen:0")]
            ))
        #expect(try evaluate(last.issue()).isAccepted)
        #expect(try evaluate(last.issueIntermediate().issue()).failure?.reason == .invalidAuthority)
    }

    @Test func `a path has no more intermediates than are allowed, where a shorter one cannot be found`() throws {
        let first = try root.issueIntermediate(AuthorityRequest(commonName: "First"))
        let second = try first.issueIntermediate(AuthorityRequest(commonName: "Second"))
        let deep = try second.issue()
        func rule(_ identity: Identity, _ depth: Int?, _ more: [X509Certificate] = [], anchor: X509Certificate? = nil)
            throws -> String?
        {
            var trust = try ServerTrust(identity, more, anchors: [anchor ?? root.certificate()])
            trust.maximumPathDepth = depth
            return policy.evaluate(trust, host: "localhost").failure?.rule
        }
        for (depth, expected) in [(nil, nil), (2, nil), (.max, nil), (1, "chain-too-long"), (0, "chain-too-long")]
            as [(Int?, String?)]
        {
            #expect(try rule(deep, depth) == expected, "\(String(describing: depth))")
        }
        #expect(try rule(first.issue(), 0) == "chain-too-long")
        #expect(try rule(root.issue(), 0) == nil && rule(root.issue(), .min) == nil)
        #expect(try rule(deep, 0, anchor: deep.certificate()) == nil, "an anchor needs no path")
        #expect(try rule(deep, 0, anchor: second.certificate()) == nil, "an anchor need not be a root")
        let shorter = try root.crossSign(second).certificate()
        #expect(try rule(deep, 1, [shorter]) == nil, "the search finds the other path")
    }

    @Test func `an unknown critical extension is refused`() throws {
        let leaf = try root.issue(extended("1.3.6.1.4.1.99999.1", "critical,ASN1:UTF8String:x"))
        #expect(try evaluate(leaf).failure?.reason == .unknownCriticalExtension)
        #expect(try evaluate(root.issue(extended("1.3.6.1.4.1.99999.1", "ASN1:UTF8String:x"))).isAccepted)
    }

    // Strength

    @Test(arguments: [KeyKind.rsa(bits: 2048), .rsa(bits: 3072), .p256, .p384, .p521, .ed25519])
    func `common keys are strong enough`(kind: KeyKind) throws {
        #expect(try evaluate(root.issue(LeafRequest(key: kind))).isAccepted)
    }

    @Test func `short keys are refused at any place`() throws {
        #expect(try evaluate(root.issue(LeafRequest(key: .rsa(bits: 1024)))).failure?.reason == .weakKey)
        let weak = try root.issueIntermediate(AuthorityRequest(commonName: "Weak CA", key: .rsa(bits: 1024)))
        #expect(try evaluate(weak.issue()).failure?.reason == .weakKey)
    }

    @Test(arguments: [SignatureDigest.sha1, .md5])
    func `broken hashes are refused, save where no signature is needed`(digest: SignatureDigest) throws {
        let rsa = try CertificateAuthority(
            AuthorityRequest(commonName: "RSA Root", key: .rsa(bits: 2048), digest: digest))
        func reason(_ identity: Identity) throws -> TrustFailure.Reason? {
            policy.evaluate(try ServerTrust(identity, anchors: [rsa.certificate()]), host: "localhost").failure?.reason
        }
        #expect(try reason(rsa.issue()) == nil, "an anchor's own signature proves nothing anyway")
        #expect(try reason(rsa.issue(LeafRequest(digest: digest))) == .weakSignature)
        let pin = ServerTrustPolicy.pinPublicKeys(
            publicKeys: [try X509Certificate.PublicKey(pin: rsa.pin)], validateCertificateChain: false,
            validateHost: false)
        let weak = try ServerTrust(rsa.issue(LeafRequest(digest: digest)), anchors: [rsa.certificate()])
        #expect(!pin.evaluate(weak, host: "localhost").isAccepted)
    }

    // Building the path

    @Test func `the order in which the server sends does not matter`() throws {
        let second = try root.issueIntermediate(AuthorityRequest(commonName: "Second"))
        let third = try second.issueIntermediate(AuthorityRequest(commonName: "Third"))
        let leaf = try third.issue()
        let alone = leaf.sending(chainPEM: leaf.certificatePEM)
        let shuffled = try [root.certificate(), second.certificate(), third.certificate(), leaf.certificate()]
        let result = try evaluate(alone, shuffled)
        #expect(result.isAccepted)
        #expect(
            result.verifiedChain.map(\.subject)
                == ["Tern Test Leaf", "Third", "Second", "Tern Test Root CA"].map { "CN=" + $0 })
    }

    @Test func `a missing intermediate is distinguished from an unknown root`() throws {
        let leaf = try root.issueIntermediate().issue()
        let missing = try evaluate(leaf.sending(chainPEM: leaf.certificatePEM))
        #expect(missing.failure?.reason == .missingIssuer)
        let stranger = try CertificateAuthority(commonName: "Stranger")
        let unknown = try evaluate(stranger.issue(), [stranger.certificate()])
        #expect(unknown.failure?.reason == .untrustedRoot)
        #expect(try evaluate(CertificateAuthority.selfSigned()).failure?.reason == .untrustedRoot)
    }

    @Test func `a leaf from an impostor with the root's name is refused`() throws {
        let impostor = try CertificateAuthority()
        #expect(try impostor.certificate().subject == root.certificate().subject)
        #expect(try !evaluate(impostor.issue(), [impostor.certificate()]).isAccepted)
    }

    @Test func `an expired cross-signature beside a good root does no harm`() throws {
        // The shape of 2021: the authority is a root by now, and servers still send its cross-signed certificate.
        let oldRoot = try CertificateAuthority(
            AuthorityRequest(commonName: "Old Root", validity: .days(-3000, to: -1)))
        let cross = try oldRoot.crossSign(root, validity: .days(-2000, to: -1))
        let leaf = try root.issueIntermediate().issue()
        let result = try evaluate(leaf, [cross.certificate(), oldRoot.certificate()])
        #expect(result.verifiedChain.last == (try root.certificate()))
        let both = try ServerTrust(
            leaf, [cross.certificate()], anchors: [oldRoot.certificate(), root.certificate()])
        #expect(policy.evaluate(both, host: "localhost").isAccepted)
    }

    @Test func `a new root is reached through the cross-signature of an old one`() throws {
        let old = try CertificateAuthority(commonName: "Old Root")
        let cross = try old.crossSign(root)
        let leaf = try root.issue()
        let trust = try ServerTrust(leaf, [cross.certificate()], anchors: [old.certificate()])
        #expect(policy.evaluate(trust, host: "localhost").verifiedChain.count == 3)
    }

    @Test func `two roots that signed each other are no loop`() throws {
        let (a, b) = (try CertificateAuthority(commonName: "A"), try CertificateAuthority(commonName: "B"))
        let (aByB, bByA) = (try b.crossSign(a), try a.crossSign(b))
        let sent = try [aByB.certificate(), bByA.certificate()]
        let stranger = try ServerTrust(a.issue(), sent, anchors: [root.certificate()])
        #expect(policy.evaluate(stranger, host: "localhost").failure?.reason == .missingIssuer)
        let known = try ServerTrust(a.issue(), sent, anchors: [b.certificate()])
        #expect(policy.evaluate(known, host: "localhost").isAccepted)
        for pin in [a.pin, b.pin] {
            let unchecked = ServerTrustPolicy.pinPublicKeys(
                publicKeys: [try X509Certificate.PublicKey(pin: pin)], validateCertificateChain: false,
                validateHost: false)
            #expect(unchecked.evaluate(stranger, host: "localhost").isAccepted)
        }
    }

    @Test func `two roots for one key are one issuer`() throws {
        let renewed = try CertificateAuthority(
            AuthorityRequest(commonName: "Tern Test Root CA", key: .existing(privateKeyPEM: root.privateKeyPEM)))
        let expired = try CertificateAuthority(
            AuthorityRequest(
                commonName: "Tern Test Root CA", key: .existing(privateKeyPEM: root.privateKeyPEM), validity: .expired))
        let leaf = try root.issue()
        for anchors in [[expired, renewed], [renewed, expired]] {
            let trust = try ServerTrust(leaf, anchors: anchors.map { try $0.certificate() })
            let result = policy.evaluate(trust, host: "localhost")
            #expect(result.isAccepted, "\(result)")
        }
    }

    @Test func `an anchor need not be a root`() throws {
        let intermediate = try root.issueIntermediate()
        let trust = try ServerTrust(intermediate.issue(), anchors: [intermediate.certificate()])
        let result = policy.evaluate(trust, host: "localhost")
        #expect(result.isAccepted)
        #expect(result.verifiedChain.count == 2)
    }

    @Test func `a hundred certificates are verified or refused in no time`() throws {
        var authority = root
        for level in 0..<100 {
            authority = try authority.issueIntermediate(AuthorityRequest(commonName: "Level \(level)"))
        }
        let leaf = try authority.issue()
        #expect(try evaluate(leaf).failure?.reason == .chainTooLong)
        let pin = ServerTrustPolicy.pinPublicKeys(
            publicKeys: [try X509Certificate.PublicKey(pin: root.pin)], validateCertificateChain: false,
            validateHost: false)
        let result = pin.evaluate(try ServerTrust(leaf, anchors: [root.certificate()]), host: "localhost")
        #expect(!result.isAccepted)
        #expect(result.verifiedChain.count <= 10)
        // Of which none belongs to the chain: they are passed over.
        let strangers = try X509Certificate.all(inPEM: leaf.chainPEM)
        #expect(try evaluate(root.issue(), strangers).isAccepted)
    }
}

struct SelfSignedServerTests {
    @Test(arguments: ["critical,CA:TRUE", "CA:TRUE", nil])
    func `a server that is its own anchor is accepted, as openssl req -x509 makes it`(constraints: String?) throws {
        let server = try CertificateAuthority(
            AuthorityRequest(
                commonName: "localhost",
                extensions: [
                    CertificateExtension("basicConstraints", constraints), CertificateExtension("keyUsage", nil),
                    CertificateExtension("subjectAltName", "DNS:localhost,IP:127.0.0.1"),
                ]))
        let trust = ServerTrust(
            sentChain: [try server.certificate()], anchors: .only([try server.certificate()]))
        for host in ["localhost", "127.0.0.1"] {
            let result = ServerTrustPolicy.performDefaultEvaluation(validateHost: true).evaluate(trust, host: host)
            #expect(result.isAccepted, "\(result)")
        }
    }
}
