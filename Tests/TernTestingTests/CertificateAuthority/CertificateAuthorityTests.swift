// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import TernTesting

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

@Suite struct CertificateAuthorityRevocationTests {
    private let root: CertificateAuthority
    private let leaf: Identity

    init() throws {
        root = try CertificateAuthority()
        leaf = try root.issue()
    }

    private func base64(_ der: [UInt8]) -> String {
        Data(der).base64EncodedString(options: .lineLength64Characters) + "\n"
    }

    @Test func `a list revokes the certificates it was made for, and no others`() async throws {
        let other = try root.issue()
        let list = base64(try root.revocationList(revoking: [leaf]))
        let files = [
            "root.pem": root.certificatePEM, "leaf.pem": leaf.certificatePEM, "other.pem": other.certificatePEM,
            "crl.pem": "-----BEGIN X509 CRL-----\n\(list)-----END X509 CRL-----\n",
        ]
        func verify(_ name: String) async throws -> OpenSSLCommand {
            try await OpenSSLCommand.run(
                "openssl verify -crl_check -CRLfile crl.pem -CAfile root.pem \(name)", files: files)
        }
        #expect(try await verify("leaf.pem").output.contains("certificate revoked"))
        #expect(try await verify("other.pem").status == 0)
    }

    @Test(arguments: [(RevocationStatus.good, "good"), (.revoked(at: 1_700_000_000), "revoked"), (.unknown, "unknown")])
    func `a response has the status, and is signed by the authority`(status: RevocationStatus, text: String)
        async throws
    {
        let files = [
            "root.pem": root.certificatePEM, "leaf.pem": leaf.certificatePEM,
            "response": base64(try root.ocspResponse(about: leaf, status)),
        ]
        let result = try await OpenSSLCommand.run(
            """
            openssl base64 -d -in response -out response.der && openssl ocsp -respin response.der \
            -issuer root.pem -cert leaf.pem -CAfile root.pem -VAfile root.pem
            """, files: files)
        #expect(result.output.contains("leaf.pem: \(text)"), "\(result.output)")
        #expect(result.output.contains("Response verify OK"))
    }
}

struct CertificateAuthorityErrorTests {
    let root: CertificateAuthority

    init() throws { root = try CertificateAuthority() }

    @Test func `nonsense is an error that says what was wrong`() {
        #expect(throws: CertificateAuthorityError.self) { try root.issue(LeafRequest(ipAddresses: ["300.1.1.1"])) }
        let wrong = CertificateExtension("keyUsage", "flying")
        do throws(CertificateAuthorityError) {
            _ = try root.issue(LeafRequest(extensions: [wrong]))
            Issue.record("accepted")
        } catch {
            #expect(error.reason == .invalidExtension(wrong))
            #expect(error.detail.contains("unknown bit string argument"))
        }
        #expect(throws: CertificateAuthorityError.self) {
            try root.issue(LeafRequest(key: .existing(privateKeyPEM: "not a key")))
        }
    }
}

struct IdentityTests {
    @Test func `another chain leaves the rest as it was`() throws {
        let identity = try CertificateAuthority().issue()
        let other = identity.sending(chainPEM: "")
        #expect(other.chainPEM.isEmpty)
        #expect(other != identity)
        #expect(other.sending(chainPEM: identity.chainPEM) == identity)
    }
}

struct PEMCertificateTests {
    @Test func `certificates are read past other texts, up to the first broken one`() throws {
        let (one, two) = (try CertificateAuthority(), try CertificateAuthority())
        let text = "a note\n" + one.certificatePEM + one.privateKeyPEM + two.certificatePEM
        #expect(PEMCertificate.all(in: text).count == 2)
        let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        #expect(PEMCertificate.all(in: one.certificatePEM + broken + two.certificatePEM).count == 1)
        #expect(PEMCertificate.all(in: "").isEmpty)
    }
}
