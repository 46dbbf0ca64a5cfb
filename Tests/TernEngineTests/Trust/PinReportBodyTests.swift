// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTLS
import TernTesting
import Testing

@testable import TernEngine

@Suite struct PinReportBodyTests {
    private func body(host: String, hosts: [String]) throws -> [String: Any] {
        let authority = try CertificateAuthority()
        let leaf = try authority.issue(LeafRequest(dnsNames: ["www.example.com"]))
        let trust = ServerTrust(
            sentChain: [try X509Certificate(pem: leaf.certificatePEM)],
            anchors: .only([try X509Certificate(pem: authority.certificatePEM)]))
        let set = PinSet(
            hosts: try hosts.map(HostPattern.init), pins: [X509Certificate.PublicKey(subjectPublicKeyInfo: [])],
            expires: 4_102_444_800)
        let result = ServerTrustPolicy.pinSet(set).evaluate(trust, host: host)
        let report = try #require(PinFailureReport(result, port: 8443, pinSet: set))
        let json = try PinReportBody(report).json()
        return try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
    }

    @Test func `a mismatch has the members of RFC 7469`() throws {
        let body = try body(host: "www.example.com", hosts: ["**.example.com"])
        #expect(body["hostname"] as? String == "www.example.com")
        #expect(body["port"] as? Int == 8443)
        #expect(body["include-subdomains"] as? Bool == true)
        #expect(body["noted-hostname"] as? String == "**.example.com")
        #expect(body["effective-expiration-date"] as? String == "2100-01-01T00:00:00Z")
        #expect(
            body["known-pins"] as? [String] == ["pin-sha256=\"47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\""])
        #expect((body["served-certificate-chain"] as? [String])?.count == 1)
        #expect((body["validated-certificate-chain"] as? [String])?.count == 2)
        #expect(body["rule"] as? String == "key-not-pinned")
        #expect(body["refused"] as? Bool == true)
    }

    @Test func `a chain that was not validated is not said to be`() throws {
        let body = try body(host: "other.test", hosts: ["other.test"])
        #expect((body["validated-certificate-chain"] as? [String])?.isEmpty == true)
        #expect(body["rule"] as? String == "name-mismatch")
        #expect(body["include-subdomains"] as? Bool == false)
    }
}
