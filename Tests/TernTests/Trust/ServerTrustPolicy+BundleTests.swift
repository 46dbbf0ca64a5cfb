// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestProofs
import Testing

@testable import Tern
import TernAFNetworking

@Suite struct ServerTrustPolicyBundleTests {
    private let folder = TestFolder()

    @Test(.proves("13.15b")) func `the certificates of a bundle are pins, and its keys are theirs`() throws {
        let identity = try CertificateAuthority().issue()
        let certificate = try X509Certificate(pem: identity.certificatePEM)
        try Data(certificate.der).write(to: folder.file("server.cer", ""))
        _ = try folder.file("key.pem", identity.privateKeyPEM)
        _ = try folder.file("noise.der", "noise")
        let bundle = try #require(Bundle(url: folder.url))
        #expect(ServerTrustPolicy.certificates(in: bundle) == [certificate])
        #expect(ServerTrustPolicy.publicKeys(in: bundle) == [certificate.publicKey])
    }

    @Test(.proves("1.19b"))
    func `AFNetworking's policy takes files whose extension is cer, and pins none unless it is to pin`() throws {
        let certificate = try X509Certificate(pem: CertificateAuthority().issue().certificatePEM)
        let other = try X509Certificate(pem: CertificateAuthority().issue().certificatePEM)
        try Data(certificate.der).write(to: folder.file("server.cer", ""))
        try Data(other.der).write(to: folder.file("other.der", ""))
        _ = try folder.file("noise.cer", "noise")
        let bundle = try #require(Bundle(url: folder.url))
        #expect(AFSecurityPolicy.certificates(in: bundle) == [certificate])
        let policy = AFSecurityPolicy()
        #expect(policy.sslPinningMode == .none && policy.pinnedCertificates.isEmpty)
        #expect(!policy.allowInvalidCertificates && policy.validatesDomainName)
    }
}
