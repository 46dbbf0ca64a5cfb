// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import TernLock
import TernTesting
import Testing

@testable import TernTLS

/// Sessions are resumed under the demands they were made under, and under no others.
struct ResumptionTests {
    private let root: CertificateAuthority
    private let leaf: Identity

    init() throws {
        root = try CertificateAuthority()
        leaf = try root.issue()
    }

    private static let usual = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)

    private func context(_ version: TLSProtocolVersion, resumes: Bool = true) throws -> TLSContext {
        try Dialogue.context(anchors: [root]) {
            $0.minimumVersion = version
            $0.maximumVersion = version
            $0.resumesSessions = resumes
        }
    }

    private func pin(_ identity: Identity) throws -> ServerTrustPolicy {
        .pinPublicKeys(
            publicKeys: [try X509Certificate.PublicKey(pin: identity.pin)], validateCertificateChain: true,
            validateHost: true)
    }

    /// Shakes hands, takes in what tickets the server sends, and says goodbye.
    @discardableResult
    private func meet(
        _ context: TLSContext, identity: Identity? = nil, host: String = "localhost", port: UInt16 = 443,
        policy: ServerTrustPolicy = usual, ticketKey: UInt8 = 1, ending: (Dialogue) -> Void = { $0.client.close() }
    ) throws -> Dialogue {
        let dialogue = try Dialogue(
            identity: identity ?? leaf, context: context, host: host, port: port, policy: policy,
            server: .init(ticketKey: ticketKey))
        let rest = try dialogue.handshake()
        _ = try dialogue.open(rest)
        ending(dialogue)
        return dialogue
    }

    @Test(arguments: TLSSessionTests.versions)
    func `all connections but the first are resumed, and report the verdict of the first`(version: TLSProtocolVersion)
        throws
    {
        let context = try context(version)
        let first = try meet(context).info
        #expect(!first.resumed && first.signatureAlgorithm == "ecdsa_secp256r1_sha256")
        for _ in 0..<100 {
            let dialogue = try meet(context)
            #expect(dialogue.info.resumed && dialogue.info.group == first.group)
            #expect(dialogue.info.signatureAlgorithm == nil, "the server signs nothing")
            #expect(dialogue.trust?.verdict == .accepted)
            #expect(dialogue.trust?.verifiedKeys.map(\.pin) == [leaf.pin, root.pin])
        }
    }

    @Test(arguments: TLSSessionTests.versions)
    func `data flows on a resumed connection`(version: TLSProtocolVersion) throws {
        let context = try context(version)
        try meet(context)
        try meet(context) { dialogue in
            #expect(dialogue.info.resumed)
            #expect(throws: Never.self) {
                try dialogue.seal([1, 2, 3])
                dialogue.server.receive(dialogue.takeOutgoing())
                #expect(try dialogue.server.read() == [1, 2, 3])
            }
        }
    }

    @Test(arguments: TLSSessionTests.versions)
    func `another policy, host or port is another security context`(version: TLSProtocolVersion) throws {
        let context = try context(version)
        try meet(context, policy: pin(leaf))
        #expect(try !meet(context).info.resumed)
        #expect(try !meet(context, policy: .performDefaultEvaluation(validateHost: false)).info.resumed)
        #expect(try !meet(context, host: "127.0.0.1", policy: pin(leaf)).info.resumed)
        #expect(try !meet(context, port: 8443, policy: pin(leaf)).info.resumed)
        #expect(try meet(context, policy: pin(leaf)).info.resumed)
    }

    @Test(arguments: TLSSessionTests.versions)
    func `another pin set is evaluated again, and a wrong one refuses`(version: TLSProtocolVersion) throws {
        let context = try context(version)
        try meet(context, policy: pin(leaf))
        let error = try #require(throws: TLSError.self) { try meet(context, policy: pin(root.issue())) }
        guard case .keyNotPinned? = error.trustFailure?.reason else { throw error }
    }

    /// The server proves with the ticket that it is the one that was met; the new key is met where the session is not
    /// offered, under a new policy.
    @Test(arguments: TLSSessionTests.versions)
    func `a server with a new key and old ticket keys is the old server until the policy changes`(
        version: TLSProtocolVersion
    ) throws {
        let context = try context(version)
        let renewed = try root.issue()
        try meet(context, policy: pin(leaf))
        let resumed = try meet(context, identity: renewed, policy: pin(leaf))
        #expect(resumed.info.resumed)
        #expect(resumed.trust?.verifiedKeys.first?.pin == leaf.pin)
        let fresh = try meet(context, identity: renewed, policy: pin(renewed))
        #expect(!fresh.info.resumed)
        #expect(fresh.trust?.verifiedKeys.first?.pin == renewed.pin)
    }

    @Test(arguments: TLSSessionTests.versions)
    func `another context resumes nothing`(version: TLSProtocolVersion) throws {
        try meet(try context(version))
        #expect(try !meet(try context(version)).info.resumed)
    }

    @Test(arguments: TLSSessionTests.versions)
    func `a server that knows its tickets no more is evaluated in full`(version: TLSProtocolVersion) throws {
        let context = try context(version)
        try meet(context)
        let dialogue = try meet(context, ticketKey: 2)
        #expect(!dialogue.info.resumed)
        #expect(dialogue.trust?.verdict == .accepted)
        #expect(try meet(context, ticketKey: 2).info.resumed)
    }

    @Test(arguments: TLSSessionTests.versions)
    func `a full handshake in spite of an offer can still be refused`(version: TLSProtocolVersion) throws {
        let context = try context(version)
        try meet(context)
        let foreign = try CertificateAuthority().issue()
        let error = try #require(throws: TLSError.self) { try meet(context, identity: foreign, ticketKey: 2) }
        #expect(error.trustFailure?.reason == .missingIssuer)
        #expect(context.sessions?.count == 0)
    }

    @Test(arguments: TLSSessionTests.versions)
    func `a connection that was cut off does not spoil its session`(version: TLSProtocolVersion) throws {
        let context = try context(version)
        try meet(context) { dialogue in
            #expect(throws: TLSError.self) { try dialogue.client.endOfCiphertext() }
        }
        #expect(try meet(context) { _ in }.info.resumed)
        #expect(try meet(context).info.resumed)
    }

    @Test(arguments: TLSSessionTests.versions)
    func `a custom evaluation is asked before each resumption`(version: TLSProtocolVersion) throws {
        let context = try context(version)
        let answers = Lock([true, true, false, true])
        let policy = ServerTrustPolicy.customEvaluation { trust, _ in
            trust.sentChain.count == 1 && answers.withLock { $0.removeFirst() }
        }
        #expect(try !meet(context, policy: policy).info.resumed)
        #expect(try meet(context, policy: policy).info.resumed)
        #expect(try !meet(context, policy: policy).info.resumed)
        #expect(answers.withLock { $0.isEmpty })
    }

    @Test(arguments: TLSSessionTests.versions)
    func `resumption can be turned off`(version: TLSProtocolVersion) throws {
        let context = try context(version, resumes: false)
        try meet(context)
        #expect(try !meet(context).info.resumed)
    }

    @Test func `a ticket of TLS 1.3 is offered once`() throws {
        let context = try context(.v1_3)
        try meet(context)
        #expect(context.sessions?.count == 2)
        _ = try Dialogue(identity: leaf, context: context)
        #expect(context.sessions?.count == 1)
        _ = try Dialogue(identity: leaf, context: context)
        #expect(context.sessions?.count == 0)
    }
}

struct TrustEvidenceTests {
    private let root: CertificateAuthority
    private let leaf: Identity

    init() throws {
        root = try CertificateAuthority()
        leaf = try root.issue()
    }

    private static let usual = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)

    @Test func `a refusal is no evidence`() throws {
        let trust = try ServerTrust(leaf, anchors: [root.certificate()])
        #expect(TrustEvidence(Self.usual.evaluate(trust, host: "other.test"), at: trust.time) == nil)
    }

    @Test func `an unknown revocation status counts for five minutes, and a good one for as long as it says`() throws {
        var trust = try ServerTrust(leaf, anchors: [root.certificate()])
        let policy = ServerTrustPolicy.performRevokedEvaluation(validateHost: true, revocationFlags: .ocsp)
        let unknown = try #require(TrustEvidence(policy.evaluate(trust, host: "localhost"), at: trust.time))
        #expect(unknown.validity == trust.time...(trust.time + 300))
        let validity = Validity(notBefore: trust.time - 10, notAfter: trust.time + 1000)
        trust.revocation.stapledResponse = OCSPResponse(
            der: try root.ocspResponse(about: leaf, .good, validity: validity))
        let known = try #require(TrustEvidence(policy.evaluate(trust, host: "localhost"), at: trust.time))
        #expect(known.validity == trust.time...(trust.time + 1000))
    }

    @Test func `a verdict counts for as long as it would be repeated, and not for the time before it`() throws {
        let result = Self.usual.evaluate(
            ServerTrust(sentChain: [try leaf.certificate()], anchors: .only([try root.certificate()])),
            host: "localhost")
        let notBefore = try #require(result.verifiedChain.first?.notBefore)
        let notAfter = try #require(result.verifiedChain.first?.notAfter)
        let atEnd = try #require(TrustEvidence(result, at: notAfter - 10))
        // Between two seconds the last one is past the end, in a full handshake, too.
        #expect(atEnd.validity.contains(notAfter - 1))
        #expect(!atEnd.validity.contains(notAfter))
        #expect(!atEnd.validity.contains(notAfter - 11))
        let inBetween = try #require(TrustEvidence(result, at: notBefore))
        #expect(inBetween.validity.contains(notBefore + 86400))
        #expect(!inBetween.validity.contains(notBefore + 86401))
    }
}
