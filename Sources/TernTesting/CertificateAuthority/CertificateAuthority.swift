// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// A throw-away certificate authority that lives in memory: a root, intermediates below it, and leaves of every shape,
/// good and bad, that a client has to tell apart.
///
/// ```swift
/// let root = try CertificateAuthority()
/// let server = try root.issueIntermediate().issue(.localhost)
/// ```
/// Immutable, so any thread may use it.
public final class CertificateAuthority: Sendable {
    /// The authority's own certificate: what a client is told to trust.
    public let certificatePEM: String
    /// PKCS#8, not encrypted; lets a second certificate be made for the same key.
    public let privateKeyPEM: String
    /// `sha256/BASE64` of the authority's SubjectPublicKeyInfo.
    public let pin: String

    private let certificate: SignedCertificate
    private let key: PrivateKey
    private let commonName: String
    /// What follows a leaf in the list a server sends: this authority and those above it, without the root.
    private let chainPEM: String

    /// A self-signed root.
    public convenience init(
        commonName: String = "Tern Test Root CA", key: KeyKind = .p256, validity: Validity = .days(-2, to: 3650)
    ) throws(CertificateAuthorityError) {
        try self.init(AuthorityRequest(commonName: commonName, key: key, validity: validity))
    }

    /// A self-signed root of any shape.
    public convenience init(_ request: AuthorityRequest) throws(CertificateAuthorityError) {
        let key = try PrivateKey(request.key)
        try self.init(request, key: key, issuer: nil)
    }

    private init(
        _ request: AuthorityRequest, key: PrivateKey, issuer: CertificateAuthority?
    ) throws(CertificateAuthorityError) {
        certificate = try CertificateTemplate(request).sign(
            for: key, issuer: issuer.map { ($0.certificate, $0.key) })
        self.key = key
        commonName = request.commonName
        certificatePEM = try certificate.pem()
        privateKeyPEM = try key.pem()
        pin = try certificate.pin()
        chainPEM = issuer.map { [certificatePEM] in certificatePEM + $0.chainPEM } ?? ""
    }

    /// An authority below this one; what it issues carries its certificate in the chain.
    public func issueIntermediate(
        _ request: AuthorityRequest = AuthorityRequest(commonName: "Tern Test Intermediate CA")
    ) throws(CertificateAuthorityError) -> CertificateAuthority {
        let key = try PrivateKey(request.key)
        return try CertificateAuthority(request, key: key, issuer: self)
    }

    /// A second certificate for `other`'s name and key, issued by this authority.
    public func crossSign(
        _ other: CertificateAuthority, validity: Validity = .days(-2, to: 3650)
    ) throws(CertificateAuthorityError) -> CertificateAuthority {
        try crossSign(other, AuthorityRequest(commonName: other.commonName, validity: validity))
    }

    /// A second certificate for `other`'s key, of any shape. The name is the request's.
    public func crossSign(
        _ other: CertificateAuthority, _ request: AuthorityRequest
    ) throws(CertificateAuthorityError) -> CertificateAuthority {
        try CertificateAuthority(request, key: other.key, issuer: self)
    }

    /// A leaf with its key.
    public func issue(_ request: LeafRequest = .localhost) throws(CertificateAuthorityError) -> Identity {
        let leafKey = try PrivateKey(request.key)
        let leaf = try CertificateTemplate(request).sign(for: leafKey, issuer: (certificate, key))
        return try Identity(leaf, key: leafKey, followedBy: chainPEM)
    }

    /// A leaf that is its own issuer.
    public static func selfSigned(_ request: LeafRequest = .localhost) throws(CertificateAuthorityError) -> Identity {
        let key = try PrivateKey(request.key)
        let leaf = try CertificateTemplate(request).sign(for: key, issuer: nil)
        return try Identity(leaf, key: key, followedBy: "")
    }
}

extension Identity {
    fileprivate init(
        _ leaf: SignedCertificate, key: PrivateKey, followedBy chain: String
    ) throws(CertificateAuthorityError) {
        let certificatePEM = try leaf.pem()
        self.init(
            certificatePEM: certificatePEM, chainPEM: certificatePEM + chain, privateKeyPEM: try key.pem(),
            pin: try leaf.pin())
    }
}
