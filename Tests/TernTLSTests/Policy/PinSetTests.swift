// SPDX-License-Identifier: Apache-2.0
import TernTLS
import TernTesting
import Testing

struct PinSetTests {
    /// A server of a test authority, seen by a client that trusts that authority.
    private struct Server {
        let leaf, intermediate, root: X509Certificate
        let trust: ServerTrust
        static let host = "api.example.com"

        init(dnsName: String = Server.host) throws {
            let authority = try CertificateAuthority()
            let intermediate = try authority.issueIntermediate()
            let identity = try intermediate.issue(LeafRequest(dnsNames: [dnsName]))
            leaf = try identity.certificate()
            self.intermediate = try intermediate.certificate()
            root = try authority.certificate()
            trust = try ServerTrust(identity, anchors: [root])
        }
    }

    private static let stranger = X509Certificate.PublicKey(subjectPublicKeyInfo: [1])

    @Test func `a pin or a backup anywhere in the verified chain is enough`() throws {
        let server = try Server()
        for certificate in [server.leaf, server.intermediate, server.root] {
            for set in [
                PinSet(pins: [Self.stranger, certificate.publicKey]),
                PinSet(pins: [Self.stranger], backupPins: [certificate.publicKey]),
            ] {
                let result = ServerTrustPolicy.pinSet(set).evaluate(server.trust, host: Server.host)
                #expect(result.isAccepted)
                #expect(result.isChainValidated)
                #expect(result.waived == nil)
            }
        }
    }

    @Test func `a set for the leaf takes no authority's key`() throws {
        let server = try Server()
        for (certificate, passes) in [(server.leaf, true), (server.intermediate, false), (server.root, false)] {
            let set = PinSet(pins: [certificate.publicKey], scope: .leaf)
            #expect(ServerTrustPolicy.pinSet(set).evaluate(server.trust, host: Server.host).isAccepted == passes)
        }
    }

    @Test func `a set that does not validate compares the leaf, whatever its host, its authority and its date`() throws
    {
        let server = try Server()
        var trust = server.trust
        trust.anchors = .only([])
        for (certificate, passes) in [(server.leaf, true), (server.intermediate, false), (server.root, false)] {
            var set = PinSet(pins: [certificate.publicKey], scope: .leaf, expires: 1)
            set.validatesChain = false
            let result = ServerTrustPolicy.pinSet(set).evaluate(trust, host: "another.test")
            #expect(result.isAccepted == passes && !result.isChainValidated)
            #expect(passes || result.failure?.reason == .keyNotPinned(pins: set.pins))
        }
    }

    @Test func `a mismatch is refused and names the keys seen and the keys wanted`() throws {
        let server = try Server()
        let set = PinSet(pins: [Self.stranger], backupPins: [X509Certificate.PublicKey(subjectPublicKeyInfo: [2])])
        let failure = try #require(ServerTrustPolicy.pinSet(set).evaluate(server.trust, host: Server.host).failure)
        #expect(failure.reason == .keyNotPinned(pins: set.pins + set.backupPins))
        #expect(failure.seen.map(\.publicKey) == [server.leaf, server.intermediate, server.root].map(\.publicKey))
    }

    @Test func `a set that only reports accepts a mismatch and reports it`() throws {
        let server = try Server()
        let policy = ServerTrustPolicy.pinSet(PinSet(pins: [Self.stranger], mode: .reportOnly))
        let result = policy.evaluate(server.trust, host: Server.host)
        #expect(result.isAccepted)
        #expect(result.rule == "accepted-unpinned")
        #expect(result.waived?.rule == "key-not-pinned")
        #expect(result.explanation.contains("not refused"))
        #expect(PinFailureReport(result, port: 443, pinSet: PinSet(pins: []))?.isRefused == false)
    }

    @Test(arguments: PinSet.Mode.allCases)
    func `a chain that is not valid is refused in either mode, expired pins or not`(mode: PinSet.Mode) throws {
        let server = try Server(dnsName: "elsewhere.example.com")
        for expires in [nil, Int64(0)] {
            let set = PinSet(pins: [server.leaf.publicKey], mode: mode, expires: expires)
            let result = ServerTrustPolicy.pinSet(set).evaluate(server.trust, host: Server.host)
            #expect(result.rule == "name-mismatch")
            #expect(result.waived == nil)
        }
    }

    @Test func `from the moment it expires, nothing is pinned`() throws {
        let server = try Server()
        let moment = server.trust.time
        for (expires, passes) in [(moment - 1, true), (moment, true), (moment + 1, false), (Int64.max, false)] {
            let set = PinSet(pins: [Self.stranger], expires: expires)
            #expect(ServerTrustPolicy.pinSet(set).evaluate(server.trust, host: Server.host).isAccepted == passes)
        }
    }

    @Test(arguments: PinSet.Mode.allCases)
    func `a verdict with expired pins says so`(mode: PinSet.Mode) throws {
        let server = try Server()
        for pin in [Self.stranger, server.leaf.publicKey] {
            let set = ServerTrustPolicy.pinSet(PinSet(pins: [pin], mode: mode, expires: server.trust.time))
            for policy in [set, .composite([.performDefaultEvaluation(validateHost: true), set])] {
                let result = policy.evaluate(server.trust, host: Server.host)
                #expect(result.isAccepted)
                #expect(result.hasExpiredPins)
                #expect(result.rule == "accepted-expired-pins")
                #expect(result.sentence.hasPrefix("the pins have expired and are ignored: "))
                #expect(policy.evaluate(server.trust, host: "example.org").rule == "name-mismatch")
                #expect(!policy.evaluate(server.trust, host: "example.org").hasExpiredPins)
            }
        }
    }

    @Test func `a pinned certificate that is merely sent does not help`() throws {
        let (server, other) = (try Server(), try Server())
        var trust = server.trust
        trust.sentChain += [other.leaf, other.intermediate, other.root]
        let set = PinSet(pins: [other.leaf.publicKey, other.intermediate.publicKey, other.root.publicKey])
        #expect(ServerTrustPolicy.pinSet(set).evaluate(trust, host: Server.host).rule == "key-not-pinned")
    }

    @Test func `hosts are covered by patterns, but for those excluded`() throws {
        let set = PinSet(
            hosts: [try HostPattern("**.example.com")], excludedHosts: [try HostPattern("*.dev.example.com")], pins: [])
        #expect(set.covers("example.com"))
        #expect(set.covers("dev.example.com"))
        #expect(!set.covers("a.dev.example.com"))
        #expect(set.excludes("A.dev.example.com."))
        #expect(!set.covers("example.org"))
    }
}

struct PinSetWarningsTests {
    private static let stranger = X509Certificate.PublicKey(subjectPublicKeyInfo: [1])

    @Test func `warnings say what will hurt, and nothing traps`() {
        let (one, two) = (Self.stranger, X509Certificate.PublicKey(subjectPublicKeyInfo: [2]))
        let day: Int64 = 86400
        let cases: [(PinSet, [PinSet.Warning])] = [
            (PinSet(pins: []), [.noPins]), (PinSet(pins: [one]), [.onePin]),
            (PinSet(pins: [one, one]), [.onePin, .repeatedPin(one)]), (PinSet(pins: [one, two]), [.noBackup]),
            (PinSet(pins: [one], backupPins: [two]), []),
            (PinSet(pins: [one], backupPins: [two], expires: 0), [.expired]),
            (PinSet(pins: [one], backupPins: [two], expires: 10 * day), [.expiresSoon(days: 9)]),
            (PinSet(pins: [one], backupPins: [two], expires: .max), []),
            (PinSet(pins: [one], backupPins: [two], expires: .min), [.expired]),
            (PinSet(pins: [one], backupPins: [two], mode: .reportOnly), [.reportsNowhere]),
            (PinSet(pins: [one], backupPins: [two], mode: .reportOnly, reportURLs: ["https://a.example"]), []),
        ]
        for (set, expected) in cases {
            #expect(set.warnings(at: 1) == expected)
            #expect(set.warnings(at: 1).allSatisfy { !"\($0)".isEmpty })
        }
        #expect(PinSet(pins: [one], backupPins: [two], expires: .max).warnings(at: .min).isEmpty)
    }

    @Test(
        arguments: [
            ([], ["example.com"], false), (["example.com"], [], false), (["example.com"], ["example.com"], true),
            (["a.example.com"], ["*.example.com"], true), (["example.com"], ["*.example.com"], false),
            (["example.com", "a.example.com"], ["**.example.com"], true),
            (["example.com", "example.org"], ["**.example.com"], false),
            (["*.example.com"], ["*.example.com"], true), (["*.example.com"], ["**.example.com"], true),
            (["*.a.example.com"], ["**.example.com"], true), (["*.a.example.com"], ["*.example.com"], false),
            (["*.example.com"], ["a.example.com"], false), (["**.example.com"], ["*.example.com"], false),
            (["**.example.com"], ["**.example.com"], true), (["**.a.example.com"], ["**.example.com"], true),
            (["**.example.com"], ["**.a.example.com"], false), (["127.0.0.1"], ["127.0.0.1"], true),
        ] as [([String], [String], Bool)])
    func `a set that excludes all of its own hosts is warned of`(
        hosts: [String], excluded: [String], isWarnedOf: Bool
    ) throws {
        let set = PinSet(
            hosts: try hosts.map(HostPattern.init), excludedHosts: try excluded.map(HostPattern.init),
            pins: [Self.stranger], backupPins: [X509Certificate.PublicKey(subjectPublicKeyInfo: [2])])
        #expect(set.warnings(at: 0) == (isWarnedOf ? [.excludesItsHosts] : []))
    }

    @Test func `a pattern for a whole top-level domain is warned of`() throws {
        let hosts = try ["**.com", "*.com", "com", "*.example.com", "**.example.com"].map(HostPattern.init)
        let set = PinSet(
            hosts: hosts, pins: [Self.stranger], backupPins: [X509Certificate.PublicKey(subjectPublicKeyInfo: [2])])
        #expect(set.warnings(at: 0) == hosts.prefix(2).map(PinSet.Warning.topLevelDomain))
        #expect(set.warnings(at: 0).map(\.description).first?.hasPrefix("**.com covers a whole") == true)
    }
}
