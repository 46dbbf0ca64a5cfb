// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

struct ValidityTests {
    let root: CertificateAuthority

    init() throws { root = try CertificateAuthority() }

    private func verify(_ identity: Identity, anchor: CertificateAuthority) async throws -> OpenSSLCommand {
        try await OpenSSLCommand.run(
            "openssl verify -CAfile root.pem leaf.pem",
            files: ["root.pem": anchor.certificatePEM, "leaf.pem": identity.certificatePEM])
    }

    @Test func `days are counted from now, the past with a minus`() {
        let (before, now) = (Validity.days(-2, to: -1), Validity.days(0, to: 0))
        #expect((0...1).contains(now.notBefore - before.notBefore - 2 * 86400))
        #expect((0...1).contains(now.notAfter - before.notAfter - 86400))
        #expect(Validity.expired.notAfter < now.notBefore)
        #expect(Validity.future.notBefore > now.notAfter)
    }

    @Test func `validity outside the present is refused`() async throws {
        #expect(
            try await verify(root.issue(LeafRequest(validity: .expired)), anchor: root).output.contains("has expired"))
        #expect(
            try await verify(root.issue(LeafRequest(validity: .future)), anchor: root).output.contains("not yet valid"))
    }
}

struct KeyKindTests {
    @Test(arguments: [
        (KeyKind.p256, "ASN1 OID: prime256v1"), (.p384, "ASN1 OID: secp384r1"), (.p521, "ASN1 OID: secp521r1"),
        (.ed25519, "ED25519 Public-Key:"), (.rsa(bits: 1024), "Public-Key: (1024 bit)"),
        (.curve("secp224r1"), "ASN1 OID: secp224r1"),
    ])
    func `a key is of the kind that was asked for`(kind: KeyKind, text: String) async throws {
        let leaf = try CertificateAuthority().issue(LeafRequest(key: kind))
        let output = try await OpenSSLCommand.run(
            "openssl x509 -in c.pem -noout -text", files: ["c.pem": leaf.certificatePEM]
        ).output
        #expect(output.contains(text), "\(output)")
    }

    @Test func `a kind that OpenSSL does not know is an error`() {
        let kind = KeyKind.curve("nonsense")
        #expect { try CertificateAuthority().issue(LeafRequest(key: kind)) } throws: { error in
            (error as? CertificateAuthorityError)?.reason == .keyGenerationFailed(kind)
        }
    }
}

struct CertificateFlawsTests {
    private func text(_ change: (inout CertificateFlaws) -> Void) async throws -> String {
        let leaf = try CertificateAuthority().issue(LeafRequest(flaws: .having(change)))
        return try await OpenSSLCommand.run(
            "openssl x509 -in c.pem -noout -text", files: ["c.pem": leaf.certificatePEM]
        ).output
    }

    @Test func `without a flaw a certificate has version 3 and a name`() async throws {
        #expect(try await text { _ in }.contains("Version: 3 (0x2)"))
        #expect(CertificateFlaws() == .having { _ in })
    }

    @Test func `a flaw is in the certificate`() async throws {
        #expect(try await text { $0.version = 1 }.contains("Version: 1 (0x0)"))
        #expect(try await text { $0.serialNumber = [0x12, 0x34] }.contains("Serial Number: 4660 (0x1234)"))
        #expect(try await text { $0.hasNegativeSerialNumber = true }.contains("(Negative)"))
        #expect(try await text { $0.hasEmptySubject = true }.contains("Subject: \n"))
        #expect(try await text { $0.hasEmptyIssuer = true }.contains("Issuer: \n"))
        #expect(try await text { $0.issuerCommonName = "Other" }.contains("Issuer: CN = Other"))
        #expect(try await text { $0.hasUnknownKeyAlgorithm = true }.contains("Unable to load Public Key"))
    }
}
