// SPDX-License-Identifier: Apache-2.0
import TernTesting
import TestProofs
import Testing

@testable import TernTLS

struct ServerTrustPolicyManagerTests {
    /// A policy that can be distinguished from others by the number of its pins.
    private static func policy(_ number: UInt8) -> ServerTrustPolicy {
        let keys = (0..<number).map { X509Certificate.PublicKey(subjectPublicKeyInfo: [$0]) }
        return .pinPublicKeys(publicKeys: keys, validateCertificateChain: true, validateHost: true)
    }

    private func number(_ policy: ServerTrustPolicy?) -> Int? {
        guard case .pinPublicKeys(let keys, _, _) = policy else { return nil }
        return keys.count
    }

    private let manager = ServerTrustPolicyManager(policies: [
        "api.example.com": policy(1), "*.example.com": policy(2), "**.example.com": policy(3),
        "**.deep.example.com": policy(4),
        "127.0.0.1": policy(5), "**.0.0.1": policy(6), "Upper.Test.": policy(7), "*.one.test": policy(8),
        "::1": policy(9), "2001:db8:0:0::a": policy(10), "fe80::1": policy(11), "::FFFF:192.0.2.1": policy(12),
    ])

    @Test func `a policy for a name beyond ASCII is that of its name in DNS, in which it is requested`() {
        let manager = ServerTrustPolicyManager(policies: [
            "B\u{fc}cher.test": Self.policy(1), "**.\u{270c}.test": Self.policy(2),
        ])
        for host in ["xn--bcher-kva.test", "b\u{fc}cher.test", "xn--7bi.test", "a.xn--7bi.test"] {
            #expect(manager.serverTrustPolicy(forHost: host) != nil, "\(host)")
        }
        #expect(manager.serverTrustPolicy(forHost: "bucher.test") == nil)
    }

    @Test(
        .proves("13.1a"),
        arguments: [
            ("api.example.com", 1), ("www.example.com", 2), ("example.com", 3), ("a.b.example.com", 3),
            ("deep.example.com", 4), ("x.deep.example.com", 4), ("x.y.deep.example.com", 4), ("127.0.0.1", 5),
            ("10.0.0.1", nil), ("upper.test", 7), ("UPPER.TEST.", 7), ("API.Example.COM.", 1), ("a.one.test", 8),
            ("one.test", nil), ("a.b.one.test", nil), ("com", nil), ("", nil), ("notexample.com", nil), ("::1", 9),
            ("0:0:0:0:0:0:0:1", 9), ("0::0001", 9), ("2001:DB8:0::A", 10), ("2001:db8::a", 10), ("2001:db8::b", nil),
            ("fe80::1%eth0", 11), ("FE80:0::1", 11), ("::ffff:192.0.2.1", 12), ("::ffff:c000:201", 12), ("::1::", nil),
            ("[::1]", 9), ("192.0.2.1", 12), ("::ffff:127.0.0.1", 5), ("[0:0:0:0:0:FFFF:7F00:1]", 5),
            ("::127.0.0.1", nil), ("::fffe:127.0.0.1", nil),
            ("evil.com", nil), ("*.example.com", 2),
        ] as [(String, Int?)])
    func `the host comes first, then the longest pattern`(host: String, expected: Int?) {
        #expect(number(manager.serverTrustPolicy(forHost: host)) == expected)
    }

    private static let unusable: [(key: String, error: HostPatternError)] = [
        ("", .invalidHost("")), (" h.test", .invalidHost(" h.test")), ("*", .misplacedWildcard("*")),
        (".h.test", .invalidHost(".h.test")), ("api.*.com", .misplacedWildcard("api.*.com")),
        ("*.127.0.0.1", .misplacedWildcard("*.127.0.0.1")), ("h.test/", .invalidHost("h.test/")),
        ("h.test:443", .invalidHost("h.test:443")), ("https://h.test", .invalidHost("https://h.test")),
        ("user@h.test", .invalidHost("user@h.test")),
    ]

    @Test func `a key that matches no host is told, and refused where that is asked for`() throws {
        let keys =
            Self.unusable.map(\.key) + ["h.test", "*.h.test", "**.h.test", "::1", "[::1]", "H.Test.", "localhost"]
        let policies = Dictionary(uniqueKeysWithValues: keys.map { ($0, Self.policy(1)) })
        let manager = ServerTrustPolicyManager(policies: policies)
        #expect(manager.unusableKeys == Dictionary(uniqueKeysWithValues: Self.unusable.map { ($0.key, $0.error) }))
        for (key, error) in Self.unusable {
            let alone = ServerTrustPolicyManager(policies: [key: Self.policy(1)])
            for host in ["h.test", "api.h.test", "api.x.com", "127.0.0.1"] {
                #expect(alone.serverTrustPolicy(forHost: host) == nil, "\(key) \(host)")
            }
            #expect(throws: error) {
                try ServerTrustPolicyManager(checking: [key: Self.policy(1), "z.test": Self.policy(1)])
            }
        }
        let fine = policies.filter { manager.unusableKeys[$0.key] == nil }
        #expect(try ServerTrustPolicyManager(checking: fine).unusableKeys.isEmpty)
    }

    @Test func `the policies stay as they were given`() { #expect(manager.policies["Upper.Test."] != nil) }

    @Test(.proves("13.1b")) func `a subclass may choose by other rules`() {
        final class Everyone: ServerTrustPolicyManager, @unchecked Sendable {
            override func serverTrustPolicy(forHost host: String) -> ServerTrustPolicy? { policies["any"] }
        }
        let manager: ServerTrustPolicyManager = Everyone(policies: ["any": .disableEvaluation])
        #expect(manager.serverTrustPolicy(forHost: "other.test") != nil)
    }

    @Test func `a host is looked up among a hundred thousand as among ten`() {
        func cost(ofHosts count: Int) -> Duration {
            let keys = (0..<count).map { ($0 % 2 == 0 ? "h\($0).example" : "**.d\($0).example", right) }
            let manager = ServerTrustPolicyManager(policies: Dictionary(uniqueKeysWithValues: keys))
            let start = ThreadClock.now
            var found = 0
            for number in 0..<500 where manager.serverTrustPolicy(forHost: "a.b.d\(number | 1).example") != nil {
                found += 1
            }
            #expect(found == (count > 500 ? 500 : 10))
            return ThreadClock.now - start
        }
        let few = cost(ofHosts: 10)
        // A scan would cost ten thousand times as much; larger tables leave the caches.
        #expect(cost(ofHosts: 100_000) < few * 50)
    }

    private var right: ServerTrustPolicy { .performDefaultEvaluation(validateHost: true) }
}

struct PinFailureReportTests {
    private let trust: ServerTrust
    private let leaf: X509Certificate
    private static let stranger = X509Certificate.PublicKey(subjectPublicKeyInfo: [1])

    init() throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issue(LeafRequest(dnsNames: ["example.com"]))
        leaf = try identity.certificate()
        trust = try ServerTrust(identity, anchors: [authority.certificate()])
    }

    private func result(_ policy: ServerTrustPolicy, host: String = "example.com") -> ServerTrustResult {
        policy.evaluate(trust, host: host)
    }

    @Test func `there is no report about a server that matches, or about an expired set`() {
        let accepted = result(.performDefaultEvaluation(validateHost: true))
        #expect(PinFailureReport(accepted, port: 443, pinSet: PinSet(pins: [leaf.publicKey])) == nil)
        let expired = PinSet(pins: [Self.stranger], expires: 1)
        #expect(PinFailureReport(accepted, port: 443, pinSet: expired) == nil)
    }

    @Test func `a mismatch is reported with the pins of its own set`() throws {
        let other = PinSet(pins: [X509Certificate.PublicKey(subjectPublicKeyInfo: [2])])
        let mine = PinSet(pins: [Self.stranger])
        let report = try #require(PinFailureReport(result(.pinSet(other)), port: 8443, pinSet: mine))
        #expect(report.failure.reason == .keyNotPinned(pins: [Self.stranger]))
        #expect(report.port == 8443)
        #expect(report.pinSet == mine)
    }

    @Test func `a chain that is not valid is reported with its own failure, and as refused`() throws {
        let set = PinSet(pins: [leaf.publicKey])
        let report = try #require(
            PinFailureReport(result(.pinSet(set), host: "elsewhere.test"), port: 443, pinSet: set))
        #expect(report.failure.rule == "name-mismatch")
        #expect(report.isRefused)
    }

    @Test func `a delegate that accepts a mismatch does not prevent its report`() throws {
        let set = PinSet(pins: [Self.stranger])
        let accepted = result(.pinSet(set)).answered(.accept)
        #expect(accepted.isAccepted)
        #expect(PinFailureReport(accepted, port: 443, pinSet: set)?.failure.rule == "key-not-pinned")
    }
}
