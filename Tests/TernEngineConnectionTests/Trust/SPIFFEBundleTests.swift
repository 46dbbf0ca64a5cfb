// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernIO
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Bundles of trust domains, and sessions that use them.
@Suite struct SPIFFEBundleTests {
    private let root: CertificateAuthority
    private let certificate: X509Certificate

    init() throws {
        root = try CertificateAuthority()
        certificate = try X509Certificate(pem: root.certificatePEM)
    }

    private var encoded: String { Base64.encode(certificate.der) }

    private func key(_ x5c: String, use: String = #""use": "x509-svid","#) -> String {
        #"{"kty": "EC", \#(use) "crv": "P-256", "x": "a", "y": "b", "x5c": \#(x5c)}"#
    }

    private func error(_ text: String) -> PolicyFileError? {
        do throws(PolicyFileError) {
            _ = try SPIFFEBundle(json: Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test func `a bundle has the certificates of its keys, and keys for other uses are skipped`() throws {
        let text = """
            {"spiffe_sequence": 12, "spiffe_refresh_hint": 300, "more": [], "keys": [
              \(key("[\"\(encoded)\"]")),
              {"use": "jwt-svid", "kty": "EC", "kid": "k"}, {"kty": "EC"}, \(key("[]", use: #""use": "x","#))
            ]}
            """
        let bundle = try SPIFFEBundle(json: Array(text.utf8))
        #expect(bundle.authorities == [certificate] && bundle.sequence == 12 && bundle.refreshHint == 300)
        let plain = try SPIFFEBundle(json: Array(#"{"keys": []}"#.utf8))
        #expect(plain.authorities.isEmpty && plain.sequence == nil && plain != bundle)
        #expect(try SPIFFEBundle(json: Array(text.utf8)) == bundle)
    }

    @Test func `an error has the line, the column and the field`() throws {
        let (one, two) = ("[\"\(encoded)\"]", "[\"\(encoded)\", \"\(encoded)\"]")
        let wrong: [(String, PolicyFileError.Reason, String)] = [
            ("{}", .missingField, "keys"),
            ("{\"keys\": 1}", .wrongType(expected: "an array", found: "a number"), "keys"),
            ("{\"keys\": [\n \(key(two))]}", .notOneCertificate(2), "keys[0].x5c"),
            ("{\"keys\": [\n \(key("[]"))]}", .notOneCertificate(0), "keys[0].x5c"),
            ("{\"keys\": [\(key(one)),\n {\"use\": \"x509-svid\"}]}", .missingField, "keys[1].x5c"),
            ("{\"keys\": [\n \(key("[\"?\"]"))]}", .invalidBase64("?"), "keys[0].x5c[0]"),
            (
                "{\"spiffe_sequence\": -1, \"keys\": []}", .outOfRange("-1", allowed: 0...Int.max), "spiffe_sequence"
            ),
        ]
        for (text, reason, field) in wrong {
            let found = try #require(error(text), "\(text)")
            #expect(found.reason == reason && found.field == field, "\(found)")
            #expect(found.line == (text.contains("\n") ? 2 : 1) && found.column > 0)
        }
        let broken = try #require(error("{\"keys\": [\(key("[\"AAAA\"]"))]}"))
        guard case .invalidCertificate = broken.reason else { throw broken }
    }

    @Test func `a file is JSON or PEM`() throws {
        let folder = try TestFolder()
        let file = folder.url("bundle")
        for text in ["\n{\"keys\": [\(key("[\"\(encoded)\"]"))]}", root.certificatePEM] {
            try folder.write(text, to: "bundle")
            #expect(try SPIFFEBundle(contentsOf: file).authorities == [certificate])
        }
        try folder.write("nothing", to: "bundle")
        #expect(throws: PolicyFileError.self) { try SPIFFEBundle(contentsOf: file) }
        #expect(throws: PolicyFileError.self) { try SPIFFEBundle(contentsOf: folder.url("none")) }
    }

    private func origin(_ id: String) throws -> ScriptedOrigin {
        try ScriptedOrigin(tls: try root.issue(LeafRequest(commonName: nil, dnsNames: [], uris: [id]))) { _, _ in
            [.ok("fine")]
        }
    }

    private func session(allowing id: String) throws -> Session {
        let id = try SPIFFEID(id)
        let policy = ServerTrustPolicy.spiffe(
            SPIFFEPolicy(id: id, bundle: SPIFFEBundle(authorities: [certificate])))
        return try Session.trusting(try CertificateAuthority(), policies: ["payments": policy]) {
            $0.addressOverrides = [
                AddressOverride(
                    host: "payments", port: nil, addresses: [IPAddress(literal: "127.0.0.1")].compactMap(\.self))
            ]
        }
    }

    @Test func `a service is reached by its name, and known by its identity`() async throws {
        let origin = try origin("spiffe://a.test/payments")
        let request = try URLRequest(string: "https://payments:\(origin.port)/")
        let session = try session(allowing: "spiffe://a.test/payments")
        #expect(try await session.text(request) == "fine")
        let refused = await (try self.session(allowing: "spiffe://a.test/other")).failure(of: request)
        #expect(refused?.reason.rule == "spiffe-id")
        #expect(origin.requests.count == 1)
    }

    @Test func `workloads and bundles distinguish stored responses`() throws {
        let (id, domain) = (try SPIFFEID("spiffe://a.test/x"), try SPIFFEID.TrustDomain("a.test"))
        let bundle = SPIFFEBundle(authorities: [certificate])
        func fingerprint(
            _ allowed: [SPIFFEPolicy.Workloads], _ bundles: [SPIFFEID.TrustDomain: SPIFFEBundle] = [:],
            session: [SPIFFEID.TrustDomain: SPIFFEBundle] = [:]
        ) -> [[UInt8]] {
            var tls = TLSSettings()
            tls.spiffeBundles = session
            let policy = ServerTrustPolicy.spiffe(SPIFFEPolicy(allowed: allowed, bundles: bundles))
            return TrustSettings(tls: tls, policies: ServerTrustPolicyManager(policies: ["a.test": policy]))
                .fingerprint(forHost: "a.test")
        }
        let prints = [
            fingerprint([]), fingerprint([.id(id)]), fingerprint([.within(id)]), fingerprint([.trustDomain(domain)]),
            fingerprint([.id(id)], [domain: bundle]), fingerprint([.id(id)], [domain: SPIFFEBundle(authorities: [])]),
            fingerprint([.id(id)], session: [domain: bundle]),
        ]
        #expect(Set(prints).count == prints.count)
        #expect(fingerprint([.id(id)], [domain: bundle]) == prints[4])
    }
}
