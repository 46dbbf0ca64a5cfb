// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernTesting

struct PEMCertificateTests {
    @Test func `certificates are read past other texts, up to the first broken one`() throws {
        let (one, two) = (try CertificateAuthority(), try CertificateAuthority())
        let text = "a note\n" + one.certificatePEM + one.privateKeyPEM + two.certificatePEM
        #expect(PEMCertificate.all(in: text).count == 2)
        let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        #expect(PEMCertificate.all(in: one.certificatePEM + broken + two.certificatePEM).count == 1)
        #expect(PEMCertificate.all(in: "").isEmpty)
    }
}
