// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import Testing

@testable import Tern

@Suite struct ServerTrustPolicyBundleTests {
    private let folder = TestFolder()

    @Test func `the certificates of a bundle are pins, and its keys are theirs`() throws {
        let identity = try CertificateAuthority().issue()
        let certificate = try Certificate(pem: identity.certificatePEM)
        try Data(certificate.der).write(to: folder.file("server.cer", ""))
        _ = try folder.file("key.pem", identity.privateKeyPEM)
        _ = try folder.file("noise.der", "noise")
        let bundle = try #require(Bundle(url: folder.url))
        #expect(ServerTrustPolicy.certificates(in: bundle) == [certificate])
        #expect(ServerTrustPolicy.publicKeys(in: bundle) == [certificate.publicKey])
        #expect(AFSecurityPolicy.certificates(in: bundle) == [certificate])
    }
}
