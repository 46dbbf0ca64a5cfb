// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

/// What the URL of an issuer leads to.
struct IssuersOfAnAnswerTests {
    private let root: CertificateAuthority
    private let intermediate: CertificateAuthority

    init() throws {
        root = try CertificateAuthority()
        intermediate = try root.issueIntermediate()
    }

    @Test func `one certificate is DER or PEM, and several are PKCS7 or PEM`() throws {
        let one = try intermediate.certificate()
        let two = [one, try root.certificate()]
        #expect(X509Certificate.issuers(in: one.der) == [one])
        #expect(X509Certificate.issuers(in: Array(one.pem.utf8)) == [one])
        #expect(X509Certificate.issuers(in: two.flatMap { Array($0.pem.utf8) }) == two)
        #expect(X509Certificate.issuers(in: try CertificateAuthority.certificatesOnly([intermediate])) == [one])
        #expect(
            Set(X509Certificate.issuers(in: try CertificateAuthority.certificatesOnly([intermediate, root])))
                == Set(two))
        for kind in ["PKCS7", "CERTIFICATE"] {
            let message = try CertificateAuthority.certificatesOnly([intermediate, root])
            let text = "-----BEGIN \(kind)-----\n\(Base64.encode(message))\n-----END \(kind)-----\n"
            #expect(Set(X509Certificate.issuers(in: Array(text.utf8))) == (kind == "PKCS7" ? Set(two) : []))
        }
        // A certificate is counted as often as it occurs.
        let many = [CertificateAuthority](repeating: root, count: X509Certificate.maximumIssuers)
        #expect(X509Certificate.issuers(in: try CertificateAuthority.certificatesOnly(many)).count == many.count)
    }

    @Test func `anything else is nothing`() throws {
        let der = try intermediate.certificate().der
        let message = try CertificateAuthority.certificatesOnly([intermediate])
        let crowd = [CertificateAuthority](repeating: root, count: X509Certificate.maximumIssuers + 1)
        // SEQUENCE { OID pkcs7-data, [0] { OCTET STRING "" } }
        let data: [UInt8] = [
            0x30, 0x0f, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x01, 0xa0, 0x02, 0x04, 0x00,
        ]
        // SEQUENCE { OID pkcs7-signed }, without contents.
        let hollow: [UInt8] = [0x30, 0x0b, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02]
        let useless: [[UInt8]] = [
            [], [0x30], Array("<html>sign in</html>".utf8), der.dropLast(), der + [0], message.dropLast(),
            message + [0],
            data, hollow, try CertificateAuthority.certificatesOnly([]),
            try CertificateAuthority.certificatesOnly(crowd),
            Array(String(repeating: root.certificatePEM, count: crowd.count).utf8),
            Array(root.privateKeyPEM.utf8), try root.revocationList(revoking: []),
        ]
        for bytes in useless { #expect(X509Certificate.issuers(in: bytes).isEmpty, "\(bytes.count) bytes") }
        #expect(OpenSSLError.drain().isEmpty)
    }
}
