// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import TernTLS
import TernTesting
import Testing

/// Evaluation inside the handshake: the same verdicts as offline, and the right word to the server.
struct HandshakeTrustTests {
    private let root: CertificateAuthority

    init() throws { root = try CertificateAuthority() }

    private func refusal(_ dialogue: Dialogue) throws -> (TrustFailure, serverSaw: String) {
        do {
            _ = try dialogue.handshake()
        } catch let error as TLSError {
            guard case .trust(let failure) = error.reason else { throw error }
            #expect(dialogue.trust?.failure == failure)
            dialogue.server.receive(dialogue.takeOutgoing())
            do { _ = try dialogue.server.handshake() } catch let alert as ServerEngine.Failure {
                return (failure, alert.errors)
            }
            return (failure, "")
        }
        throw Dialogue.Trouble.tooManyTurns
    }

    @Test(arguments: TLSSessionTests.versions)
    func `an expired certificate is refused with certificate_expired`(version: TLSProtocolVersion) throws {
        let dialogue = try Dialogue(root: root, leaf: LeafRequest(validity: .expired)) {
            $0.minimumVersion = version
            $0.maximumVersion = version
        }
        let (failure, alert) = try refusal(dialogue)
        guard case .expired = failure.reason else { throw failure }
        #expect(alert.contains("certificate expired"))
    }

    @Test func `an unknown root is refused with unknown_ca`() throws {
        let dialogue = try Dialogue(identity: CertificateAuthority().issue(), anchors: [root])
        let (failure, alert) = try refusal(dialogue)
        #expect(failure.reason == .missingIssuer)
        #expect(alert.contains("unknown ca"))
    }

    @Test func `another host is refused with bad_certificate`() throws {
        let dialogue = try Dialogue(root: root, host: "elsewhere.test")
        let (failure, alert) = try refusal(dialogue)
        guard case .nameMismatch = failure.reason else { throw failure }
        #expect(alert.contains("bad certificate"))
    }

    @Test func `a rule of ours is refused with handshake_failure`() throws {
        let dialogue = try Dialogue(root: root, policy: .customEvaluation { _, _ in false })
        let (failure, alert) = try refusal(dialogue)
        #expect(failure.reason == .customEvaluation)
        #expect(alert.contains("handshake failure"))
    }

    @Test func `the configured profile holds in the handshake`() throws {
        let year = LeafRequest(commonName: nil, validity: .days(-1, to: 364))
        _ = try Dialogue(root: root, leaf: year).handshake()
        let (failure, _) = try refusal(Dialogue(root: root, leaf: year) { $0.profile = .web })
        #expect(failure.reason == .rule(.validityPeriod))
    }

    @Test func `the configured depth of paths holds in the handshake, which is between two seconds`() throws {
        let identity = try root.issueIntermediate().issue()
        let policy = ServerTrustPolicy.composite([
            .performDefaultEvaluation(validateHost: true), .customEvaluation { trust, _ in trust.isBetweenSeconds },
        ])
        _ = try Dialogue(identity: identity, anchors: [root], policy: policy) { $0.maximumPathDepth = 1 }.handshake()
        let (failure, _) = try refusal(Dialogue(identity: identity, anchors: [root]) { $0.maximumPathDepth = 0 })
        #expect(failure.reason == .chainTooLong)
    }

    @Test func `an error repeats, and the session does nothing more`() throws {
        let dialogue = try Dialogue(root: root, host: "elsewhere.test")
        _ = try refusal(dialogue)
        #expect(throws: TLSError.self) { try dialogue.feedHandshake([]) }
        #expect(throws: TLSError.self) { try dialogue.open([1]) }
        #expect(throws: TLSError.self) { try dialogue.seal([1]) }
        dialogue.client.close()
        #expect(!dialogue.hasOutgoing)
    }

    @Test func `disabled evaluation takes a self-signed certificate for another host`() throws {
        let own = try CertificateAuthority.selfSigned(LeafRequest(dnsNames: ["other.test"], validity: .expired))
        let dialogue = try Dialogue(identity: own, anchors: [], policy: .disableEvaluation)
        _ = try dialogue.handshake()
        #expect(dialogue.trust?.verdict == .accepted)
        #expect(dialogue.trust?.verifiedChain == [])
        #expect(dialogue.trust?.sentChain == [try own.certificate()])
    }

    @Test func `a pinned leaf key is enough where the chain is not validated`() throws {
        let own = try CertificateAuthority.selfSigned(LeafRequest(dnsNames: ["other.test"], validity: .expired))
        let dialogue = try Dialogue(
            identity: own, anchors: [],
            policy: .pinPublicKeys(
                publicKeys: [try X509Certificate.PublicKey(pin: own.pin)], validateCertificateChain: false,
                validateHost: false))
        _ = try dialogue.handshake()
        #expect(dialogue.trust?.verifiedKeys.map(\.pin) == [own.pin])
    }

    @Test func `the custom evaluation is given the host as it was asked for and the chain as it was sent`() throws {
        let leaf = try root.issueIntermediate().issue()
        let sent = try X509Certificate.all(inPEM: leaf.chainPEM)
        let dialogue = try Dialogue(
            identity: leaf, anchors: [root], host: "LocalHost.",
            policy: .customEvaluation { trust, host in host == "LocalHost." && trust.sentChain == sent })
        _ = try dialogue.handshake()
    }

    @Test func `a server without a certificate gets nowhere`() throws {
        let anonymous = try Dialogue(
            root: root, policy: .disableEvaluation,
            server: .init(maximum: TLS1_2_VERSION, ciphers: "aNULL:@SECLEVEL=0"))
        #expect(throws: (any Error).self) { try anonymous.handshake() }
    }

    @Test func `a server that requests a client certificate continues without one`() throws {
        let dialogue = try Dialogue(root: root)
        unsafe SSL_set_verify(dialogue.server.ssl, SSL_VERIFY_PEER, nil)
        _ = try dialogue.handshake()
    }

    /// In TLS 1.3 the client is done before the server has looked: the refusal arrives with the first data.
    @Test func `the alert of a server that requires a client certificate arrives when reading`() throws {
        let dialogue = try Dialogue(root: root)
        unsafe SSL_set_verify(dialogue.server.ssl, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        #expect(throws: ServerEngine.Failure.self) { try dialogue.handshake() }
        do {
            _ = try dialogue.open(dialogue.server.send())
            Issue.record("the alert went unnoticed")
        } catch let error as TLSError {
            guard case .clientCertificateRequired(let alert) = error.reason else { throw error }
            #expect(alert.code == 116)
            #expect(alert.description == "certificate_required")
        }
    }
}
