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

struct CertificateFlawsSignatureTests {
    private let root: CertificateAuthority

    init() throws { root = try CertificateAuthority() }

    private func verify(_ identity: Identity) async throws -> OpenSSLCommand {
        try await OpenSSLCommand.run(
            "openssl verify -CAfile root.pem leaf.pem; openssl x509 -in leaf.pem -noout -text",
            files: ["root.pem": root.certificatePEM, "leaf.pem": identity.certificatePEM])
    }

    @Test func `a broken signature does not verify, and the rest of the certificate is readable`() async throws {
        let leaf = try root.issue(LeafRequest(flaws: .having { $0.hasBrokenSignature = true }))
        let result = try await verify(leaf)
        #expect(result.output.contains("certificate signature failure"))
        #expect(result.output.contains("DNS:localhost"))
    }

    @Test(arguments: [KeyKind.p256, .rsa(bits: 2048)])
    func `the signed part names another algorithm than the signature`(key: KeyKind) async throws {
        let root = try CertificateAuthority(AuthorityRequest(commonName: "Root", key: key))
        let leaf = try root.issue(LeafRequest(flaws: .having { $0.namesOtherAlgorithm = true }))
        let text = try await OpenSSLCommand.run(
            "openssl x509 -in leaf.pem -noout -text | grep 'Signature Algorithm'",
            files: ["leaf.pem": leaf.certificatePEM]
        ).output.split(separator: "\n").map { $0.drop { $0 == " " } }
        #expect(text.count == 2)
        #expect(text.first?.contains("384") == true)
        #expect(text.last?.contains("256") == true)
    }
}
