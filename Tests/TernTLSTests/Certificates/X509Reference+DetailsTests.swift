// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import TernTesting
import Testing

@testable import TernTLS

struct X509ReferenceDetailsTests {
    @Test(arguments: [
        (KeyKind.p256, "EC prime256v1", 128), (.p384, "EC secp384r1", 192), (.rsa(bits: 2048), "RSA 2048", 112),
        (.ed25519, "ED25519 256", 128),
    ])
    func `a key has its algorithm, its size and its strength`(kind: KeyKind, text: String, bits: Int) throws {
        let authority = try CertificateAuthority(AuthorityRequest(commonName: "Key", key: kind))
        let reference = try authority.certificate().x509
        #expect(reference.keyDescription == text)
        #expect(reference.keySecurityBits == bits)
        #expect(reference.isAuthority)
    }

    @Test func `a weak signature has little strength`() throws {
        let leaf = try CertificateAuthority().issue(LeafRequest(digest: .sha1)).certificate().x509
        #expect(leaf.signatureDescription == "ecdsa-with-SHA1")
        #expect(leaf.signatureSecurityBits < 80)
        #expect(!leaf.isAuthority)
    }

    @Test func `an extension is text on one line, without what steers a terminal`() throws {
        let usage = CertificateExtension("extendedKeyUsage", "serverAuth,clientAuth")
        let leaf = try CertificateAuthority().issue(
            LeafRequest(dnsNames: ["a.test"], uris: ["x:\u{1b}y"], extensions: [usage])
        ).certificate().x509
        #expect(
            leaf.text(ofExtension: NID_ext_key_usage)
                == "TLS Web Server Authentication, TLS Web Client Authentication")
        #expect(leaf.text(ofExtension: NID_subject_alt_name)?.contains("\u{1b}") == false)
        #expect(leaf.text(ofExtension: NID_name_constraints) == nil)
    }
}
