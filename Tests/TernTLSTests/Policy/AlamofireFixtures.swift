// SPDX-License-Identifier: Apache-2.0
import TernTLS
import TernTesting

/// Certificates of the shape Alamofire 4's trust tests use: a root, two authorities, and leaves of either.
struct AlamofireFixtures: Sendable {
    static let host = "test.alamofire.org"
    static let shared = Result { try AlamofireFixtures() }

    let root, ca1, ca2: X509Certificate
    /// Below CA1.
    let wildcard, multipleDNSNames, signedByCA1, dnsAndURI: X509Certificate
    /// Below CA2.
    let expired, missingNames, signedByCA2, validDNSName, validURI: X509Certificate

    private init() throws {
        let root = try CertificateAuthority(commonName: "Alamofire Root CA")
        let ca1 = try root.issueIntermediate(AuthorityRequest(commonName: "Alamofire Signing CA 1"))
        let ca2 = try root.issueIntermediate(AuthorityRequest(commonName: "Alamofire Signing CA 2"))
        func leaf(
            _ authority: CertificateAuthority, _ names: [String], uris: [String] = [], validity: Validity = .current
        ) throws -> X509Certificate {
            try authority.issue(
                LeafRequest(commonName: Self.host, dnsNames: names, uris: uris, validity: validity)
            ).certificate()
        }
        self.root = try root.certificate()
        self.ca1 = try ca1.certificate()
        self.ca2 = try ca2.certificate()
        wildcard = try leaf(ca1, ["*.alamofire.org"])
        multipleDNSNames = try leaf(ca1, ["test.alamofire.org", "blog.alamofire.org", "www.alamofire.org"])
        signedByCA1 = try leaf(ca1, ["*.alamofire.org"])
        dnsAndURI = try leaf(ca1, [Self.host], uris: ["https://test.alamofire.org"])
        expired = try leaf(ca2, [Self.host], validity: .expired)
        missingNames = try leaf(ca2, [])
        signedByCA2 = try leaf(ca2, [Self.host])
        validDNSName = try leaf(ca2, [Self.host])
        validURI = try leaf(ca2, [], uris: ["https://test.alamofire.org"])
    }

    /// What the servers of Alamofire's tests send.
    func chain(_ leaf: KeyPath<AlamofireFixtures, X509Certificate>) -> [X509Certificate] {
        let below1 = [\AlamofireFixtures.wildcard, \.multipleDNSNames, \.signedByCA1, \.dnsAndURI].contains(leaf)
        return [self[keyPath: leaf], below1 ? ca1 : ca2, root]
    }
}
