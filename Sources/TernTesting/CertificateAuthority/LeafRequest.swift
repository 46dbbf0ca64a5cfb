// SPDX-License-Identifier: Apache-2.0

/// What a server certificate should look like; by default a good one.
public struct LeafRequest: Sendable, Hashable {
    /// The subject's common name; nil leaves the subject empty. Clients must not read a host name from it.
    public var commonName: String?
    /// `dNSName` entries, written as given: wildcards, upper case, even `127.0.0.1`.
    public var dnsNames: [String]
    /// `iPAddress` entries, in text form without brackets.
    public var ipAddresses: [String]
    /// `uniformResourceIdentifier` entries.
    public var uris: [String]
    /// The key that is made for it.
    public var key: KeyKind
    /// When it is valid.
    public var validity: Validity
    /// The hash its signature is made over.
    public var digest: SignatureDigest
    /// Extensions on top of, or instead of, the defaults: `basicConstraints` (`critical,CA:FALSE`), `keyUsage`,
    /// `extendedKeyUsage` (`serverAuth`), `subjectKeyIdentifier`, `authorityKeyIdentifier`.
    public var extensions: [CertificateExtension]
    /// What is wrong with it on purpose.
    public var flaws: CertificateFlaws

    /// A good certificate for `localhost`, but for what is given.
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
