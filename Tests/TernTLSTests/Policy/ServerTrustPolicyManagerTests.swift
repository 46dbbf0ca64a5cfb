// SPDX-License-Identifier: Apache-2.0
import TernTLS
import TestProofs
import Testing

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

    @Test func `the policies stay as they were given`() { #expect(manager.policies["Upper.Test."] != nil) }

    @Test(.proves("13.1b")) func `a subclass may choose by other rules`() {
        final class Everyone: ServerTrustPolicyManager, @unchecked Sendable {
            override func serverTrustPolicy(forHost host: String) -> ServerTrustPolicy? { policies["any"] }
        }
        let manager: ServerTrustPolicyManager = Everyone(policies: ["any": .disableEvaluation])
        #expect(manager.serverTrustPolicy(forHost: "other.test") != nil)
    }
}
