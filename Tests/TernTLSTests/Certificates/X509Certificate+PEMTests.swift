// SPDX-License-Identifier: Apache-2.0
import TernTLS
import TernTesting
import Testing

struct X509CertificatePEMTests {
    @Test func `a certificate is read again from its own text`() throws {
        let authority = try CertificateAuthority()
        let certificate = try authority.certificate()
        #expect(try X509Certificate(pem: certificate.pem) == certificate)
        #expect(certificate.pem == authority.certificatePEM)
    }
}
