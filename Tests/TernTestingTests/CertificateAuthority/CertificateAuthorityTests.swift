// SPDX-License-Identifier: Apache-2.0
import Testing
import TernTesting

struct CertificateAuthorityTests {
    let root: CertificateAuthority

    init() throws { root = try CertificateAuthority() }

    private func verify(_ identity: Identity, anchor: CertificateAuthority, options: String = "") async throws
        -> OpenSSLCommand
    {
        try await OpenSSLCommand.run(
            "openssl verify -purpose sslserver -CAfile root.pem -untrusted chain.pem \(options) leaf.pem",
            files: [
                "root.pem": anchor.certificatePEM, "chain.pem": identity.chainPEM, "leaf.pem": identity.certificatePEM,
            ])
    }

    private func text(_ pem: String) async throws -> String {
        try await OpenSSLCommand.run("openssl x509 -in c.pem -noout -text", files: ["c.pem": pem]).output
    }

    @Test func `a leaf for localhost verifies for its name and both addresses`() async throws {
        let identity = try root.issue()
        for option in ["-verify_hostname localhost", "-verify_ip 127.0.0.1", "-verify_ip ::1"] {
            #expect(try await verify(identity, anchor: root, options: option).status == 0)
        }
        #expect(try await verify(identity, anchor: root, options: "-verify_hostname example.com").status != 0)
    }

    @Test func `an intermediate puts its certificate behind the leaf, and the root stays home`() async throws {
        let intermediate = try root.issueIntermediate()
        let identity = try intermediate.issue()
        #expect(identity.chainPEM == identity.certificatePEM + intermediate.certificatePEM)
        #expect(try await verify(identity, anchor: root).status == 0)
        #expect(try await verify(identity.sending(chainPEM: identity.certificatePEM), anchor: root).status != 0)
    }

    @Test func `another root is another key`() async throws {
        #expect(try await verify(root.issue(), anchor: CertificateAuthority()).status != 0)
    }

    @Test(arguments: [KeyKind.p256, .p384, .p521, .ed25519, .rsa(bits: 2048), .rsa(bits: 3072)])
    func `the pin is what the openssl recipe prints`(kind: KeyKind) async throws {
        let identity = try root.issue(LeafRequest(key: kind))
        let recipe = try await OpenSSLCommand.run(
            """
            openssl x509 -in c.pem -pubkey -noout | openssl pkey -pubin -outform der \
            | openssl dgst -sha256 -binary | openssl base64
            """, files: ["c.pem": identity.certificatePEM])
        #expect(identity.pin + "\n" == "sha256/" + recipe.output)
        #expect(try await verify(identity, anchor: root).status == 0)
    }

    @Test func `a cross-signed authority leads to either root`() async throws {
        let other = try CertificateAuthority(commonName: "Other Root")
        let identity = try other.crossSign(root).issue()
        #expect(try await verify(identity, anchor: other).status == 0)
        #expect(try await verify(identity, anchor: root).status == 0)
    }

    @Test func `name constraints bind what an intermediate issues`() async throws {
        let constrained = try root.issueIntermediate(
            AuthorityRequest(
                commonName: "Constrained",
                extensions: [CertificateExtension("nameConstraints", "critical,permitted;DNS:good.test")]))
        #expect(try await verify(constrained.issue(LeafRequest(dnsNames: ["a.good.test"])), anchor: root).status == 0)
        #expect(
            try await verify(constrained.issue(LeafRequest(dnsNames: ["evil.test"])), anchor: root)
                .output.contains("permitted subtree violation"))
    }

    @Test func `a self-signed leaf is its own anchor and no other certificate's`() async throws {
        let identity = try CertificateAuthority.selfSigned()
        #expect(try await verify(identity, anchor: root).status != 0)
        #expect(try await text(identity.certificatePEM).contains("Issuer: CN = Tern Test Leaf"))
    }
}
