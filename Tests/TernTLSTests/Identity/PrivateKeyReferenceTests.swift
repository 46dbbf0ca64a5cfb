// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

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
