// SPDX-License-Identifier: Apache-2.0
import TernTLS
import TernTesting
import Testing

struct SelfSignedServerTests {
    @Test(arguments: ["critical,CA:TRUE", "CA:TRUE", nil])
    func `a server that is its own anchor is accepted, as openssl req -x509 makes it`(constraints: String?) throws {
        let server = try CertificateAuthority(
            AuthorityRequest(
                commonName: "localhost",
                extensions: [
                    CertificateExtension("basicConstraints", constraints), CertificateExtension("keyUsage", nil),
                    CertificateExtension("subjectAltName", "DNS:localhost,IP:127.0.0.1"),
                ]))
        let trust = ServerTrust(
            sentChain: [try server.certificate()], anchors: .only([try server.certificate()]))
        for host in ["localhost", "127.0.0.1"] {
            let result = ServerTrustPolicy.performDefaultEvaluation(validateHost: true).evaluate(trust, host: host)
            #expect(result.isAccepted, "\(result)")
        }
    }
}
