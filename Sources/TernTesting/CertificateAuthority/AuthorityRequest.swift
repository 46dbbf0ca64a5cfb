// SPDX-License-Identifier: Apache-2.0

/// What the certificate of an authority, root or intermediate, should look like; by default a good one.
public struct AuthorityRequest: Sendable, Hashable {
    /// The subject's common name, and the issuer's name in what it signs.
    public var commonName: String
    /// The key that is made for it.
    public var key: KeyKind
    /// When it is valid.
    public var validity: Validity
    /// The hash its signature is made over.
    public var digest: SignatureDigest
    /// Extensions on top of, or instead of, the defaults: `basicConstraints` (`critical,CA:TRUE`), `keyUsage`
    /// (`critical,keyCertSign,cRLSign`), `subjectKeyIdentifier`, `authorityKeyIdentifier`.
    /// Name constraints: `CertificateExtension("nameConstraints", "critical,permitted;DNS:good.test")`.
    public var extensions: [CertificateExtension]
    /// What is wrong with it on purpose.
    public var flaws: CertificateFlaws

    /// A good authority of that name, but for what is given.
    public init(
        commonName: String, key: KeyKind = .p256, validity: Validity = .days(-2, to: 3650),
        digest: SignatureDigest = .sha256, extensions: [CertificateExtension] = [],
        flaws: CertificateFlaws = CertificateFlaws()
    ) {
        self.commonName = commonName
        self.key = key
        self.validity = validity
        self.digest = digest
        self.extensions = extensions
        self.flaws = flaws
    }
}
