// SPDX-License-Identifier: Apache-2.0
import TernTLS
import TernTesting
import Testing

/// Which names a certificate proves. OpenSSL's own defaults accept the first five of the bad ones.
struct ServerNameTests {
    struct Name: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var host: String
        var leaf: LeafRequest

        init(_ description: String, _ host: String, _ leaf: LeafRequest) {
            testDescription = description
            self.host = host
            self.leaf = leaf
        }
    }

    private static func names(_ dns: String...) -> LeafRequest { LeafRequest(dnsNames: dns) }

    static let good: [Name] = [
        Name("exact", "a.example.com", names("a.example.com")),
        Name("case of the host", "A.EXAMPLE.COM", names("*.example.com")),
        Name("case of the certificate", "a.example.com", names("*.EXAMPLE.com")),
        Name("wildcard", "a.example.com", names("*.example.com")),
        Name("second of several", "b.test", names("a.test", "b.test")),
        Name("trailing dot", "a.example.com.", names("*.example.com")),
        Name("underscore", "a_b.example.com", names("a_b.example.com")),
        Name("A-label", "xn--bcher-kva.example", names("xn--bcher-kva.example")),
        Name("IPv4 as address", "127.0.0.1", LeafRequest(dnsNames: [], ipAddresses: ["127.0.0.1"])),
        Name("IPv6 as address", "::1", LeafRequest(dnsNames: [], ipAddresses: ["::1"])),
        Name("IPv6 spelt otherwise", "0:0::0:1", LeafRequest(dnsNames: [], ipAddresses: ["::1"])),
        Name("IPv6 with a zone", "fe80::1%eth0", LeafRequest(dnsNames: [], ipAddresses: ["fe80::1"])),
        Name("other common name", "a.test", LeafRequest(commonName: "b.test", dnsNames: ["a.test"])),
        Name("no subject at all", "a.test", LeafRequest(commonName: nil, dnsNames: ["a.test"])),
    ]

    static let bad: [Name] = [
        Name("IPv4 as DNS name", "127.0.0.1", names("127.0.0.1")),
        Name("common name only", "a.test", LeafRequest(commonName: "a.test", dnsNames: [])),
        Name(
            "common name beside an address", "localhost",
            LeafRequest(commonName: "localhost", dnsNames: [], ipAddresses: ["127.0.0.1"])),
        Name("partial wildcard, front", "login.example.com", names("lo*.example.com")),
        Name("partial wildcard, back", "test.example.com", names("*st.example.com")),
        Name(
            "common name beside a URI", "a.test",
            LeafRequest(commonName: "a.test", dnsNames: [], uris: ["https://a.test"])),
        Name("wildcard for a top-level domain", "example.com", names("*.com")),
        Name("wildcard for everything", "example.com", names("*")),
        Name("wildcard over two labels", "a.b.example.com", names("*.example.com")),
        Name("wildcard over no label", "example.com", names("*.example.com")),
        Name("wildcard in the middle", "a.b.example.com", names("a.*.example.com")),
        Name("two wildcards", "a.b.example.com", names("*.*.example.com")),
        Name("wildcard for an address", "127.0.0.1", names("*.0.0.1")),
        Name("suffix", "a.example.com", names("example.com")),
        Name("leading dot", "a.example.com", names(".example.com")),
        Name("host with a leading dot", ".example.com", names("a.example.com", "*.example.com")),
        Name("NUL in the name", "a.test", names("a.test\0.evil.test")),
        Name("trailing NUL", "a.test", names("a.test\0")),
        Name("empty name", "a.test", names("")),
        Name("empty host", "", names("", "*")),
        Name("address of another kind", "127.0.0.1", LeafRequest(dnsNames: [], ipAddresses: ["::ffff:127.0.0.1"])),
        Name("other address", "127.0.0.2", LeafRequest(dnsNames: [], ipAddresses: ["127.0.0.1"])),
        Name("short address", "127.1", names("127.1")),
        Name("number", "2130706433", names("2130706433")),
        Name("octal address", "0177.0.0.1", LeafRequest(dnsNames: ["0177.0.0.1"], ipAddresses: ["127.0.0.1"])),
        Name("brackets", "[::1]", LeafRequest(dnsNames: ["[::1]"], ipAddresses: ["::1"])),
        Name("port", "a.test:443", names("a.test:443", "a.test")),
        Name("zone made to look like a name", "::1%25.example.com", names("example.com")),
        Name("NUL in the host", "a.test\0.b.test", names("a.test")),
        Name("wildcard as host", "*.example.com", names("*.example.com")),
        Name("Kelvin sign for a k", "ban\u{212A}.test", names("bank.test")),
        Name("U-label", "bücher.example", names("xn--bcher-kva.example")),
    ]

    private let root: CertificateAuthority

    init() throws { root = try CertificateAuthority() }

    private func evaluate(_ name: Name) throws -> ServerTrustResult {
        let trust = try ServerTrust(root.issue(name.leaf), anchors: [root.certificate()])
        return ServerTrustPolicy.performDefaultEvaluation(validateHost: true).evaluate(trust, host: name.host)
    }

    @Test(arguments: good) func `a fitting name is accepted`(name: Name) throws {
        let result = try evaluate(name)
        #expect(result.isAccepted, "\(result)")
    }

    @Test(arguments: bad) func `an unfitting name is refused, and the name is the reason`(name: Name) throws {
        let result = try evaluate(name)
        switch result.failure?.reason {
        case .nameMismatch, .invalidHost: break
        default: Issue.record("\(result)")
        }
    }

    @Test(arguments: bad.filter { name in name.leaf.dnsNames.allSatisfy { !$0.isEmpty && !$0.contains("\0") } })
    func `a name that is not asked for does not matter, unless it is none`(name: Name) throws {
        let trust = try ServerTrust(root.issue(name.leaf), anchors: [root.certificate()])
        let result = ServerTrustPolicy.performDefaultEvaluation(validateHost: false).evaluate(trust, host: name.host)
        #expect(result.isAccepted, "\(result)")
    }

    @Test func `a constrained authority cannot reach outside, by alternative name or by common name`() throws {
        let constrained = try root.issueIntermediate(
            AuthorityRequest(
                commonName: "Constrained",
                extensions: [CertificateExtension("nameConstraints", "critical,permitted;DNS:good.test")]))
        let policy = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)
        func verdict(_ leaf: LeafRequest, _ host: String) throws -> TrustFailure.Reason? {
            let trust = try ServerTrust(constrained.issue(leaf), anchors: [root.certificate()])
            return policy.evaluate(trust, host: host).failure?.reason
        }
        #expect(try verdict(LeafRequest(dnsNames: ["a.good.test"]), "a.good.test") == nil)
        #expect(try verdict(LeafRequest(dnsNames: ["a.evil.test"]), "a.evil.test") == .nameConstraint)
        #expect(
            try verdict(LeafRequest(commonName: "*.evil.test", dnsNames: []), "a.evil.test")
                == .nameMismatch(presented: []))
    }

    @Test(arguments: ["127.0.0.1", "::1"]) func `an address is never sent as SNI`(host: String) throws {
        let dialogue = try Dialogue(root: root, host: host)
        _ = try dialogue.handshake()
        #expect(dialogue.server.serverName == nil)
    }

    @Test func `the trailing dot is not sent as SNI`() throws {
        let dialogue = try Dialogue(root: root, host: "localhost.")
        _ = try dialogue.handshake()
        #expect(dialogue.server.serverName == "localhost")
    }

    @Test(arguments: ["", ".", "a..b", "a b", "a/b", "[::1]", "127.1", "é.test", "a\0b", ":::"])
    func `a session refuses a host that is none`(host: String) throws {
        #expect {
            _ = try Dialogue(root: root, host: host)
        } throws: { error in
            if case .invalidHost(host) = (error as? TLSError)?.reason { true } else { false }
        }
    }
}
