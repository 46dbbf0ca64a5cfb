// SPDX-License-Identifier: Apache-2.0

/// The certificate of a server; by default a valid one.
public struct LeafRequest: Sendable, Hashable {
    /// The subject's common name; nil leaves the subject empty. Clients must not read a host name from it.
    public var commonName: String?
    /// `dNSName` entries, written as given: wildcards, upper case, even `127.0.0.1`.
    public var dnsNames: [String]
    /// `iPAddress` entries, in text form without brackets.
    public var ipAddresses: [String]
    /// `uniformResourceIdentifier` entries.
    public var uris: [String]
    /// The kind of key to create.
    public var key: KeyKind
    /// The validity period.
    public var validity: Validity
    /// The hash of its signature.
    public var digest: SignatureDigest
    /// Extensions on top of, or instead of, the defaults: `basicConstraints` (`critical,CA:FALSE`), `keyUsage`,
    /// `extendedKeyUsage` (`serverAuth`), `subjectKeyIdentifier`, `authorityKeyIdentifier`.
    public var extensions: [CertificateExtension]
    /// Deliberate flaws.
    public var flaws: CertificateFlaws

    /// Creates a request for a valid certificate for `localhost`, with the given changes.
    public init(
        commonName: String? = "Tern Test Leaf", dnsNames: [String] = ["localhost"], ipAddresses: [String] = [],
        uris: [String] = [], key: KeyKind = .p256, validity: Validity = .current, digest: SignatureDigest = .sha256,
        extensions: [CertificateExtension] = [],
        flaws: CertificateFlaws = CertificateFlaws()
    ) {
        self.commonName = commonName
        self.dnsNames = dnsNames
        self.ipAddresses = ipAddresses
        self.uris = uris
        self.key = key
        self.validity = validity
        self.digest = digest
        self.extensions = extensions
        self.flaws = flaws
    }

    /// `localhost`, `127.0.0.1` and `::1`.
    public static var localhost: LeafRequest {
        LeafRequest(dnsNames: ["localhost"], ipAddresses: ["127.0.0.1", "::1"])
    }
}
