// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

struct CertificateSizeTests {
    private let root: CertificateAuthority

    init() throws { root = try CertificateAuthority() }

    private func size(_ leaf: LeafRequest) throws -> CertificateSize {
        CertificateSize(try root.issue(leaf).certificate())
    }

    @Test func `a common certificate crosses no limit, and is cheap to read`() throws {
        let certificate = try root.issue().certificate()
        let size = CertificateSize(certificate)
        #expect(size.bytes == certificate.der.count)
        #expect(size.crossedLimit == nil)
        #expect(size.readingCost < 300)
    }

    @Test func `the names of a large certificate are counted`() throws {
        let names = (0..<1500).map { "a\($0).b" }
        let size = try size(LeafRequest(dnsNames: names))
        #expect(size.names >= names.count)
        #expect(size.readingCost >= names.count)
        let few = try self.size(LeafRequest(dnsNames: Array(names.prefix(500))))
        #expect((500..<1500).contains(few.names))
    }

    @Test func `policies are counted, and none where there is no extension`() throws {
        // 1.2.3.128, 1.2.3.129 and 1.2.3.130
        let list = "DER:3018" + "3006" + "06042a038100" + "3006" + "06042a038101" + "3006" + "06042a038102"
        let extensions = [CertificateExtension("certificatePolicies", list)]
        let leaf = try root.issue(LeafRequest(extensions: extensions)).certificate()
        #expect(leaf.x509.policyCount == 3)
        #expect(try root.certificate().x509.policyCount == 0)
    }
}
