// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernTLS

struct CertificateErrorTests {
    @Test func `blocks are counted from one in the description, and from zero in the reason`() throws {
        let text = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        let error = try #require(throws: CertificateError.self) { try X509Certificate.all(inPEM: text) }
        #expect(error.reason == .invalidPEM(block: 0))
        #expect(error.description.hasPrefix("PEM certificate 1 is broken"))
    }

    @Test func `OpenSSL's entries belong to the error, and leave the queue`() throws {
        let error = try #require(throws: CertificateError.self) { try X509Certificate(der: [0x30, 0x01]) }
        #expect(error.reason == .invalidDER)
        #expect(!error.openSSL.isEmpty)
        #expect(error.description.hasPrefix("not a DER certificate ["))
        #expect(OpenSSLError.drain().isEmpty)
    }
}
