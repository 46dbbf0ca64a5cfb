// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import TernTesting
import Testing

@testable import TernTLS

struct X509ReferenceTests {
    private let root: CertificateAuthority

    init() throws { root = try CertificateAuthority() }

    @Test func `an encoder that fails gives no bytes`() {
        #expect(unsafe X509Reference.encode { _ in -1 }.isEmpty)
        #expect(unsafe X509Reference.encode { _ in 0 }.isEmpty)
        #expect(unsafe X509Reference.encode { target in unsafe target == nil ? 4 : -1 }.isEmpty)
    }

    @Test func `the encoding is that of the certificate`() throws {
        let certificate = try root.certificate()
        #expect(certificate.x509.der == certificate.der)
        #expect(X509Certificate.PublicKey(subjectPublicKeyInfo: certificate.x509.subjectPublicKeyInfo).pin == root.pin)
    }

    @Test func `names that could fool the eye are written so that they cannot`() throws {
        let odd = try root.issue(
            LeafRequest(commonName: "a\u{0}b\nc,é", dnsNames: ["a.test\u{0}.evil.test", "b\u{1b}[2J"])
        )
        .certificate()
        #expect(odd.subject == #"CN=a\00b\0Ac\,é"#)
        let controls = try root.issue(LeafRequest(commonName: "a\u{85}\u{9b}2J\u{2028}b\u{202e}c"))
            .certificate()
        #expect(controls.subject == #"CN=a\C2\85\C2\9B2J\E2\80\A8b\E2\80\AEc"#)
        #expect(odd.subjectAlternativeNames.map(\.description) == [#"DNS:a.test\00.evil.test"#, #"DNS:b\1b[2J"#])
    }
}

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
