// SPDX-License-Identifier: Apache-2.0
import Glibc
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// What of the trust in a server distinguishes stored responses.
@Suite struct TrustFingerprintTests {
    private static let host = "a.test"

    private func fingerprint(_ policy: ServerTrustPolicy) -> [[UInt8]] {
        TrustSettings(tls: TLSSettings(), policies: ServerTrustPolicyManager(policies: [Self.host: policy]))
            .fingerprint(forHost: Self.host)
    }

    @Test func `each field of a pin set distinguishes responses`() throws {
        let keys = (1...3).map { X509Certificate.PublicKey(subjectPublicKeyInfo: [$0]) }
        let pattern = try HostPattern("b.test")
        let plain = PinSet(pins: [keys[0]], backupPins: [keys[1]])
        let changes: [String: (inout PinSet) -> Void] = [
            "hosts": { $0.hosts = [pattern] },
            "excludedHosts": { $0.excludedHosts = [pattern] },
            "pins": { $0.pins.append(keys[2]) },
            "backupPins": { $0.backupPins.append(keys[2]) },
            "scope": { $0.scope = .leaf },
            "mode": { $0.mode = .reportOnly },
            "expires": { $0.expires = .max },
            "reportURLs": { $0.reportURLs = ["https://b.test/"] },
            "validatesChain": { $0.validatesChain = false },
        ]
        // A new field needs a line above, and one in the fingerprint.
        #expect(Set(Mirror(reflecting: plain).children.compactMap(\.label)) == Set(changes.keys))
        var prints = [fingerprint(.pinSet(plain))]
        for change in changes.values {
            var set = plain
            change(&set)
            prints.append(fingerprint(.pinSet(set)))
        }
        #expect(Set(prints).count == prints.count)
        #expect(fingerprint(.pinSet(plain)) == prints[0])
    }

    @Test func `the rules for chains distinguish responses, whoever sets them`() {
        func fingerprint(
            _ manager: ServerTrustPolicyManager, _ change: (inout TLSSettings) -> Void = { _ in }
        ) -> [[UInt8]] {
            var tls = TLSSettings()
            change(&tls)
            return TrustSettings(tls: tls, policies: manager).fingerprint(forHost: Self.host)
        }
        let none = ServerTrustPolicyManager(policies: [:])
        let usual = [SystemTrust.first.digest]
        #expect(fingerprint(none) == usual && fingerprint(none) { $0.maximumPathDepth = 10 } == usual)
        let three = fingerprint(none) { $0.maximumPathDepth = 3 }
        #expect(three == fingerprint(ServerTrustPolicyManager(policies: [:], maximumPathDepth: 3)))
        #expect(three != fingerprint(none) { $0.maximumPathDepth = 2 } && !three.isEmpty)
        #expect(
            three
                == fingerprint(ServerTrustPolicyManager(policies: [:], maximumPathDepth: 3)) { $0.maximumPathDepth = 2 }
        )
        #expect(fingerprint(ServerTrustPolicyManager(policies: [:], profile: .web)) != three)
    }

    @Test func `revocation lists distinguish responses, and so does a client, but not its renewed certificate`() throws
    {
        let root = try CertificateAuthority()
        func fingerprint(_ change: (inout TLSSettings) -> Void) -> [[UInt8]] {
            var settings = TLSSettings()
            change(&settings)
            return TrustSettings(tls: settings, policies: nil).fingerprint(forHost: Self.host)
        }
        func client(_ name: String) throws -> [[UInt8]] {
            let issued = try root.issue(LeafRequest(commonName: name))
            let identity = try ClientIdentity(
                pem: Array(issued.chainPEM.utf8), privateKeyPEM: Array(issued.privateKeyPEM.utf8))
            return fingerprint { $0.identity = identity }
        }
        #expect(try client("one") == client("one") && client("one") != client("two"))
        func listing(_ revoked: [Identity]) throws -> [[UInt8]] {
            let list = try CertificateRevocationList(der: root.revocationList(revoking: revoked))
            return fingerprint { $0.revocationLists = [list] }
        }
        let (empty, full) = (try listing([]), try listing([root.issue()]))
        #expect(empty != full && !empty.isEmpty)
        let keys = (1...2).map { X509Certificate.PublicKey(subjectPublicKeyInfo: [$0]) }
        let distrusting = keys.map { key in
            fingerprint { $0.distrustedCertificates = DistrustedCertificates([.publicKey(key)]) }
        }
        #expect(Set(distrusting + [fingerprint { _ in }, full]).count == 4)
        // When a list ends does not matter to what it refuses.
        let dated = fingerprint {
            $0.distrustedCertificates = DistrustedCertificates([.publicKey(keys[0])], validUntil: 1)
        }
        #expect(dated == distrusting[0])
    }

    @Test func `what is done about an incomplete server distinguishes responses`() {
        let changes: [(inout TLSSettings) -> Void] = [
            { _ in }, { $0.fetchesMissingIssuers = true }, { $0.enforcesMustStaple = true },
            { ($0.fetchesMissingIssuers, $0.enforcesMustStaple) = (true, true) },
        ]
        let prints = changes.map { change in
            var settings = TLSSettings()
            change(&settings)
            return TrustSettings(tls: settings, policies: nil).fingerprint(forHost: Self.host)
        }
        #expect(Set(prints).count == changes.count && prints[0] == [SystemTrust.first.digest])
    }

    /// In a process of its own, for the environment is read once.
    @Test func `bundles of the system distinguish responses, in the same way in every process`() async {
        await #expect(processExitsWith: .success) {
            let folder = try SecretFolder()
            let root = try CertificateAuthority()
            try folder.write(root.certificatePEM, to: "system.pem")
            unsafe setenv("SSL_CERT_FILE", folder.path("system.pem"), 1)
            unsafe unsetenv("SSL_CERT_DIR")
            let anchors: [TrustAnchors] = [.system, .systemAnd([]), .only([])]
            func prints() -> [[[UInt8]]] {
                anchors.map { anchors in
                    var settings = TLSSettings()
                    settings.anchors = anchors.with(.current())
                    return TrustSettings(tls: settings, policies: nil).fingerprint(forHost: "a.test")
                }
            }
            let (first, again) = (prints(), prints())
            #expect(first == again && Set(first).count == 3)
            try folder.replace("system.pem", with: root.certificatePEM + "\n")
            let second = prints()
            #expect(first[0] != second[0] && first[1] != second[1] && first[2] == second[2])
            try folder.replace("system.pem", with: root.certificatePEM)
            #expect(prints() == first)
        }
    }

    @Test func `a pin is no backup pin, and a host no excluded one`() throws {
        let key = X509Certificate.PublicKey(subjectPublicKeyInfo: [1])
        let pattern = try HostPattern("b.test")
        let sets = [
            PinSet(pins: [key]), PinSet(pins: [], backupPins: [key]), PinSet(hosts: [pattern], pins: [key]),
            PinSet(excludedHosts: [pattern], pins: [key]), PinSet(pins: [key], reportURLs: ["b.test"]),
        ]
        #expect(Set(sets.map { fingerprint(.pinSet($0)) }).count == sets.count)
    }
}
