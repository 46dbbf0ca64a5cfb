// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// A temporary certificate authority in memory: a root, intermediates below it, and leaves of every form, valid and
/// invalid, that a client must distinguish.
///
/// ```swift
/// let root = try CertificateAuthority()
/// let server = try root.issueIntermediate().issue(.localhost)
/// ```
/// Immutable, so any thread may use it.
public final class CertificateAuthority: Sendable {
    /// The authority's own certificate: the anchor for a client.
    public let certificatePEM: String
    /// PKCS#8, not encrypted; for a second certificate of the same key.
    public let privateKeyPEM: String
    /// `sha256/BASE64` of the authority's SubjectPublicKeyInfo.
    public let pin: String

    private let certificate: SignedCertificate
    private let key: PrivateKey
    private let commonName: String
    /// The certificates after a leaf in a server's list: this authority and those above it, without the root.
    private let chainPEM: String

    /// A self-signed root.
    public convenience init(
        commonName: String = "Tern Test Root CA", key: KeyKind = .p256, validity: Validity = .days(-2, to: 3650)
    ) throws(CertificateAuthorityError) {
        try self.init(AuthorityRequest(commonName: commonName, key: key, validity: validity))
    }

    /// Creates a self-signed root of any form.
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

    /// Creates an authority below this one; the identities it issues contain its certificate.
    public func issueIntermediate(
        _ request: AuthorityRequest = AuthorityRequest(commonName: "Tern Test Intermediate CA")
    ) throws(CertificateAuthorityError) -> CertificateAuthority {
        let key = try PrivateKey(request.key)
        return try CertificateAuthority(request, key: key, issuer: self)
    }

    /// Issues a second certificate for `other`'s name and key.
    public func crossSign(
        _ other: CertificateAuthority, validity: Validity = .days(-2, to: 3650)
    ) throws(CertificateAuthorityError) -> CertificateAuthority {
        try crossSign(other, AuthorityRequest(commonName: other.commonName, validity: validity))
    }

    /// Issues a second certificate of any form for `other`'s key, with the request's name.
    public func crossSign(
        _ other: CertificateAuthority, _ request: AuthorityRequest
    ) throws(CertificateAuthorityError) -> CertificateAuthority {
        try CertificateAuthority(request, key: other.key, issuer: self)
    }

    /// Issues a leaf with its key.
    public func issue(_ request: LeafRequest = .localhost) throws(CertificateAuthorityError) -> Identity {
        let leafKey = try PrivateKey(request.key)
        let leaf = try CertificateTemplate(request).sign(for: leafKey, issuer: (certificate, key))
        return try Identity(leaf, key: leafKey, followedBy: chainPEM)
    }

    /// Creates a self-signed leaf.
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
