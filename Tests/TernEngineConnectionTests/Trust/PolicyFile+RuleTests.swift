// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// The second version of the format.
@Suite(.timeLimit(.minutes(5))) struct PolicyFileRuleTests {
    private static let one = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    private static let two = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE="

    private static let upperCase: String = {
        do { return "\(try SPIFFEID("spiffe://A.org/x"))" } catch { return "\(error)" }
    }()

    private func file(_ text: String) throws(PolicyFileError) -> PolicyFile { try PolicyFile(json: Array(text.utf8)) }

    private func rule(_ members: String) throws -> PolicyFile.Rule {
        let file = try file(#"{"version": 2, "rules": [{"hosts": ["a.example"], \#(members)}]}"#)
        return try #require(file.rules.first)
    }

    @Test func `a rule is read to the last member`() throws {
        let authority = try CertificateAuthority()
        let pem = authority.certificatePEM.replacing("\n", with: "\\n")
        let rule = try rule(
            """
            "excludedHosts": ["b.example"], "mode": "reportOnly", "pins": ["\(Self.one)"], "backupPins": ["\(Self.two)"],
            "scope": "leaf", "expires": "2030-12-31", "reportURLs": ["https://r.example/"],
            "anchors": [
                {"certificate": "\(pem)", "hosts": ["**.example"], "networks": ["10.0.0.0/8"], "notAfter": "2030-01-01",
                 "issuedUntil": "2029-01-01"}
            ],
            "systemAnchors": true, "certificateTransparency": "apple", "requiresFreshLogs": true,
            "revocation": {"methods": ["crl"], "unknown": "refuse", "network": false},
            "mustStaple": true, "fetchIssuers": false, "minTLSVersion": "1.3", "profile": "web", "maxPathDepth": 2,
            "minKeyStrength": 128, "minSignatureStrength": 192, "distrustedKeys": ["\(Self.two)"],
            "distrustedSerials": [{"issuerKey": "\(Self.one)", "serial": "0:fe:01"}]
            """)
        let anchor = try X509Certificate(pem: authority.certificatePEM)
        let (one, two) = (try X509Certificate.PublicKey(pin: Self.one), try X509Certificate.PublicKey(pin: Self.two))
        var expected = PolicyFile.Rule(hosts: [try HostPattern("a.example")])
        expected.excludedHosts = [try HostPattern("b.example")]
        expected.mode = .reportOnly
        expected.pinSet = PinSet(
            pins: [one], backupPins: [two], scope: .leaf, expires: 1_924_905_600, reportURLs: ["https://r.example/"])
        expected.transparency = .apple(requiresFreshList: true)
        expected.revocation = [.crl, .requirePositiveResponse, .networkAccessDisabled]
        expected.rules.anchors = .systemAnd([anchor])
        var conditions = AnchorConditions()
        conditions.hosts = [try HostPattern("**.example")]
        conditions.networks = [AddressBlock([10, 0, 0, 0], prefixLength: 8)]
        (conditions.notAfter, conditions.issuedUntil) = (1_893_456_000, 1_861_920_000)
        expected.rules.anchorConditions = [anchor: conditions]
        expected.rules.enforcesMustStaple = true
        expected.rules.fetchesMissingIssuers = false
        expected.rules.minimumVersion = .v1_3
        expected.rules.profile = .web
        expected.rules.maximumPathDepth = 2
        expected.rules.minimumKeyStrength = 128
        expected.rules.minimumSignatureStrength = 192
        expected.rules.distrusted = DistrustedCertificates([
            .publicKey(two), .serialNumberUnderKey([0, 0xfe, 1], one),
        ])
        #expect(rule == expected)
        guard case .rehearsal(of: .applying(expected.rules, to: .composite(let parts)), _) = rule.policy else {
            Issue.record("\(rule.policy)")
            return
        }
        #expect(parts.count == 3)
    }

    @Test func `members of the file are read, and those of other hosts are a rule`() throws {
        let file = try file(
            """
            {"version": 2, "number": 7, "profile": "web", "maxPathDepth": 3, "unlistedHosts": {"minTLSVersion": "1.3"},
             "rules": [{"hosts": ["**.a.example"], "excludedHosts": ["c.a.example"]}]}
            """)
        #expect(file.version == 2 && file.number == 7 && file.profile == .web && file.maximumPathDepth == 3)
        let manager = file.manager()
        let usual = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)
        var rules = TrustRules()
        rules.minimumVersion = .v1_3
        #expect(manager.serverTrustPolicy(forHost: "b.a.example") == usual)
        for host in ["c.a.example", "b.example", "127.0.0.1"] {
            #expect(manager.serverTrustPolicy(forHost: host) == .applying(rules, to: usual))
        }
        #expect(
            try self.file(#"{"version": 2, "unlistedHosts": "refuse", "rules": []}"#).manager().allHostsMustBeEvaluated)
    }

    @Test func `revocation without members asks by every method`() throws {
        #expect(try rule(#""revocation": {}"#).revocation == .useAnyAvailableMethod)
        #expect(try rule(#""revocation": {"methods": ["ocsp"]}"#).revocation == .ocsp)
    }

    @Test func `the first version means what it did`() throws {
        let set =
            #"{"hosts": ["**.a.example"], "excludedHosts": ["b.a.example"], "pins": ["\#(Self.one)"], "mode": "reportOnly"}"#
        let old = try file(#"{"pinSets": [\#(set)]}"#)
        let policy = try #require(old.manager().serverTrustPolicy(forHost: "c.a.example"))
        #expect(policy == .pinSet(old.pinSets[0]) && old.pinSets[0].mode == .reportOnly && old.version == 1)
        #expect(old.manager().serverTrustPolicy(forHost: "b.a.example") == nil)
        // In the second version, a rule that only reports is evaluated beside the default one.
        let new = try file(#"{"version": 2, "rules": [\#(set)]}"#)
        #expect(new.manager().serverTrustPolicy(forHost: "c.a.example") == .reportOnly(.pinSet(new.pinSets[0])))
        #expect(new.pinSets[0].mode == .enforce)
    }

    @Test func `workloads are read with their trust domains`() throws {
        let authority = try CertificateAuthority()
        let pem = authority.certificatePEM.replacing("\n", with: "\\n")
        let rule = try rule(
            """
            "spiffe": {
                "ids": ["spiffe://a.org/x"], "within": ["spiffe://a.org/y"], "trustDomains": ["b.org"],
                "bundles": [{"trustDomain": "a.org", "certificates": "\(pem)"}]
            }, "minTLSVersion": "1.3"
            """)
        let (id, within) = (try SPIFFEID("spiffe://a.org/x"), try SPIFFEID("spiffe://a.org/y"))
        let policy = SPIFFEPolicy(
            allowed: [.id(id), .within(within), .trustDomain(try SPIFFEID.TrustDomain("b.org"))],
            bundles: [id.trustDomain: SPIFFEBundle(authorities: [try X509Certificate(pem: authority.certificatePEM)])])
        #expect(rule.workloads == policy)
        guard case .applying(_, to: .spiffe(policy)) = rule.policy else {
            Issue.record("\(rule.policy)")
            return
        }
    }

    /// A rule's members, and the error.
    @Test(arguments: [
        (#""pinz": []"#, "rules[0].pinz: there is no such field; did you mean \"pins\"?"),
        (#""pins": []"#, "rules[0].pins: the list is empty"),
        (#""backupPins": ["…"]"#, "rules[0].backupPins: this has no effect without \"pins\""),
        (#""expires": "2030-01-01""#, "rules[0].expires: this has no effect without \"pins\""),
        (#""anchors": []"#, "rules[0].anchors: the list is empty"),
        (#""anchors": [{}]"#, "rules[0].anchors[0].certificate: the field is missing"),
        (#""anchors": [{"certificate": "x"}]"#, "rules[0].anchors[0].certificate: no PEM certificate found"),
        (#""systemAnchors": true"#, "rules[0].systemAnchors: this has no effect without \"anchors\""),
        (
            #""certificateTransparency": "mozilla""#,
            "rules[0].certificateTransparency: \"mozilla\" is none of \"chrome\", \"apple\""
        ),
        (
            #""requiresFreshLogs": true"#,
            "rules[0].requiresFreshLogs: this has no effect without \"certificateTransparency\""
        ),
        (#""revocation": true"#, "rules[0].revocation: an object is expected here, not a boolean"),
        (
            #""revocation": {"unknwon": "refuse"}"#,
            "rules[0].revocation.unknwon: there is no such field; did you mean \"unknown\"?"
        ),
        (#""revocation": {"methods": []}"#, "rules[0].revocation.methods: the list is empty"),
        (#""mustStaple": "yes""#, "rules[0].mustStaple: true or false is expected here, not a string"),
        (#""minTLSVersion": 1.3"#, "rules[0].minTLSVersion: a string is expected here, not a number"),
        (#""minTLSVersion": "1.1""#, "rules[0].minTLSVersion: \"1.1\" is none of \"1.2\", \"1.3\""),
        (#""minKeyStrength": 80"#, "rules[0].minKeyStrength: 80 is not a whole number from 112 to 256"),
        (#""maxPathDepth": -1"#, "rules[0].maxPathDepth: -1 is not a whole number from 0 to 10"),
        (
            #""distrustedSerials": [{"issuerKey": "…", "serial": "x"}]"#,
            "rules[0].distrustedSerials[0].serial: \"x\" is no serial number in at most 40 hexadecimal digits"
        ),
        (
            #""pins": ["…"], "spiffe": {"trustDomains": ["a.org"]}"#,
            "rules[0].spiffe: this cannot stand beside \"pins\""
        ),
        (#""spiffe": {}"#, "rules[0].spiffe: the list is empty"),
        (#""spiffe": {"ids": ["spiffe://A.org/x"]}"#, "rules[0].spiffe.ids[0]: \(Self.upperCase)"),
        (#""pinSets": []"#, "rules[0].pinSets: there is no such field"),
    ])
    func `an error names the member`(members: String, message: String) {
        #expect { try rule(members.replacing("…", with: Self.one)) } throws: { "\($0)".hasSuffix(message) }
    }

    @Test func `an address with bits behind its prefix is an error of its field`() throws {
        let pem = try CertificateAuthority().certificatePEM.replacing("\n", with: "\\n")
        #expect {
            try rule(#""anchors": [{"certificate": "\#(pem)", "networks": ["10.0.0.1/8"]}]"#)
        } throws: { "\($0)".contains("rules[0].anchors[0].networks[0]: ") }
    }

    @Test func `a host of two rules is an error, and a rule needs hosts`() {
        #expect {
            try file("{\"version\": 2, \"rules\": [{\"hosts\": [\"a.b\"]},\n{\"hosts\": [\"c.d\", \"A.B.\"]}]}")
        } throws: { "\($0)" == "line 2, column 19, rules[1].hosts[1]: \"a.b\" is in this list or another already" }
        #expect { try file(#"{"version": 2, "rules": [{}]}"#) } throws: {
            "\($0)".hasSuffix("rules[0].hosts: the field is missing")
        }
        #expect { try file(#"{"version": 2}"#) } throws: { "\($0)".hasSuffix("rules: the field is missing") }
        #expect { try file(#"{"version": 2, "pinSets": [], "rules": []}"#) } throws: {
            "\($0)".hasSuffix("pinSets: there is no such field")
        }
    }

    @Test func `each member of each object is in the schema, which is JSON`() throws {
        let schema = Array(PolicyFile.jsonSchema.utf8)
        var fields = try JSONFields(reading: schema)
        #expect(try fields.require("$schema").string() == "https://json-schema.org/draft/2020-12/schema")
        var properties = try JSONFields(fields.require("properties"))
        for name in ["version", "number", "unlistedHosts", "profile", "maxPathDepth", "rules"] {
            #expect(properties.take(name) != nil, "\(name)")
        }
        for member in ["distrustedSerials", "issuedUntil", "methods", "issuerKey", "minSignatureStrength"] {
            #expect(PolicyFile.jsonSchema.contains("\"\(member)\": {"), "\(member)")
            #expect(PolicyFile.page.contains { $0.contains("\(member)`") }, "\(member)")
        }
    }

    @Test(arguments: [KeyKind.p256, .rsa(bits: 2048)])
    func `a signed policy is read, and one that is unsigned, changed or signed by another is not`(kind: KeyKind) throws
    {
        let signer = try TransparencyTestLog("signer", operatorName: "x", key: kind)
        let other = try TransparencyTestLog("other", operatorName: "x", key: kind)
        let json = Array(#"{"version": 2, "number": 3, "rules": []}"#.utf8)
        let signature = try signer.sign(json)
        #expect(try PolicyFile(json: json, signature: signature, publicKey: signer.publicKey).number == 3)
        for (json, signature, key) in [
            (json, [], signer.publicKey), (json + [0x20], signature, signer.publicKey),
            (json, signature, other.publicKey), (json, try other.sign(json), signer.publicKey), (json, signature, []),
        ] {
            #expect(throws: PolicyFileError(.invalidSignature)) {
                try PolicyFile(json: json, signature: signature, publicKey: key)
            }
        }
    }

    @Test func `the number of a policy only grows`() throws {
        let folder = try TestFolder()
        let path = folder.url("number").path
        func keep(_ number: Int?) throws(PolicyFileError) {
            var file = PolicyFile(rules: [])
            file.number = number
            try file.keepNumber(in: path)
        }
        try keep(3)
        try keep(3)
        #expect(throws: PolicyFileError(.outdated(number: 2, last: 3), field: "number")) { try keep(2) }
        try keep(.max)
        #expect(throws: PolicyFileError(.outdated(number: 4, last: .max), field: "number")) { try keep(4) }
        #expect(throws: PolicyFileError(.missingField, field: "number")) { try keep(nil) }
        for text in ["", "three", "-1", "99999999999999999999", "3\n3"] {
            try folder.write(text, to: "number")
            #expect(throws: PolicyFileError(.invalidNumberFile(path: path)), "\(text)") { try keep(5) }
        }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        #expect { try keep(5) } throws: { "\($0)".hasPrefix("cannot read") }
    }

    @Test func `an override comes first, in a build for debugging`() throws {
        let folder = try TestFolder()
        let pin = #""pins": ["\#(Self.one)"]"#
        let policy = try file(#"{"version": 2, "rules": [{"hosts": ["a.example", "b.example"], \#(pin)}]}"#)
        let override =
            #"{"version": 2, "rules": [{"hosts": ["**.example"], "excludedHosts": ["b.example"], "minTLSVersion": "1.3"}]}"#
        try folder.write(override, to: "override.json")
        let manager = try policy.overridden(byDebugFile: folder.url("override.json")).manager()
        #expect(manager.serverTrustPolicy(forHost: "a.example")?.pinSets.isEmpty == true)
        #expect(manager.serverTrustPolicy(forHost: "b.example")?.pinSets.count == 1)
        #expect(throws: PolicyFileError.self) {
            try policy.overridden(byDebugFile: folder.url("none.json"))
        }
    }

    @Test func `a policy with a hundred thousand hosts is read and asked in no time`() throws {
        let rules = (0..<100_000).map {
            #"{"hosts": ["h\#($0).example"], "pins": ["\#(Self.one)"], "minTLSVersion": "1.3"}"#
        }
        let text = #"{"version": 2, "rules": [\#(rules.joined(separator: ",\n"))]}"#
        let manager = try file(text).manager()
        let clock = ContinuousClock()
        let time = clock.measure {
            for number in 0..<1000 { _ = manager.serverTrustPolicy(forHost: "h\(number * 100).example") }
        }
        #expect(time < .seconds(1))
    }

    /// One server, met by sessions with rules.
    @Test func `a session's rules decide in the handshake`() async throws {
        let root = try CertificateAuthority()
        let identity = try root.issue(LeafRequest(ipAddresses: ["127.0.0.1"]))
        let origin = try ScriptedOrigin(tls: identity) { _, _ in [.ok("answer")] }
        let pem = root.certificatePEM.replacing("\n", with: "\\n")
        let anchor = #""anchors": [{"certificate": "\#(pem)""#
        let cases: [(String, String?)] = [
            (#"\#(anchor)}]"#, nil), (#"\#(anchor), "hosts": ["localhost"], "networks": ["127.0.0.0/8"]}]"#, nil),
            (#"\#(anchor), "hosts": ["**.example"]}]"#, "anchor-condition"),
            (#"\#(anchor)}], "minTLSVersion": "1.3", "minKeyStrength": 128"#, nil),
            (#"\#(anchor)}], "minKeyStrength": 192"#, "weak-key"),
            (#"\#(anchor)}], "pins": ["\#(identity.pin)"]"#, nil),
            (#"\#(anchor)}], "pins": ["\#(Self.one)"]"#, "key-not-pinned"),
            (#"\#(anchor)}], "pins": ["\#(Self.one)"], "mode": "reportOnly""#, "missing-issuer"),
            (#"\#(anchor)}], "distrustedKeys": ["\#(identity.pin)"]"#, "distrusted"),
            (#"\#(anchor)}], "certificateTransparency": "chrome""#, "certificate-transparency"),
            (#""minTLSVersion": "1.3""#, "missing-issuer"),
        ]
        for (members, rule) in cases {
            let file = try file(#"{"version": 2, "rules": [{"hosts": ["localhost"], \#(members)}]}"#)
            let session = Session.limited(policies: [:])
            session.serverTrustPolicyManager = file.manager()
            let error = await session.failure(of: try URLRequest(origin))
            #expect(error?.reason.trustFailure?.rule == rule, "\(members)")
        }
    }
}
