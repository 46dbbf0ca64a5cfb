// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

struct ClientIdentityTests {
    private let issued: Identity
    private let files: IdentityFiles
    private let chain: [X509Certificate]

    init() throws {
        issued = try CertificateAuthority().issueIntermediate().issueIntermediate().issue()
        files = IdentityFiles(issued)
        chain = try X509Certificate.all(inPEM: issued.chainPEM)
    }

    private func reason(_ body: () throws -> ClientIdentity) throws -> ClientIdentityError.Reason {
        try #require(throws: ClientIdentityError.self) { try body() }.reason
    }

    @Test func `certificates and key come from two PEM files or from one`() throws {
        let two = try ClientIdentity(pem: files.certificates, privateKeyPEM: files.privateKey)
        #expect(two.certificates == chain)
        #expect(try ClientIdentity(pem: files.certificates + files.privateKey) == two)
        #expect(try ClientIdentity(pem: files.privateKey + files.certificates) == two)
    }

    @Test func `a key may be DER, encrypted or not`() throws {
        let pem = try ClientIdentity(pem: files.certificates, privateKeyPEM: files.privateKey)
        let plain = files.derKey(nil)
        #expect(try ClientIdentity(certificates: chain, privateKey: plain, encoding: .der) == pem)
        #expect(try ClientIdentity(certificates: chain, privateKey: files.privateKey, encoding: .pem) == pem)
        let encrypted = files.derKey("secret")
        #expect(
            try ClientIdentity(certificates: chain, privateKey: encrypted, encoding: .der, passphrase: "secret") == pem)
        for (passphrase, expected) in [
            (nil, ClientIdentityError.Reason.passphraseNeeded), ("wrong", .wrongPassphrase),
        ] {
            #expect(
                try reason {
                    try ClientIdentity(
                        certificates: chain, privateKey: encrypted, encoding: .der, passphrase: passphrase)
                } == expected)
        }
        #expect(
            try reason { try ClientIdentity(certificates: chain, privateKey: [1, 2], encoding: .der) } == .noPrivateKey)
        #expect(throws: ClientIdentityError.self) {
            try ClientIdentity(certificates: [], privateKey: plain, encoding: .der)
        }
        #expect(OpenSSLError.drain().isEmpty)
    }

    @Test func `a key of another certificate is refused`() throws {
        let other = IdentityFiles(try CertificateAuthority().issue())
        #expect(
            try reason { try ClientIdentity(pem: files.certificates, privateKeyPEM: other.privateKey) } == .keyMismatch)
    }

    @Test func `what is missing is named`() throws {
        #expect(try reason { try ClientIdentity(pem: files.certificates) } == .noPrivateKey)
        #expect(try reason { try ClientIdentity(pem: files.certificates, privateKeyPEM: []) } == .noPrivateKey)
        guard case .certificate(let error) = try reason({ try ClientIdentity(pem: files.privateKey) }) else {
            Issue.record("certificates out of nothing")
            return
        }
        #expect(error.reason == .noCertificate)
    }

    @Test func `garbage is refused at every length`() throws {
        let broken = Array(
            String(decoding: files.privateKey, as: UTF8.self).replacing("KEY-----\nM", with: "KEY-----\n!").utf8)
        #expect(broken != files.privateKey)
        #expect(try reason { try ClientIdentity(pem: files.certificates, privateKeyPEM: broken) } == .noPrivateKey)
        let file = files.pkcs12("secret")
        for count in stride(from: 0, to: file.count, by: 7) {
            #expect(throws: ClientIdentityError.self) {
                try ClientIdentity(pkcs12: Array(file.prefix(count)), passphrase: "secret")
            }
        }
    }

    @Test func `the error queue is left empty, and the description holds no key`() throws {
        _ = try? ClientIdentity(pem: files.certificates, privateKeyPEM: files.encryptedKey("a"), passphrase: "b")
        #expect(OpenSSLError.drain().isEmpty)
        #expect("\(try ClientIdentity(pkcs12: files.pkcs12("x"), passphrase: "x"))" == chain[0].subject)
        #expect(OpenSSLError.drain().isEmpty)
    }
}

struct ClientIdentityErrorTests {
    @Test func `an error about a certificate has the certificate's description`() {
        let error = CertificateError(.noCertificate)
        #expect(ClientIdentityError(.certificate(error)).description == error.description)
    }

    @Test func `OpenSSL's entries follow the reason, and are removed from the queue`() throws {
        let bad = try #require(throws: ClientIdentityError.self) {
            try ClientIdentity(pkcs12: [0x30, 0x01, 0x00], passphrase: "")
        }
        #expect(bad.reason == .invalidPKCS12)
        #expect(!bad.openSSL.isEmpty)
        #expect(bad.description.hasPrefix("not a PKCS#12 file, or one of an unsupported kind [asn1 encoding routines"))
        #expect(OpenSSLError.drain().isEmpty)
    }
}

struct PKCS12ContentsTests {
    private let files: IdentityFiles
    private let chain: [X509Certificate]

    init() throws {
        let issued = try CertificateAuthority().issueIntermediate().issueIntermediate().issue()
        files = IdentityFiles(issued)
        chain = try X509Certificate.all(inPEM: issued.chainPEM)
    }

    private func reason(_ body: () throws -> ClientIdentity) throws -> ClientIdentityError.Reason {
        try #require(throws: ClientIdentityError.self) { try body() }.reason
    }

    @Test func `the certificates are sorted into a chain, whatever their order in the file`() throws {
        // `IdentityFiles` writes the issuers in reverse.
        let contents = try PKCS12Contents(der: files.pkcs12("secret"), passphrase: "secret")
        #expect(contents.certificates == chain)
        #expect(contents.certificates.count == 3)
    }

    @Test(arguments: ["secret", "", "pässwörd"])
    func `a PKCS#12 file opens with its passphrase only`(passphrase: String) throws {
        let file = files.pkcs12(passphrase)
        #expect(try ClientIdentity(pkcs12: file, passphrase: passphrase).certificates == chain)
        #expect(try reason { try ClientIdentity(pkcs12: file, passphrase: "wrong") } == .wrongPassphrase)
        #expect(try reason { try ClientIdentity(pkcs12: file, passphrase: passphrase + "\0x") } == .wrongPassphrase)
    }

    @Test func `a PKCS#12 file without a passphrase is opened with an empty one`() throws {
        #expect(try ClientIdentity(pkcs12: files.pkcs12(nil)).certificates == chain)
    }
}

struct PrivateKeyReferenceTests {
    private let files: IdentityFiles
    private let chain: [X509Certificate]

    init() throws {
        let issued = try CertificateAuthority().issue()
        files = IdentityFiles(issued)
        chain = try X509Certificate.all(inPEM: issued.chainPEM)
    }

    private func reason(_ body: () throws -> ClientIdentity) throws -> ClientIdentityError.Reason {
        try #require(throws: ClientIdentityError.self) { try body() }.reason
    }

    @Test func `a key is found behind other blocks, and its passphrase is not needed if it is not encrypted`() throws {
        _ = try PrivateKeyReference(pem: files.certificates + files.privateKey, passphrase: nil)
        _ = try PrivateKeyReference(pem: files.privateKey, passphrase: "not needed")
        let error = try #require(throws: ClientIdentityError.self) {
            try PrivateKeyReference(pem: files.certificates, passphrase: nil)
        }
        #expect(error.reason == .noPrivateKey)
    }

    @Test func `an encrypted key opens with its passphrase only`() throws {
        let key = files.encryptedKey("secret")
        let identity = try ClientIdentity(pem: files.certificates, privateKeyPEM: key, passphrase: "secret")
        #expect(identity.certificates == chain)
        #expect(
            try reason { try ClientIdentity(pem: files.certificates, privateKeyPEM: key, passphrase: "wrong") }
                == .wrongPassphrase)
        #expect(
            try reason { try ClientIdentity(pem: files.certificates, privateKeyPEM: key, passphrase: "") }
                == .wrongPassphrase)
        #expect(
            try reason { try ClientIdentity(pem: files.certificates, privateKeyPEM: key) } == .passphraseNeeded)
        let endless = String(repeating: "x", count: 100_000)
        #expect(
            try reason { try ClientIdentity(pem: files.certificates, privateKeyPEM: key, passphrase: endless) }
                == .wrongPassphrase)
    }
}
