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
