// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Tern
import TernTesting
import Testing

@testable import TernCLI

@Suite struct CertificateFileTests {
    @Test func `a file has PEM, or one certificate in DER`() throws {
        let folder = try TemporaryFolder()
        let authority = try CertificateAuthority()
        let certificate = try X509Certificate(pem: authority.certificatePEM)
        let pem = try folder.write(authority.certificatePEM + authority.certificatePEM, to: "x.pem")
        let der = try folder.write(Data(certificate.der), to: "x.der")
        #expect(try CertificateFile.certificates(pem, option: "--chain") == [certificate, certificate])
        #expect(try CertificateFile.certificates(der, option: "--chain") == [certificate])
        #expect(try CertificateFile.anchors(der) == .only([certificate]))
        #expect(try CertificateFile.anchors(nil) == .system)
    }

    @Test func `what has no certificate is wrong usage that names the option`() throws {
        let folder = try TemporaryFolder()
        for path in ["/nowhere/x", try folder.write("nothing", to: "x")] {
            let error = try #require(throws: ValidationError.self) {
                try CertificateFile.certificates(path, option: "--chain")
            }
            #expect(error.message.hasPrefix("--chain: ") && error.message.contains(path))
        }
    }
}
