// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernTesting

struct PrivateKeyTests {
    let root: CertificateAuthority

    init() throws { root = try CertificateAuthority() }

    @Test func `a key is read again from its own text`() throws {
        let pem = try PrivateKey(.p256).pem()
        #expect(try PrivateKey(.existing(privateKeyPEM: pem)).pem() == pem)
        #expect(try PrivateKey(.p256).pem() != pem)
    }

    @Test func `a certificate is no key`() throws {
        #expect { try PrivateKey(.existing(privateKeyPEM: root.certificatePEM)) } throws: { error in
            (error as? CertificateAuthorityError)?.reason == .invalidPrivateKey
        }
    }

    @Test func `a renewed certificate keeps its key and so its pin`() throws {
        let first = try root.issue()
        let second = try root.issue(LeafRequest(key: .existing(privateKeyPEM: first.privateKeyPEM)))
        #expect(first.pin == second.pin)
        #expect(first.certificatePEM != second.certificatePEM)
    }
}
