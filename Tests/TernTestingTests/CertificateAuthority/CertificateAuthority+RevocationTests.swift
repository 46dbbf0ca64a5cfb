// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import Testing

@Suite struct CertificateAuthorityRevocationTests {
    private let root: CertificateAuthority
    private let leaf: Identity

    init() throws {
        root = try CertificateAuthority()
        leaf = try root.issue()
    }

    private func base64(_ der: [UInt8]) -> String {
        Data(der).base64EncodedString(options: .lineLength64Characters) + "\n"
    }

    @Test func `a list revokes the certificates it was made for, and no others`() async throws {
        let other = try root.issue()
        let list = base64(try root.revocationList(revoking: [leaf]))
        let files = [
            "root.pem": root.certificatePEM, "leaf.pem": leaf.certificatePEM, "other.pem": other.certificatePEM,
            "crl.pem": "-----BEGIN X509 CRL-----\n\(list)-----END X509 CRL-----\n",
        ]
        func verify(_ name: String) async throws -> OpenSSLCommand {
            try await OpenSSLCommand.run(
                "openssl verify -crl_check -CRLfile crl.pem -CAfile root.pem \(name)", files: files)
        }
        #expect(try await verify("leaf.pem").output.contains("certificate revoked"))
        #expect(try await verify("other.pem").status == 0)
    }

    @Test(arguments: [(RevocationStatus.good, "good"), (.revoked(at: 1_700_000_000), "revoked"), (.unknown, "unknown")])
    func `a response has the status, and is signed by the authority`(status: RevocationStatus, text: String)
        async throws
    {
        let files = [
            "root.pem": root.certificatePEM, "leaf.pem": leaf.certificatePEM,
            "response": base64(try root.ocspResponse(about: leaf, status)),
        ]
        let result = try await OpenSSLCommand.run(
            """
            openssl base64 -d -in response -out response.der && openssl ocsp -respin response.der \
            -issuer root.pem -cert leaf.pem -CAfile root.pem -VAfile root.pem
            """, files: files)
        #expect(result.output.contains("leaf.pem: \(text)"), "\(result.output)")
        #expect(result.output.contains("Response verify OK"))
    }
}
