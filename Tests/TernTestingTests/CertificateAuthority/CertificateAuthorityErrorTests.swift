// SPDX-License-Identifier: Apache-2.0
import Testing
import TernTesting

struct CertificateAuthorityErrorTests {
    let root: CertificateAuthority

    init() throws { root = try CertificateAuthority() }

    @Test func `nonsense is an error that says what was wrong`() {
        #expect(throws: CertificateAuthorityError.self) { try root.issue(LeafRequest(ipAddresses: ["300.1.1.1"])) }
        let wrong = CertificateExtension("keyUsage", "flying")
        do throws(CertificateAuthorityError) {
            _ = try root.issue(LeafRequest(extensions: [wrong]))
            Issue.record("accepted")
        } catch {
            #expect(error.reason == .invalidExtension(wrong))
            #expect(error.detail.contains("unknown bit string argument"))
        }
        #expect(throws: CertificateAuthorityError.self) {
            try root.issue(LeafRequest(key: .existing(privateKeyPEM: "not a key")))
        }
    }
}
