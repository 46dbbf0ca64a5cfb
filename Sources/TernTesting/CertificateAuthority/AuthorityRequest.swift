// SPDX-License-Identifier: Apache-2.0

/// The certificate of an authority, root or intermediate; by default a valid one.
public struct AuthorityRequest: Sendable, Hashable {
    /// The subject's common name, and the issuer's name in its certificates.
    public var commonName: String
    /// The kind of key to create.
    public var key: KeyKind
    /// The validity period.
    public var validity: Validity
    /// The hash of its signature.
    public var digest: SignatureDigest
    /// Extensions on top of, or instead of, the defaults: `basicConstraints` (`critical,CA:TRUE`), `keyUsage`
    /// (`critical,keyCertSign,cRLSign`), `subjectKeyIdentifier`, `authorityKeyIdentifier`.
    /// Name constraints: `CertificateExtension("nameConstraints", "critical,permitted;DNS:good.test")`.
    public var extensions: [CertificateExtension]
    /// Deliberate flaws.
    public var flaws: CertificateFlaws

    /// Creates a request for a valid authority of that name, with the given changes.
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
