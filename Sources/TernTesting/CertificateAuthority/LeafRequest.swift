// SPDX-License-Identifier: Apache-2.0
import TernLibC

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

/// The kind of a certificate's key.
public enum KeyKind: Sendable, Hashable {
    /// The NIST curve P-256, which every client accepts.
    case p256
    /// The NIST curve P-384.
    case p384
    /// The NIST curve P-521.
    case p521
    /// Ed25519, which no browser accepts from a server.
    case ed25519
    /// An RSA key of this many bits; clients accept 2048 and more, 1024 is a weak key that they refuse.
    case rsa(bits: Int)
    /// A curve by OpenSSL's name, such as `secp224r1`; clients accept few other than the NIST ones.
    case curve(String)
    /// An existing key, as PKCS#8 PEM: certificates that are renewed or cross-signed keep their key.
    case existing(privateKeyPEM: String)
}

/// The hash of a certificate's signature. Ignored by Ed25519, which has its own.
public enum SignatureDigest: String, Sendable, Hashable {
    /// SHA-256, which nearly all certificates use.
    case sha256
    /// SHA-384.
    case sha384
    /// SHA-512.
    case sha512
    /// SHA-1, broken; clients refuse it. For negative tests.
    case sha1
    /// MD5, broken; clients refuse it. For negative tests.
    case md5
}

/// The validity period of a certificate, both ends included.
public struct Validity: Sendable, Hashable {
    /// Seconds since 1970-01-01T00:00:00Z.
    public var notBefore: Int64
    /// Seconds since 1970-01-01T00:00:00Z.
    public var notAfter: Int64

    /// A period between two times, which may be reversed.
    public init(notBefore: Int64, notAfter: Int64) {
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    /// A period in days from now; negative is the past.
    public static func days(_ first: Int, to last: Int) -> Validity {
        let now = Int64(time(nil))
        return Validity(notBefore: now + Int64(first) * 86400, notAfter: now + Int64(last) * 86400)
    }

    /// From yesterday until a year from now.
    public static var current: Validity { days(-1, to: 365) }
    /// Ended yesterday.
    public static var expired: Validity { days(-30, to: -1) }
    /// Begins tomorrow.
    public static var future: Validity { days(1, to: 30) }
}

/// One X.509 extension in OpenSSL's configuration syntax (`x509v3_config(5)`): `extendedKeyUsage`, `clientAuth`.
///
/// It replaces the default extension of that name; `value` nil omits the default one.
public struct CertificateExtension: Sendable, Hashable {
    /// OpenSSL's short name (`keyUsage`) or a dotted object identifier.
    public var name: String
    /// The value, optionally after `critical,`.
    public var value: String?

    /// Creates an extension by name; nil as the value omits the default one.
    public init(_ name: String, _ value: String?) {
        self.name = name
        self.value = value
    }
}

/// Flaws that no honest authority makes; none by default. For tests of what clients refuse.
public struct CertificateFlaws: Sendable, Hashable {
    /// The serial number's bytes, most significant first; nil for a random one.
    public var serialNumber: [UInt8]?
    /// The serial number is negative, which RFC 5280 §4.1.2.2 forbids.
    public var hasNegativeSerialNumber = false
    /// The version as written, 1 for version 1; nil for 3.
    public var version: Int?
    /// The subject has no name.
    public var hasEmptySubject = false
    /// The issuer has no name, which RFC 5280 §4.1.2.4 forbids.
    public var hasEmptyIssuer = false
    /// The issuer's name is this common name instead of the signer's.
    public var issuerCommonName: String?
    /// Both dates as GeneralizedTime, whatever the year.
    public var usesGeneralizedTime = false
    /// The beginning of the validity as raw UTCTime; nil for that of the validity.
    public var notBefore: String?
    /// The key has an unknown algorithm.
    public var hasUnknownKeyAlgorithm = false
    /// The signed part names another algorithm than the signature.
    public var namesOtherAlgorithm = false
    /// One bit of the signature is wrong.
    public var hasBrokenSignature = false

    /// No flaw.
    public init() {}

    /// Creates flaws with a closure.
    public static func having(_ change: (inout CertificateFlaws) -> Void) -> CertificateFlaws {
        var flaws = CertificateFlaws()
        change(&flaws)
        return flaws
    }
}
