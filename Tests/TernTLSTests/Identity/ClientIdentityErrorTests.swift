// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

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
