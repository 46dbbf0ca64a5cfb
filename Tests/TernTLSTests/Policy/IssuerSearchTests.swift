// SPDX-License-Identifier: Apache-2.0
import TernTesting
import TestProofs
import Testing

@testable import TernTLS

/// Handshakes with servers that do not send their intermediates.
struct IssuerSearchTests {
    private let root: CertificateAuthority
    private let intermediate: CertificateAuthority
    private let leaf: Identity
    private static let place = "http://aia.test/ca.der"
    private static let usual = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)

    init() throws {
        root = try CertificateAuthority()
        intermediate = try root.issueIntermediate()
        leaf = try intermediate.issue(Self.request(Self.place))
    }

    private static func request(_ places: String...) -> LeafRequest {
        LeafRequest(extensions: [extensionNaming(places)])
    }

    private static func extensionNaming(_ places: [String]) -> CertificateExtension {
        CertificateExtension("authorityInfoAccess", places.map { "caIssuers;URI:\($0)" }.joined(separator: ","))
    }

    /// Sends only its own certificate.
    private func short(_ identity: Identity) -> Identity { identity.sending(chainPEM: identity.certificatePEM) }

    private func context(
        _ version: TLSProtocolVersion = .v1_3, _ change: (inout TLSSettings) -> Void = { _ in }
    ) throws -> TLSContext {
        try Dialogue.context(anchors: [root]) {
            ($0.minimumVersion, $0.maximumVersion) = (version, version)
            $0.fetchesMissingIssuers = true
            change(&$0)
        }
    }

    private func dialogue(
        _ identity: Identity? = nil, _ context: TLSContext? = nil, policy: ServerTrustPolicy = usual,
        asksUser: Bool = false, answering answers: [String: [X509Certificate]] = [:]
    ) throws -> Dialogue {
        let dialogue = try Dialogue(
            identity: short(identity ?? leaf), context: context ?? self.context(), policy: policy,
            server: .init(ticketKey: 1), asksUser: asksUser)
        dialogue.answer = { question in answers[question.url].map(RevocationAnswer.issuers) ?? .none }
        return dialogue
    }

    @Test(arguments: TLSSessionTests.versions)
    func `an issuer that is missing is asked for, and the verdict tells`(version: TLSProtocolVersion) throws {
        let issuer = try intermediate.certificate()
        let dialogue = try dialogue(nil, context(version), answering: [Self.place: [issuer]])
        #expect(try dialogue.refusal() == nil)
        #expect(dialogue.questions == [.issuer(url: Self.place)])
        let trust = try #require(dialogue.trust)
        #expect(trust.sentChain == [try leaf.certificate()])
        #expect(trust.verifiedChain == [try leaf.certificate(), issuer, try root.certificate()])
        #expect(trust.fetchedIssuers == [FetchedIssuer(issuer, from: Self.place)])
        #expect(trust.findings.map(\.fetchedFrom) == [nil, Self.place, nil])
        #expect(trust.warnings(within: 0) == [.fetchedIssuer(FetchedIssuer(issuer, from: Self.place))])
        #expect(
            trust.explanation.contains("incomplete: the server did not send CN=Tern Test Intermediate CA, which was"))
    }

    @Test func `without the option nothing is asked, and a complete server is never asked about`() throws {
        let off = try context { $0.fetchesMissingIssuers = false }
        let dialogue = try dialogue(nil, off)
        #expect(try dialogue.refusal() == "missing-issuer")
        #expect(dialogue.questions.isEmpty)
        let complete = try Dialogue(identity: leaf, context: context())
        _ = try complete.handshake()
        #expect(complete.questions.isEmpty && complete.trust?.fetchedIssuers.isEmpty == true)
    }

    @Test func `a server that is refused for another reason is not asked about`() throws {
        let stranger = try CertificateAuthority(commonName: "Stranger")
        let others: [(Identity, String)] = [
            (
                try root.issue(LeafRequest(dnsNames: ["b.test"], extensions: [Self.extensionNaming([Self.place])])),
                "name-mismatch"
            ),
            (
                try root.issue(
                    LeafRequest(validity: .days(-9, to: -1), extensions: [Self.extensionNaming([Self.place])])),
                "expired"
            ),
            (try CertificateAuthority.selfSigned(Self.request(Self.place)), "untrusted-root"),
        ]
        for (identity, rule) in others {
            let dialogue = try dialogue(identity)
            #expect(try dialogue.refusal() == rule)
            #expect(dialogue.questions.isEmpty, "\(rule)")
        }
        // An issuer that is fetched does not make it trusted.
        let dialogue = try dialogue(
            stranger.issue(Self.request(Self.place)), answering: [Self.place: [stranger.certificate()]])
        #expect(try dialogue.refusal() == "untrusted-root")
    }

    @Test func `only http is asked, twice for one certificate`() throws {
        let places = ["https://a.test/", "ldap://b.test/", "HTTP://c.test/", "http://d.test/", "http://e.test/"]
        let leaf = try intermediate.issue(LeafRequest(extensions: [Self.extensionNaming(places)]))
        let issuer = try intermediate.certificate()
        let dialogue = try dialogue(leaf, answering: ["http://d.test/": [issuer]])
        #expect(try dialogue.refusal() == nil)
        #expect(dialogue.questions.map(\.url) == ["HTTP://c.test/", "http://d.test/"])
        let last = try self.dialogue(leaf, answering: ["http://e.test/": [issuer]])
        #expect(try last.refusal() == "missing-issuer")
        #expect(last.questions.map(\.url) == ["HTTP://c.test/", "http://d.test/"])
        let none = try self.dialogue(intermediate.issue(Self.request("https://a.test/", "ldap://b.test/")))
        #expect(try none.refusal() == "missing-issuer")
        #expect(none.questions.isEmpty)
    }

    @Test func `what is not the issuer is no help, and hides nothing`() throws {
        let namesake = try root.issueIntermediate()
        let stranger = try CertificateAuthority(commonName: "Tern Test Intermediate CA")
        let useless: [[X509Certificate]] = [
            [], [try leaf.certificate()], [try root.certificate()], [try namesake.certificate()],
            [try stranger.certificate()], [try namesake.certificate(), try stranger.certificate()],
        ]
        for answer in useless {
            let dialogue = try dialogue(answering: [Self.place: answer])
            #expect(try dialogue.refusal() == "missing-issuer")
            #expect(dialogue.questions.count == 1)
            #expect(dialogue.trust?.failure?.certificate == (try leaf.certificate()))
            #expect(dialogue.trust?.findings.count == 1)
        }
        let mixed = try dialogue(answering: [Self.place: useless.flatMap(\.self) + [intermediate.certificate()]])
        #expect(try mixed.refusal() == nil)
        #expect(mixed.trust?.fetchedIssuers.count == 1)
    }

    @Test func `an issuer that breaks a rule is refused for it`() throws {
        let expired = try root.issueIntermediate(
            AuthorityRequest(commonName: "Tern Test Intermediate CA", validity: .days(-9, to: -1)))
        let leaf = try expired.issue(Self.request(Self.place))
        let dialogue = try dialogue(leaf, answering: [Self.place: [expired.certificate()]])
        #expect(try dialogue.refusal() == "expired")
        #expect(dialogue.trust?.failure?.depth == 1)
    }

    @Test func `several levels are fetched, each from the certificate below`() throws {
        var authority = root
        var answers: [String: [X509Certificate]] = [:]
        for level in 0..<3 {
            let place = "http://aia.test/\(level)"
            authority = try authority.issueIntermediate(
                AuthorityRequest(
                    commonName: "Level \(level)",
                    extensions: level == 0 ? [] : [Self.extensionNaming(["http://aia.test/\(level - 1)"])]))
            answers[place] = [try authority.certificate()]
        }
        let leaf = try authority.issue(Self.request("http://aia.test/2"))
        let dialogue = try dialogue(leaf, answering: answers)
        #expect(try dialogue.refusal() == nil)
        #expect(dialogue.questions.map(\.url) == ["http://aia.test/2", "http://aia.test/1", "http://aia.test/0"])
        #expect(dialogue.trust?.fetchedIssuers.count == 3)
        // All of them at the first place need one question.
        let whole = try self.dialogue(leaf, answering: ["http://aia.test/2": answers.values.flatMap { $0 }])
        #expect(try whole.refusal() == nil)
        #expect(whole.questions.count == 1 && whole.trust?.fetchedIssuers.count == 3)
    }

    @Test func `a loop of 100 issuers ends after four`() throws {
        var authority = try CertificateAuthority()
        var answers: [String: [X509Certificate]] = [:]
        for level in 0..<100 {
            authority = try authority.issueIntermediate(
                AuthorityRequest(
                    commonName: "Level \(level)", extensions: [Self.extensionNaming(["http://aia.test/\(level - 1)"])]))
            answers["http://aia.test/\(level)"] = [try authority.certificate()]
        }
        let dialogue = try dialogue(authority.issue(Self.request("http://aia.test/99")), answering: answers)
        #expect(try dialogue.refusal() == "missing-issuer")
        #expect(dialogue.questions.count == IssuerSearch.maximumQuestions)
    }

    @Test func `authorities that issue one another are asked for once`() throws {
        let (one, two) = (try CertificateAuthority(commonName: "One"), try CertificateAuthority(commonName: "Two"))
        let first = try two.crossSign(
            one, AuthorityRequest(commonName: "One", extensions: [Self.extensionNaming(["http://aia.test/two"])]))
        let second = try one.crossSign(
            two, AuthorityRequest(commonName: "Two", extensions: [Self.extensionNaming(["http://aia.test/one"])]))
        let dialogue = try dialogue(
            first.issue(Self.request("http://aia.test/one")),
            answering: [
                "http://aia.test/one": [try first.certificate()], "http://aia.test/two": [try second.certificate()],
            ])
        #expect(try dialogue.refusal() != nil)
        #expect(Set(dialogue.questions).count == dialogue.questions.count && dialogue.questions.count <= 2)
        // A certificate that names itself.
        let selfish = try intermediate.issue(Self.request("http://aia.test/me"))
        let last = try self.dialogue(selfish, answering: ["http://aia.test/me": [try selfish.certificate()]])
        #expect(try last.refusal() == "missing-issuer")
        #expect(last.questions.count == 1)
    }

    @Test func `a fetched intermediate may be pinned, and another pin is refused`() throws {
        let answers = [Self.place: [try intermediate.certificate()]]
        for (pin, rule) in [
            (intermediate.pin, nil), (leaf.pin, nil), (try CertificateAuthority().pin, "key-not-pinned"),
        ] {
            let policy = ServerTrustPolicy.pinPublicKeys(
                publicKeys: [try X509Certificate.PublicKey(pin: pin)], validateCertificateChain: true,
                validateHost: true)
            for policy in [policy, .composite([Self.usual, policy])] {
                let dialogue = try dialogue(policy: policy, answering: answers)
                #expect(try dialogue.refusal() == rule)
                #expect(dialogue.questions.count == 1)
            }
        }
        let certificate = ServerTrustPolicy.pinCertificates(
            certificates: [try intermediate.certificate()], validateCertificateChain: true, validateHost: true)
        #expect(try dialogue(policy: certificate).refusal() == nil)
    }

    @Test func `a policy that does not validate the chain fetches nothing`() throws {
        let key = try X509Certificate.PublicKey(pin: intermediate.pin)
        let policies: [(ServerTrustPolicy, String?)] = [
            (.disableEvaluation, nil), (.customEvaluation { _, _ in false }, "custom-evaluation"),
            (
                .pinPublicKeys(publicKeys: [key], validateCertificateChain: false, validateHost: false),
                "key-not-pinned"
            ),
        ]
        for (policy, rule) in policies {
            let dialogue = try dialogue(policy: policy, answering: [Self.place: [intermediate.certificate()]])
            #expect(try dialogue.refusal() == rule)
            #expect(dialogue.questions.isEmpty, "\(policy)")
        }
    }

    @Test(arguments: TLSSessionTests.versions)
    func `later connections are resumed, report the same, and ask nothing`(version: TLSProtocolVersion) throws {
        let answers = [Self.place: [try intermediate.certificate()]]
        for (policy, asksUser) in [
            (Self.usual, false), (.composite([Self.usual, .customEvaluation { _, _ in true }]), false),
            (Self.usual, true),
        ] {
            let context = try context(version)
            #expect(try dialogue(nil, context, policy: policy, asksUser: asksUser, answering: answers).refusal() == nil)
            let second = try dialogue(nil, context, policy: policy, asksUser: asksUser)
            #expect(try second.refusal() == nil)
            #expect(second.info.resumed && second.questions.isEmpty)
            #expect(second.trust?.fetchedIssuers.map(\.url) == [Self.place])
            for verdict in second.verdicts {
                #expect(Self.usual.evaluate(verdict.trust, host: "localhost").isAccepted)
            }
            #expect(second.verdicts.count == (asksUser ? 1 : 0))
        }
    }

    @Test(arguments: TLSSessionTests.versions)
    func `nothing is sent while an issuer is missing`(version: TLSProtocolVersion) throws {
        let dialogue = try dialogue(nil, context(version))
        dialogue.server.receive(try dialogue.firstFlight())
        _ = try dialogue.server.handshake()
        let flight = dialogue.server.send()
        let (progress, offset) = try dialogue.feedHandshake(flight)
        #expect(progress == .needRevocation([.issuer(url: Self.place)]))
        #expect(!dialogue.hasOutgoing)
        // Again and again.
        #expect(try dialogue.feedHandshake([]).progress == progress)
        #expect(!dialogue.hasOutgoing)
        dialogue.client.answer([.issuer(url: Self.place): .issuers([try intermediate.certificate()])])
        _ = try dialogue.feedHandshake(Array(flight[offset...]))
        #expect(dialogue.hasOutgoing)
    }

    @Test(arguments: TLSSessionTests.versions)
    func `the status of a chain is asked about once it is whole`(version: TLSProtocolVersion) throws {
        let leaf = try intermediate.issue(
            LeafRequest(extensions: [
                CertificateExtension(
                    "authorityInfoAccess", "caIssuers;URI:\(Self.place),OCSP;URI:http://ocsp.test/")
            ]))
        let good = try intermediate.ocspResponse(about: leaf, .good)
        let issuer = try intermediate.certificate()
        let policy = ServerTrustPolicy.performRevokedEvaluation(validateHost: true, revocationFlags: [.ocsp])
        let dialogue = try dialogue(leaf, context(version), policy: policy)
        dialogue.answer = { question in
            if case .issuer = question { .issuers([issuer]) } else { .response(OCSPResponse(der: good)) }
        }
        #expect(try dialogue.refusal() == nil)
        #expect(dialogue.questions.map(\.url) == [Self.place, "http://ocsp.test/"])
        guard case .good? = dialogue.trust?.revocation.first?.status else {
            Issue.record("\(String(describing: dialogue.trust))")
            return
        }
    }

    @Test func `the user is asked once, about the whole chain`() throws {
        let dialogue = try dialogue(asksUser: true, answering: [Self.place: [intermediate.certificate()]])
        #expect(try dialogue.refusal() == nil)
        #expect(dialogue.verdicts.map(\.result.rule) == ["accepted"])
        #expect(dialogue.verdicts.first?.trust.fetchedIssuers.map(\.url) == [Self.place])
        let refused = try self.dialogue(asksUser: true)
        #expect(try refused.refusal() == "missing-issuer")
        #expect(refused.verdicts.map(\.result.rule) == ["missing-issuer"])
    }

    @Test func `the question stays open for a cache as long as the issuer is missing`() throws {
        let refused = try dialogue()
        #expect(try refused.refusal() == "missing-issuer")
        #expect(refused.trust?.openQuestions == [.issuer(url: Self.place)])
        let accepted = try dialogue(answering: [Self.place: [intermediate.certificate()]])
        #expect(try accepted.refusal() == nil)
        #expect(accepted.trust?.openQuestions.isEmpty == true)
    }
}
