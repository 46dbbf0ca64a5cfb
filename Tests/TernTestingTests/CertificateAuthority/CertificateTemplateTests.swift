// SPDX-License-Identifier: Apache-2.0
import Testing
import TernTesting

struct CertificateTemplateTests {
    let root: CertificateAuthority

    init() throws { root = try CertificateAuthority() }

    private func text(_ pem: String) async throws -> String {
        try await OpenSSLCommand.run("openssl x509 -in c.pem -noout -text", files: ["c.pem": pem]).output
    }

    @Test func `alternative names are written as asked`() async throws {
        let identity = try root.issue(
            LeafRequest(
                dnsNames: ["*.example.com", "127.0.0.1"], ipAddresses: ["10.0.0.1"], uris: ["https://a.test/"]))
        #expect(
            try await text(identity.certificatePEM).contains(
                "DNS:*.example.com, DNS:127.0.0.1, IP Address:10.0.0.1, URI:https://a.test/"))
    }

    @Test func `an extension replaces the default of its name, and nil leaves it out`() async throws {
        let identity = try root.issue(
            LeafRequest(extensions: [
                CertificateExtension("extendedKeyUsage", "clientAuth"), CertificateExtension("keyUsage", nil),
            ]))
        let text = try await text(identity.certificatePEM)
        #expect(text.contains("TLS Web Client Authentication"))
        #expect(!text.contains("TLS Web Server Authentication"))
        #expect(!text.contains("X509v3 Key Usage"))
    }
}
