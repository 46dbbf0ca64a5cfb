// SPDX-License-Identifier: Apache-2.0
import Testing
import TernTesting

struct CertificateFlawsTests {
    private func text(_ change: (inout CertificateFlaws) -> Void) async throws -> String {
        let leaf = try CertificateAuthority().issue(LeafRequest(flaws: .having(change)))
        return try await OpenSSLCommand.run(
            "openssl x509 -in c.pem -noout -text", files: ["c.pem": leaf.certificatePEM]
        ).output
    }

    @Test func `without a flaw a certificate has version 3 and a name`() async throws {
        #expect(try await text { _ in }.contains("Version: 3 (0x2)"))
        #expect(CertificateFlaws() == .having { _ in })
    }

    @Test func `a flaw is in the certificate`() async throws {
        #expect(try await text { $0.version = 1 }.contains("Version: 1 (0x0)"))
        #expect(try await text { $0.serialNumber = [0x12, 0x34] }.contains("Serial Number: 4660 (0x1234)"))
        #expect(try await text { $0.hasNegativeSerialNumber = true }.contains("(Negative)"))
        #expect(try await text { $0.hasEmptySubject = true }.contains("Subject: \n"))
        #expect(try await text { $0.hasEmptyIssuer = true }.contains("Issuer: \n"))
        #expect(try await text { $0.issuerCommonName = "Other" }.contains("Issuer: CN = Other"))
        #expect(try await text { $0.hasUnknownKeyAlgorithm = true }.contains("Unable to load Public Key"))
    }
}
