// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

struct X509ReferenceRevocationTests {
    private let issuer: CertificateAuthority

    init() throws { issuer = try CertificateAuthority() }

    private func certificate(_ name: String, _ value: String) throws -> X509Certificate {
        try issuer.issue(LeafRequest(extensions: [CertificateExtension(name, value)])).certificate()
    }

    @Test func `responders are those of authorityInfoAccess, and issuers' certificates are none`() throws {
        let certificate = try certificate(
            "authorityInfoAccess", "OCSP;URI:http://a.test/,caIssuers;URI:http://b.test/,OCSP;URI:http://c.test/")
        #expect(certificate.x509.responderURLs == ["http://a.test/", "http://c.test/"])
        #expect(certificate.x509.issuerURLs == ["http://b.test/"])
        #expect(try issuer.issue().certificate().x509.responderURLs.isEmpty)
    }

    @Test(arguments: [
        "DNS:a.test", "URI:http://a.test/\u{7}", "URI:http://a.test/" + String(repeating: "x", count: 2048),
        "IP:127.0.0.1",
    ])
    func `issuers are not at what is no URL`(value: String) throws {
        let certificate = try certificate("authorityInfoAccess", "caIssuers;\(value)")
        #expect(certificate.x509.issuerURLs.isEmpty)
        #expect(try issuer.issue().certificate().x509.issuerURLs.isEmpty)
    }

    @Test(arguments: [
        ("http://user:word@a.test/ca?a@b", "http://a.test/ca?a@b"), ("http://user@a.test", "http://a.test"),
        ("http://a@b@c.test:1/", "http://c.test:1/"), ("http://a.test/x@y", "http://a.test/x@y"),
        ("http://a.test?x@y", "http://a.test?x@y"), ("urn:x@y", "urn:x@y"),
    ])
    func `user information of a URL is left out`(given: String, url: String) throws {
        let certificate = try certificate("authorityInfoAccess", "caIssuers;URI:\(given),OCSP;URI:\(given)")
        #expect(certificate.x509.issuerURLs == [url] && certificate.x509.responderURLs == [url])
    }

    @Test(arguments: [
        ("URI:http://a.test/,URI:ldap://b.test/", ["http://a.test/", "ldap://b.test/"]),
        ("DNS:a.test", []), ("URI:http://a.test/\u{7}", []),
        ("URI:http://a.test/" + String(repeating: "x", count: 2048), []),
    ])
    func `lists are at the URLs that are ones`(value: String, urls: [String]) throws {
        #expect(try certificate("crlDistributionPoints", value).x509.listURLs == urls)
    }

    @Test func `other features demand no staple`() throws {
        for feature in ["DER:3003020117", "DER:3003020111", "DER:3000", "DER:020105", "DER:05"] {
            let leaf = try issuer.issue(
                LeafRequest(
                    dnsNames: ["localhost"], extensions: [CertificateExtension("1.3.6.1.5.5.7.1.24", feature)]))
            #expect(try !leaf.certificate().x509.demandsStaple)
        }
        let both = try issuer.issue(
            LeafRequest(extensions: [CertificateExtension("tlsfeature", "status_request_v2,status_request")]))
        #expect(try both.certificate().x509.demandsStaple)
    }
}
