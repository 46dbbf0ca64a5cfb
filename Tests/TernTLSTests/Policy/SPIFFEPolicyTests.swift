// SPDX-License-Identifier: Apache-2.0
import TernTLS
import TernTesting
import Testing

/// Servers that are known by the names of workloads.
struct SPIFFEPolicyTests {
    private static let name = "spiffe://a.test/payments"
    private let root: CertificateAuthority
    private let bundle: SPIFFEBundle
    private let policy: SPIFFEPolicy

    init() throws {
        root = try CertificateAuthority()
        bundle = SPIFFEBundle(authorities: [try root.certificate()])
        policy = SPIFFEPolicy(id: try SPIFFEID(Self.name), bundle: bundle)
    }

    private func identity(
        _ uris: [String] = [name], _ extensions: [CertificateExtension] = [], names: [String] = [],
        by authority: CertificateAuthority? = nil
    ) throws -> Identity {
        try (authority ?? root).issue(
            LeafRequest(commonName: "workload", dnsNames: names, uris: uris, extensions: extensions))
    }

    /// The session's anchors are others.
    private func evaluate(
        _ identity: Identity, _ policy: SPIFFEPolicy? = nil, host: String = "payments",
        _ change: (inout ServerTrust) -> Void = { _ in }
    ) throws -> ServerTrustResult {
        var trust = try ServerTrust(identity, anchors: [])
        change(&trust)
        return ServerTrustPolicy.spiffe(policy ?? self.policy).evaluate(trust, host: host)
    }

    @Test(arguments: ["payments", "other.test", "10.0.0.1"])
    func `the workload is accepted, whatever the host is called`(host: String) throws {
        let identity = try identity()
        let result = try evaluate(identity, host: host)
        #expect(result.rule == "accepted", "\(result)")
        #expect(result.isChainValidated && result.verifiedChain.count == 2 && result.host == host)
        #expect(result.policy == "workload \(Self.name)")
        #expect(try identity.certificate().spiffeID == SPIFFEID(Self.name))
    }

    @Test func `names of hosts beside the one of the workload, and an intermediate, do no harm`() throws {
        let intermediate = try root.issueIntermediate(
            AuthorityRequest(
                commonName: "I", extensions: [CertificateExtension("subjectAltName", "URI:spiffe://a.test")]))
        #expect(try evaluate(identity(names: ["other.test"], by: intermediate)).rule == "accepted")
    }

    @Test(arguments: [
        ([], "spiffe-no-id"), ([name, name], "spiffe-several-uris"),
        ([name, "https://a.test/"], "spiffe-several-uris"),
        (["spiffe://*.test/payments"], "spiffe-invalid-id"), (["spiffe://A.test/payments"], "spiffe-invalid-id"),
        (["https://a.test/payments"], "spiffe-invalid-id"), ([name + "/"], "spiffe-invalid-id"),
        ([name + "\u{0}"], "spiffe-invalid-id"),
        (["spiffe://b.test/payments"], "spiffe-trust-domain"), (["spiffe://a.test/payment"], "spiffe-id"),
        (["spiffe://a.test"], "spiffe-id"), ([name + "/x"], "spiffe-id"), (["spiffe://a.test/Payments"], "spiffe-id"),
    ])
    func `a certificate with another name is refused, and the rule says which`(uris: [String], rule: String) throws {
        let result = try evaluate(identity(uris, names: ["payments"]))
        #expect(result.rule == rule)
        #expect(result.failure?.description.hasPrefix("payments is not trusted: ") == true)
    }

    @Test func `authorities count for their own trust domain only`() throws {
        let other = try CertificateAuthority()
        let domain = try SPIFFEID.TrustDomain("b.test")
        let both = SPIFFEPolicy(
            allowed: [.trustDomain(try SPIFFEID.TrustDomain("a.test")), .trustDomain(domain)],
            bundles: [
                try SPIFFEID.TrustDomain("a.test"): bundle,
                domain: SPIFFEBundle(authorities: [try other.certificate()]),
            ])
        #expect(try evaluate(identity(), both).rule == "accepted")
        #expect(try evaluate(identity(["spiffe://b.test/x"], by: other), both).rule == "accepted")
        #expect(try evaluate(identity(by: other), both).rule == "missing-issuer")
        #expect(try evaluate(identity(["spiffe://b.test/x"]), both).rule == "missing-issuer")
        // Nor do the anchors of the session.
        let anchor = try other.certificate()
        #expect(try evaluate(identity(by: other)) { $0.anchors = .only([anchor]) }.rule == "missing-issuer")
        #expect(
            try evaluate(identity(), SPIFFEPolicy(id: SPIFFEID(Self.name), bundle: .init(authorities: []))).rule
                == "no-anchors")
    }

    @Test func `the session's bundle counts where the policy has none`() throws {
        let domain = try SPIFFEID.TrustDomain("a.test")
        let policy = SPIFFEPolicy(allowed: [.trustDomain(domain)])
        #expect(try evaluate(identity(), policy).rule == "spiffe-trust-domain")
        #expect(try evaluate(identity(), policy) { $0.spiffeBundles = [domain: bundle] }.rule == "accepted")
        let others = SPIFFEBundle(authorities: [try CertificateAuthority().certificate()])
        #expect(try evaluate(identity()) { $0.spiffeBundles = [domain: others] }.rule == "accepted")
    }

    @Test func `a path allows the workloads below it, and nothing allows none`() throws {
        let domain = try SPIFFEID.TrustDomain("a.test")
        for (allowed, name, rule) in [
            (
                SPIFFEPolicy.Workloads.within(try SPIFFEID("spiffe://a.test/ns/prod")), "spiffe://a.test/ns/prod/x",
                "accepted"
            ),
            (.within(try SPIFFEID("spiffe://a.test/ns/prod")), "spiffe://a.test/ns/production", "spiffe-id"),
            (.trustDomain(domain), "spiffe://a.test/x", "accepted"),
            (.id(try SPIFFEID("spiffe://a.test/ns")), "spiffe://a.test/ns/x", "spiffe-id"),
        ] {
            let policy = SPIFFEPolicy(allowed: [allowed], bundles: [domain: bundle])
            #expect(try evaluate(identity([name]), policy).rule == rule, "\(allowed) \(name)")
        }
        #expect(try evaluate(identity(), SPIFFEPolicy(allowed: [], bundles: [domain: bundle])).rule == "spiffe-id")
    }

    @Test(arguments: [
        (
            ["basicConstraints": "critical,CA:TRUE", "keyUsage": "critical,digitalSignature,keyCertSign"],
            "spiffe-authority"
        ),
        (["keyUsage": "critical,keyEncipherment"], "spiffe-key-usage"), (["keyUsage": nil], "spiffe-key-usage"),
        (["keyUsage": "critical,digitalSignature,cRLSign"], "spiffe-key-usage"),
        (["keyUsage": "critical,digitalSignature,keyCertSign"], "signing-key-usage-without-authority"),
        (["keyUsage": "critical,digitalSignature,keyAgreement"], "accepted"), (["extendedKeyUsage": nil], "accepted"),
        (["extendedKeyUsage": "clientAuth"], "wrong-purpose"),
        (["extendedKeyUsage": "clientAuth,serverAuth"], "accepted"),
    ])
    func `the certificate is a workload's`(extensions: [String: String?], rule: String) throws {
        let identity = try identity([Self.name], extensions.map { CertificateExtension($0.key, $0.value) })
        #expect(try evaluate(identity).rule == rule)
    }

    @Test(arguments: [
        ("URI:spiffe://a.test", "accepted"), ("DNS:x.test,URI:https://x.test/", "accepted"),
        ("URI:spiffe://a.test/x", "spiffe-issuer"), ("URI:spiffe://A.test", "spiffe-issuer"),
        ("URI:SPIFFE://a.test", "spiffe-issuer"), ("URI:spiffe://a.test,URI:spiffe://a.test", "spiffe-issuer"),
    ])
    func `an authority has the name of a trust domain, or none`(names: String, rule: String) throws {
        let intermediate = try root.issueIntermediate(
            AuthorityRequest(commonName: "I", extensions: [CertificateExtension("subjectAltName", names)]))
        #expect(try evaluate(identity(by: intermediate)).rule == rule)
    }

    @Test func `chains are validated as always, and by the rules for every chain`() throws {
        let expired = try root.issue(
            LeafRequest(commonName: nil, dnsNames: [], uris: [Self.name], validity: .expired))
        #expect(try evaluate(expired).rule == "expired")
        #expect(try evaluate(identity()) { $0.profile = .web }.rule == "accepted")
        let intermediate = try root.issueIntermediate()
        #expect(try evaluate(identity(by: intermediate)) { $0.maximumPathDepth = 0 }.rule == "chain-too-long")
        let constrained = try root.issueIntermediate(
            AuthorityRequest(
                commonName: "I", extensions: [CertificateExtension("nameConstraints", "critical,permitted;URI:b.test")])
        )
        #expect(try evaluate(identity(by: constrained)).rule == "name-constraint")
    }

    @Test func `it is a policy among others`() throws {
        let identity = try identity(names: ["payments"])
        let trust = try ServerTrust(identity, anchors: [root.certificate()])
        let key = try identity.certificate().publicKey
        let (right, wrong) = (
            ServerTrustPolicy.spiffe(policy),
            ServerTrustPolicy.spiffe(SPIFFEPolicy(id: try SPIFFEID("spiffe://a.test/x"), bundle: bundle))
        )
        let pinned = ServerTrustPolicy.pinPublicKeys(
            publicKeys: [key], validateCertificateChain: true, validateHost: true)
        #expect(ServerTrustPolicy.composite([right, pinned]).evaluate(trust, host: "payments").isAccepted)
        #expect(ServerTrustPolicy.composite([pinned, wrong]).evaluate(trust, host: "payments").rule == "spiffe-id")
        #expect(ServerTrustPolicy.composite([right, pinned]).evaluate(trust, host: "x").rule == "name-mismatch")
        let rehearsed = ServerTrustPolicy.reportOnly(wrong).evaluate(trust, host: "payments")
        #expect(rehearsed.isAccepted && rehearsed.rehearsed?.rule == "spiffe-id")
    }

    @Test(arguments: TLSSessionTests.versions)
    func `a handshake accepts the workload, and resumes only for the same policy`(version: TLSProtocolVersion) throws {
        let identity = try identity()
        let context = try Dialogue.context(anchors: []) {
            $0.minimumVersion = version
            $0.maximumVersion = version
        }
        func dialogue(_ policy: SPIFFEPolicy) throws -> Dialogue {
            try Dialogue(
                identity: identity, context: context, host: "payments", policy: .spiffe(policy),
                server: ServerEngine.Options(ticketKey: 7))
        }
        for isResumed in [false, true] {
            let dialogue = try dialogue(policy)
            #expect(try dialogue.refusal() == nil)
            #expect(dialogue.info.resumed == isResumed && dialogue.trust?.rule == "accepted")
        }
        let other = try dialogue(SPIFFEPolicy(id: SPIFFEID("spiffe://a.test/x"), bundle: bundle))
        #expect(try other.refusal() == "spiffe-id")
        #expect(!other.info.resumed)
    }

    @Test func `a certificate of thousands of names is refused before they are compared`() throws {
        let names = (0..<5000).map { "a\($0).test" }
        #expect(try evaluate(identity(names: names)).rule == "name-count")
    }
}
