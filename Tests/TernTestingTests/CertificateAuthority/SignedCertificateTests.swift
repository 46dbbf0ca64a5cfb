// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import TernTesting

struct SignedCertificateTests {
    private func der(_ pem: String) throws -> [UInt8] {
        let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-") }
        return [UInt8](try #require(Data(base64Encoded: lines.joined())))
    }

    @Test func `a certificate is written as it was read, with the pin of its key`() throws {
        let authority = try CertificateAuthority()
        let der = try der(authority.certificatePEM)
        let certificate = try SignedCertificate(der: der)
        #expect(try certificate.der() == der)
        #expect(try certificate.pem() == authority.certificatePEM)
        #expect(try certificate.pin() == authority.pin)
    }

    @Test func `half a certificate is an error`() throws {
        let der = try der(CertificateAuthority().certificatePEM)
        #expect(throws: CertificateAuthorityError.self) { try SignedCertificate(der: Array(der.prefix(der.count / 2))) }
    }
}
