// SPDX-License-Identifier: Apache-2.0
import Testing
import TernTesting

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
