// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import TernTesting
import TestProofs
import Testing

@testable import TernTLS

/// Verdicts that the session's user answers before the handshake continues.
struct HandshakeVerdictTests {
    private let root: CertificateAuthority
    private let leaf: Identity
    private static let usual = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)
    private static let revocation = ServerTrustPolicy.performRevokedEvaluation(
        validateHost: true, revocationFlags: [.ocsp])

    init() throws {
        root = try CertificateAuthority()
        leaf = try root.issue(
            LeafRequest(extensions: [CertificateExtension("authorityInfoAccess", "OCSP;URI:http://ocsp.test/")]))
    }

    private func wrongPin() throws -> ServerTrustPolicy {
        .pinPublicKeys(
            publicKeys: [try X509Certificate.PublicKey(pin: CertificateAuthority().pin)],
            validateCertificateChain: true,
            validateHost: true)
    }

    private func context(_ version: TLSProtocolVersion, identity: ClientIdentity? = nil) throws -> TLSContext {
        try Dialogue.context(anchors: [root]) {
            $0.minimumVersion = version
            $0.maximumVersion = version
            $0.identity = identity
        }
    }

    private func dialogue(
        _ context: TLSContext, _ policy: ServerTrustPolicy, asksUser: Bool = true,
        _ disposition: @escaping (PendingVerdict) -> ServerTrustAnswer
    ) throws -> Dialogue {
        let dialogue = try Dialogue(
            identity: leaf, context: context, policy: policy, server: .init(ticketKey: 1), asksUser: asksUser)
        dialogue.disposition = disposition
        return dialogue
    }

    @Test(arguments: TLSSessionTests.versions)
    func `the verdict stands, is refused, or is overridden`(version: TLSProtocolVersion) throws {
        let wrong = try wrongPin()
        let table: [(ServerTrustPolicy, ServerTrustAnswer, refusal: String?, rule: String, isKept: Bool)] = [
            (Self.usual, .performDefaultHandling, nil, "accepted", true), (Self.usual, .accept, nil, "accepted", true),
            (Self.usual, .refuse, "delegate", "delegate", false),
            (Self.revocation, .performDefaultHandling, nil, "accepted", true),
            (Self.revocation, .refuse, "delegate", "delegate", false),
            (wrong, .performDefaultHandling, "key-not-pinned", "key-not-pinned", false),
            (wrong, .refuse, "key-not-pinned", "key-not-pinned", false),
            (wrong, .accept, nil, "accepted-by-delegate", false),
            (.customEvaluation { _, _ in false }, .accept, nil, "accepted-by-delegate", false),
        ]
        for (policy, disposition, refusal, rule, isKept) in table {
            let context = try context(version)
            let dialogue = try dialogue(context, policy) { _ in disposition }
            #expect(try dialogue.refusal() == refusal, "\(policy) \(disposition)")
            #expect(dialogue.verdicts.count == 1, "\(policy) \(disposition)")
            #expect(dialogue.trust?.rule == rule, "\(policy) \(disposition)")
            #expect((context.sessions?.count ?? 0 > 0) == isKept, "\(policy) \(disposition)")
        }
    }

    @Test func `an overridden verdict has the policy's refusal`() throws {
        let dialogue = try dialogue(try context(.v1_3), try wrongPin()) { _ in .accept }
        _ = try dialogue.handshake()
        let trust = try #require(dialogue.trust)
        #expect(trust.isAccepted && trust.failure == nil)
        #expect(trust.overridden?.rule == "key-not-pinned")
        #expect(trust.policyVerdict?.isAccepted == false)
        #expect(trust.explanation.contains("refused by the policy, accepted by a delegate: none of the pinned keys"))
        #expect(trust.verifiedKeys.map(\.pin) == [leaf.pin, root.pin])
    }

    @Test(arguments: TLSSessionTests.versions)
    func `without a user to ask nothing waits`(version: TLSProtocolVersion) throws {
        let dialogue = try dialogue(try context(version), Self.usual, asksUser: false) { _ in .refuse }
        #expect(try dialogue.refusal() == nil)
        #expect(dialogue.verdicts.isEmpty)
    }

    @Test(arguments: TLSSessionTests.versions)
    func `our certificate is not sent before the answer`(version: TLSProtocolVersion) throws {
        let own = IdentityFiles(try root.issue())
        let identity = try ClientIdentity(pem: own.certificates, privateKeyPEM: own.privateKey)
        for policy in [Self.usual, Self.revocation, try wrongPin()] {
            for disposition in [ServerTrustAnswer.accept, .refuse] {
                var wasKnown = true
                let dialogue = try dialogue(try context(version, identity: identity), policy) { _ in .refuse }
                unsafe SSL_set_verify(
                    dialogue.server.ssl, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, { _, _ in 1 })
                let server = dialogue.server
                dialogue.disposition = { [unowned dialogue] _ in
                    server.receive(dialogue.takeOutgoing())
                    _ = try? server.handshake()
                    wasKnown = unsafe SSL_get0_peer_certificate(server.ssl) != nil
                    return disposition
                }
                let refusal = try dialogue.refusal()
                #expect((refusal == nil) == (disposition == .accept))
                #expect(!wasKnown)
                #expect(unsafe (SSL_get0_peer_certificate(server.ssl) != nil) == (disposition == .accept))
            }
        }
    }

    @Test(arguments: TLSSessionTests.versions)
    func `our certificate is not sent before a responder's answer`(version: TLSProtocolVersion) throws {
        let own = IdentityFiles(try root.issue())
        let identity = try ClientIdentity(pem: own.certificates, privateKeyPEM: own.privateKey)
        for isRevoked in [false, true] {
            let dialogue = try dialogue(try context(version, identity: identity), Self.revocation, asksUser: false) {
                _ in
                .performDefaultHandling
            }
            let server = dialogue.server
            unsafe SSL_set_verify(server.ssl, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, { _, _ in 1 })
            var wasKnown = true
            let word = try OCSPResponse(
                der: root.ocspResponse(about: leaf, isRevoked ? .revoked(at: 1_700_000_000) : .good))
            dialogue.answer = { [unowned dialogue] _ in
                server.receive(dialogue.takeOutgoing())
                _ = try? server.handshake()
                wasKnown = unsafe SSL_get0_peer_certificate(server.ssl) != nil
                return .response(word)
            }
            #expect(try dialogue.refusal() == (isRevoked ? "revoked" : nil))
            #expect(!wasKnown && dialogue.questions.count == 1)
            #expect(unsafe (SSL_get0_peer_certificate(server.ssl) != nil) == !isRevoked)
        }
    }

    @Test(arguments: TLSSessionTests.versions)
    func `revocation is asked about first, and the user sees what came of it`(version: TLSProtocolVersion) throws {
        let revoked = try OCSPResponse(der: root.ocspResponse(about: leaf, .revoked(at: 1_700_000_000)))
        for disposition in [ServerTrustAnswer.performDefaultHandling, .accept] {
            let dialogue = try dialogue(try context(version), Self.revocation) { _ in disposition }
            dialogue.answer = { _ in .response(revoked) }
            #expect(try dialogue.refusal() == (disposition == .accept ? nil : "revoked"))
            #expect(dialogue.questions.count == 1)
            let verdict = try #require(dialogue.verdicts.first)
            #expect(dialogue.verdicts.count == 1)
            #expect(verdict.result.failure?.rule == "revoked")
            #expect(!Self.revocation.evaluate(verdict.trust, forHost: "localhost"))
            #expect(Self.usual.evaluate(verdict.trust, forHost: "localhost"))
        }
    }

    @Test(arguments: TLSSessionTests.versions)
    func `a resumed connection is asked about with the verdict and the data of the first`(version: TLSProtocolVersion)
        throws
    {
        let good = try OCSPResponse(der: root.ocspResponse(about: leaf, .good))
        let context = try context(version)
        let strict = ServerTrustPolicy.performRevokedEvaluation(
            validateHost: true, revocationFlags: [.ocsp, .requirePositiveResponse])
        for isResumed in [false, true] {
            let dialogue = try dialogue(context, strict) { _ in .accept }
            dialogue.answer = { _ in .response(good) }
            #expect(try dialogue.refusal() == nil)
            #expect(dialogue.info.resumed == isResumed)
            #expect(dialogue.questions.count == (isResumed ? 0 : 1))
            let verdict = try #require(dialogue.verdicts.first)
            #expect(dialogue.verdicts.count == 1)
            #expect(verdict.result.isAccepted)
            #expect(strict.evaluate(verdict.trust, forHost: "localhost"))
        }
        // A session whose user is not asked has no data to show, so it is not resumed by one whose user is, and the
        // reverse.
        let silent = try dialogue(context, strict, asksUser: false) { _ in .accept }
        silent.answer = { _ in .response(good) }
        #expect(try silent.refusal() == nil)
        #expect(!silent.info.resumed)
        let refused = try dialogue(context, strict) { _ in .refuse }
        #expect(try refused.refusal() == "delegate")
    }

    @Test(.proves("13.5a")) func `a policy that demands more than the handshake asked refuses, and says so`() throws {
        let dialogue = try dialogue(try context(.v1_3), Self.usual) { _ in .accept }
        _ = try dialogue.handshake()
        var trust = try #require(dialogue.verdicts.first?.trust)
        #expect(Self.revocation.evaluate(trust, host: "localhost").failure?.reason == .revocationNotAsked)
        let offline = ServerTrustPolicy.performRevokedEvaluation(
            validateHost: true, revocationFlags: [.ocsp, .networkAccessDisabled])
        #expect(offline.evaluate(trust, forHost: "localhost"))
        trust.revocation.responses = [try OCSPResponse(der: root.ocspResponse(about: leaf, .good))]
        #expect(Self.revocation.evaluate(trust, forHost: "localhost"))
        trust.revocation = RevocationData()
        #expect(Self.revocation.evaluate(trust, forHost: "localhost"))
    }

    @Test func `the same verdict waits until it is answered, and the first answer counts`() throws {
        let dialogue = try dialogue(try context(.v1_3), Self.usual) { _ in .accept }
        dialogue.server.receive(try dialogue.firstFlight())
        _ = try dialogue.server.handshake()
        let (first, _) = try dialogue.feedHandshake(dialogue.server.send())
        guard case .needDisposition(let verdict) = first else { throw Dialogue.Trouble.tooManyTurns }
        #expect(try dialogue.feedHandshake([]).progress == .needDisposition(verdict))
        #expect(!dialogue.hasOutgoing)
        dialogue.client.answer(.refuse)
        dialogue.client.answer(.accept)
        let error = #expect(throws: TLSError.self) { try dialogue.feedHandshake([]) }
        #expect(error?.trustFailure?.reason == .delegate)
        #expect(dialogue.hasOutgoing)
    }
}
