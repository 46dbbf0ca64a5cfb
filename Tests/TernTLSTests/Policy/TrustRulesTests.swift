// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import TernTesting
import Testing

@testable import TernTLS

/// Policies with rules of their own, in place of those of the session.
struct TrustRulesTests {
    private let root: CertificateAuthority
    private let intermediate: CertificateAuthority
    private let identity: Identity
    private static let usual = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)

    init() throws {
        root = try CertificateAuthority()
        intermediate = try root.issueIntermediate()
        identity = try intermediate.issue(
            LeafRequest(dnsNames: ["a.example", "*.b.example"], ipAddresses: ["10.1.2.3"]))
    }

    private func trust(_ time: Int64? = nil) throws -> ServerTrust {
        var trust = try ServerTrust(identity, anchors: [root.certificate()])
        if let time { trust.time = time }
        return trust
    }

    private func rule(of rules: TrustRules, _ trust: ServerTrust) -> String {
        ServerTrustPolicy.applying(rules, to: Self.usual).evaluate(trust, host: "a.example").rule
    }

    @Test func `rules without content change nothing`() throws {
        #expect(rule(of: TrustRules(), try trust()) == "accepted")
    }

    @Test func `anchors of the policy take the place of the session's`() throws {
        let stranger = try CertificateAuthority().certificate()
        var rules = TrustRules()
        rules.anchors = .only([stranger])
        #expect(rule(of: rules, try trust()) == "missing-issuer")
        rules.anchors = .only([try root.certificate()])
        var foreign = try trust()
        foreign.anchors = .only([stranger])
        #expect(rule(of: rules, foreign) == "accepted")
        // Beside others, each policy has its own.
        let both = ServerTrustPolicy.composite([.applying(rules, to: Self.usual), Self.usual])
        #expect(both.evaluate(foreign, host: "a.example").rule == "missing-issuer")
        #expect(both.evaluate(try trust(), host: "a.example").rule == "accepted")
    }

    @Test func `the profile and the depth of paths are the policy's`() throws {
        var rules = TrustRules()
        rules.maximumPathDepth = 0
        #expect(rule(of: rules, try trust()) == "chain-too-long")
        var strict = try trust()
        strict.maximumPathDepth = 0
        rules.maximumPathDepth = 1
        #expect(rule(of: rules, strict) == "accepted")
        rules.profile = .web
        #expect(rule(of: rules, try trust()) != "accepted")
    }

    @Test func `keys and signatures may have a minimum strength`() throws {
        var rules = TrustRules()
        rules.minimumKeyStrength = 128
        rules.minimumSignatureStrength = 128
        #expect(rule(of: rules, try trust()) == "accepted")
        rules.minimumKeyStrength = 129
        #expect(rule(of: rules, try trust()) == "weak-key")
        rules.minimumKeyStrength = nil
        rules.minimumSignatureStrength = 129
        #expect(rule(of: rules, try trust()) == "weak-signature")
    }

    @Test func `an older version of TLS than the minimum is refused, where the version is known`() throws {
        var rules = TrustRules()
        rules.minimumVersion = .v1_3
        var trust = try trust()
        #expect(rule(of: rules, trust) == "accepted")
        for (version, expected) in [(TLSProtocolVersion.v1_2, "protocol-version"), (.v1_3, "accepted")] {
            trust.protocolVersion = version
            #expect(rule(of: rules, trust) == expected)
        }
    }

    @Test(arguments: [
        (["a.example", "**.b.example"], ["10.0.0.0/8"], "accepted"),
        (["a.example", "*.b.example"], ["10.1.2.3/32"], "accepted"),
        (["**.example"], ["10.1.2.0/23"], "accepted"),
        (["a.example", "b.example"], ["10.0.0.0/8"], "anchor-condition"),
        (["a.example", "*.example"], ["10.0.0.0/8"], "anchor-condition"), ([], ["10.0.0.0/8"], "anchor-condition"),
        (["**.example"], [], "anchor-condition"), (["**.example"], ["10.1.4.0/23"], "anchor-condition"),
    ])
    func `an anchor counts for its names and addresses alone`(hosts: [String], networks: [String], expected: String)
        throws
    {
        var conditions = AnchorConditions()
        conditions.hosts = try hosts.map { try HostPattern($0) }
        conditions.networks = networks.map { network in
            let parts = network.split(separator: "/")
            return AddressBlock(
                parts[0].split(separator: ".").compactMap { UInt8($0) }, prefixLength: Int(parts[1]) ?? 0)
        }
        var rules = TrustRules()
        rules.anchorConditions = [try root.certificate(): conditions]
        #expect(rule(of: rules, try trust()) == expected)
        // Those of another anchor do not matter.
        rules.anchorConditions = [try CertificateAuthority().certificate(): conditions]
        #expect(rule(of: rules, try trust()) == "accepted")
    }

    @Test func `an anchor counts for its time, and for what was issued in it`() throws {
        let leaf = try X509Certificate(pem: identity.certificatePEM)
        let (begin, now) = (try #require(leaf.notBefore), Timestamp.now)
        func rule(_ conditions: (inout AnchorConditions) -> Void) throws -> String {
            var all = AnchorConditions()
            conditions(&all)
            var rules = TrustRules()
            rules.anchorConditions = [try root.certificate(): all]
            return self.rule(of: rules, try trust(now))
        }
        #expect(try rule { $0.notAfter = now } == "accepted")
        #expect(try rule { $0.notAfter = now - 1 } == "anchor-condition")
        #expect(try rule { $0.issuedUntil = begin } == "accepted")
        #expect(try rule { $0.issuedUntil = begin - 1 } == "anchor-condition")
    }

    @Test func `must-staple is enforced, or not, as the policy says`() throws {
        let demanding = try root.issue(
            LeafRequest(
                dnsNames: ["a.example"], extensions: [CertificateExtension("tlsfeature", "status_request")]))
        var trust = try ServerTrust(demanding, anchors: [root.certificate()])
        for session in [true, false] {
            for own in [nil, true, false] as [Bool?] {
                trust.enforcesMustStaple = session
                var rules = TrustRules()
                rules.enforcesMustStaple = own
                let expected = own ?? session ? "missing-staple" : "accepted"
                #expect(rule(of: rules, trust) == expected, "\(session) \(String(describing: own))")
                let rehearsed = ServerTrustPolicy.reportOnly(.applying(rules, to: Self.usual))
                trust.enforcesMustStaple = false
                let verdict = rehearsed.evaluate(trust, host: "a.example")
                #expect(verdict.isAccepted && verdict.rehearsed?.rule == (own == true ? "missing-staple" : "accepted"))
            }
        }
    }

    @Test func `rules are equal by content, and only dates call for a further evaluation`() throws {
        var rules = TrustRules()
        rules.minimumVersion = .v1_3
        let policy = ServerTrustPolicy.applying(rules, to: Self.usual)
        #expect(policy == .applying(rules, to: Self.usual) && policy != .applying(TrustRules(), to: Self.usual))
        #expect(!policy.isReevaluated)
        rules.anchorConditions = [try root.certificate(): AnchorConditions()]
        #expect(!ServerTrustPolicy.applying(rules, to: Self.usual).isReevaluated)
        rules.anchorConditions[try root.certificate()]?.notAfter = 0
        #expect(ServerTrustPolicy.applying(rules, to: Self.usual).isReevaluated)
    }

    @Test func `a handshake offers no version below the minimum`() throws {
        var rules = TrustRules()
        rules.minimumVersion = .v1_3
        let policy = ServerTrustPolicy.applying(rules, to: Self.usual)
        let dialogue = try Dialogue(root: root, policy: policy)
        _ = try dialogue.handshake()
        #expect(dialogue.info.version == "TLSv1.3")
        #expect(throws: (any Error).self) {
            try Dialogue(root: root, policy: policy, server: .init(maximum: TLS1_2_VERSION)).handshake()
        }
    }
}
