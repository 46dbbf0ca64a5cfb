// SPDX-License-Identifier: Apache-2.0
// In Swift 6, and with Foundation beside it, as a file may have it.
import Foundation
import TernAlamofire
import TernTesting
import Testing

@Suite struct SecurityTests {
    @Test func `a certificate is made of data, and gives them and its key`() throws {
        let authority = try CertificateAuthority()
        let certificate = try X509Certificate(pem: authority.certificatePEM)
        let data = SecCertificateCopyData(certificate)
        let made: SecCertificate? = SecCertificateCreateWithData(nil, data)
        #expect(made == certificate)
        let key: SecKey? = SecCertificateCopyKey(certificate)
        #expect(key?.pin == authority.pin)
    }

    @Test func `what is no certificate makes none`() {
        #expect(SecCertificateCreateWithData(nil, Data("x".utf8)) == nil)
        #expect(kSecRevocationOCSPMethod.union(kSecRevocationCRLMethod) == kSecRevocationUseAnyAvailableMethod)
        #expect(kSecRevocationPreferCRL.rawValue == 4 && kSecRevocationRequirePositiveResponse.rawValue == 8)
        #expect(kSecRevocationNetworkAccessDisabled.rawValue == 16)
    }
}
