// SPDX-License-Identifier: Apache-2.0

/// A rule about certificates that OpenSSL does not check, or only by refusing valid ones as well. The raw value is a
/// stable word for programs.
public enum CertificateRule: String, Sendable, Hashable, CaseIterable {
    // RFC 5280, in both profiles.

    /// §4.1.2.1: version 1, 2 or 3.
    case unknownVersion = "unknown-version"
    /// §4.2: no extension twice. Parsers differ in which one counts.
    case duplicateExtension = "duplicate-extension"
    /// Far more extensions than real certificates have.
    case tooManyExtensions = "too-many-extensions"
    /// §4.1.2.9: extensions require version 3.
    case extensionsBeforeVersion3 = "extensions-before-version-3"
    /// §4.2.1.11, §4.2.1.14: policy constraints are critical. (OpenSSL rejects critical forms of the extensions that
    /// must not be critical.)
    case nonCriticalExtension = "non-critical-extension"
    /// §4.1.2.2: above zero and 20 bytes at most. Not for anchors: well-known roots have number 0.
    case serialNumber = "serial-number"
    /// §4.1.1.2: the signed and the unsigned algorithm identifiers are equal.
    case signatureAlgorithmMismatch = "signature-algorithm-mismatch"
    /// §4.1.2.5: UTCTime until 2049, GeneralizedTime from then on. Not for anchors.
    case timeEncoding = "time-encoding"
    /// §4.1.2.4.
    case emptyIssuer = "empty-issuer"
    /// §4.1.2.6: an authority has a name, and so has a certificate without names in subjectAltName.
    case emptySubject = "empty-subject"
    /// §4.2.1.6: if the subject is empty, the names that replace it are critical.
    case nonCriticalNames = "non-critical-names"
    /// §4.2.1.6: subjectAltName has at least one name, a leaf's addresses have 4 or 16 bytes, and names can be compared
    /// with the constraints of their kind.
    case malformedNames = "malformed-names"
    /// §4.1.2.9, §4.2: a relevant extension can be read, and contains exactly one value in DER; critical policies, and
    /// the constraints and mappings of policies (§4.2.1.5, §4.2.1.11, §4.2.1.14), can be read whether they are relevant
    /// or not; so can authorityInfoAccess (§4.2.2.1), which is not empty. Of an anchor, only its constraints and
    /// purposes are checked.
    case malformedExtension = "malformed-extension"
    /// §6.1.4 a: no policy is mapped to or from anyPolicy.
    case anyPolicyMapping = "any-policy-mapping"
    /// §4.2: a critical Netscape certificate type allows an issuer to be the authority of a TLS server.
    case certificateType = "certificate-type"
    /// §4.2.1.9: an issuer of version 3 declares that it is an authority.
    case issuerWithoutBasicConstraints = "issuer-without-basic-constraints"
    /// §4.2.1.3: only an authority may sign certificates.
    case signingKeyUsageWithoutAuthority = "signing-key-usage-without-authority"
    /// §4.2.1.10: only an authority constrains names.
    case nameConstraintsWithoutAuthority = "name-constraints-without-authority"
    /// §4.2.1.10: each list has at least one subtree, each in the form of its type.
    case malformedNameConstraints = "malformed-name-constraints"
    /// §4.2.1.10: a wildcard name covers names that an authority excluded.
    case wildcardInExcludedSubtree = "wildcard-in-excluded-subtree"
    /// §A.2: authorityKeyIdentifier has both issuer and serial number or neither. For anchors, in the web profile only.
    case malformedKeyIdentifier = "malformed-key-identifier"
    /// BR 7.1.4.3: a common name that is one of the addresses has the same form. (No client should read it, but those
    /// that do must not have to guess.)
    case commonNameAddress = "common-name-address"
    /// Keys that OpenSSL would accept and no TLS server has: DSA, other curves than the NIST and Brainpool ones,
    /// explicit curve parameters (RFC 5480 §2.1.1, CVE-2020-0601), RSA above 8192 bits or of a size that is not a
    /// multiple of 8 bits, and invalid RSA keys: with an even modulus or exponent, or with the exponent 1 (RFC 8017
    /// §3.1).
    case unsupportedKey = "unsupported-key"

    /// §4.2.1.2: an intermediate has the key identifier that its certificates name. In the web profile it always has
    /// one.
    case missingSubjectKeyIdentifier = "missing-subject-key-identifier"

    // The web profile.

    /// §4.2.1.1, BR 7.1.2.1.3: the key that a root names in authorityKeyIdentifier is its own. The serial number of an
    /// older certificate for the same key is allowed.
    case foreignKeyIdentifier = "foreign-key-identifier"
    /// §4.2.1.1: a certificate issued by another authority says which key signed it.
    case missingAuthorityKeyIdentifier = "missing-authority-key-identifier"
    /// BR 7.1.2.11.1: the identifier is that of a key, without the issuer's name and number. Not for roots: old ones
    /// have both.
    case authorityKeyIdentifierForm = "authority-key-identifier-form"
    /// §4.2.1.9: an authority's basicConstraints are critical.
    case nonCriticalBasicConstraints = "non-critical-basic-constraints"
    /// §4.2.1.3: an authority has keyUsage.
    case missingKeyUsage = "missing-key-usage"
    /// BR 7.1.2.7.8: a server's certificate is not an authority's, even if it is an anchor.
    case authorityAsServer = "authority-as-server"
    /// BR 7.1.2.7.10: extendedKeyUsage is present, not critical, and for servers rather than for any purpose; a root
    /// has none. In both profiles, for servers and authorities: it is more than "server gated cryptography", which
    /// OpenSSL still accepts as a server's.
    case extendedKeyUsage = "extended-key-usage"
    /// BR 7.1.2.7.12: DNS names and addresses only, critical only if the subject is empty.
    case subjectAlternativeNames = "subject-alternative-names"
    /// BR 3.2.2.6: no wildcard for everything below a public suffix of a registry, such as `*.co.uk`. Suffixes of
    /// companies, such as `github.io`, have certificates for all their customers.
    case publicSuffixWildcard = "public-suffix-wildcard"
    /// BR 7.1.4.3: a common name repeats one of the names, in the same form.
    case commonName = "common-name"
    /// BR 7.1: the serial number has 64 bits from a random generator.
    case serialNumberEntropy = "serial-number-entropy"
    /// BR 6.3.2: the maximum validity for the date of issue, 398 days and falling.
    case validityPeriod = "validity-period"
    /// BR 6.1.5, 6.1.6: RSA, P-256, P-384 or P-521.
    case keyParameters = "key-parameters"
}

extension CertificateRule {
    /// What a certificate does to break the rule, following its name in a sentence.
    var sentence: String {
        switch self {
        case .unknownVersion: "is of a version that does not exist"
        case .duplicateExtension: "has an extension twice"
        case .tooManyExtensions: "has too many extensions"
        case .extensionsBeforeVersion3: "has extensions, which its version does not allow"
        case .nonCriticalExtension: "does not mark an extension critical that must be"
        case .serialNumber: "has a serial number that is not above zero, or longer than 20 bytes"
        case .signatureAlgorithmMismatch: "is signed with another algorithm than it declares"
        case .timeEncoding: "encodes its dates in a form that RFC 5280 does not allow"
        case .emptyIssuer: "names no issuer"
        case .emptySubject: "names no subject"
        case .nonCriticalNames: "has an empty subject, and subjectAltName is not critical"
        case .malformedNames: "has an empty or malformed subjectAltName"
        case .malformedExtension: "has an extension that is malformed or ambiguous"
        case .anyPolicyMapping: "maps a policy to or from any policy"
        case .certificateType: "has a critical nsCertType that does not allow it to issue for TLS servers"
        case .issuerWithoutBasicConstraints: "acts as an authority without declaring itself one"
        case .signingKeyUsageWithoutAuthority: "may sign certificates and is no authority"
        case .nameConstraintsWithoutAuthority: "constrains names and is no authority"
        case .malformedNameConstraints: "has empty or malformed name constraints"
        case .wildcardInExcludedSubtree: "has a wildcard that covers names an authority excluded"
        case .malformedKeyIdentifier: "has half an authorityKeyIdentifier"
        case .commonNameAddress: "has an address as its common name, written unlike the one in subjectAltName"
        case .unsupportedKey: "has a key that cannot be read, or of a kind, size or exponent that is not supported"
        case .foreignKeyIdentifier: "is a root whose authorityKeyIdentifier names another key than its own"
        case .missingAuthorityKeyIdentifier: "has no authorityKeyIdentifier"
        case .authorityKeyIdentifierForm: "has an authorityKeyIdentifier of a form the web does not use"
        case .missingSubjectKeyIdentifier: "is an authority without subjectKeyIdentifier"
        case .nonCriticalBasicConstraints: "is an authority whose basicConstraints are not critical"
        case .missingKeyUsage: "is an authority without keyUsage"
        case .authorityAsServer: "is an authority's, not a server's"
        case .extendedKeyUsage: "has no extendedKeyUsage for web servers, or one that goes beyond it"
        case .subjectAlternativeNames: "has a subjectAltName the web does not allow"
        case .publicSuffixWildcard: "has a wildcard for all names below a public suffix"
        case .commonName: "has a common name that is not among its names"
        case .serialNumberEntropy: "has a serial number that is too short"
        case .validityPeriod: "is valid for too long"
        case .keyParameters: "has a key the web does not allow"
        }
    }
}

/// What chains must comply with beyond what every chain must: compared, and kept with TLS sessions, as one value.
package struct ChainRules: Sendable, Hashable {
    /// More intermediates than any public chain has.
    static let usualMaximum = 10

    package let profile: TrustProfile
    /// Between leaf and anchor, 0 to `usualMaximum`.
    package let maximumIntermediates: Int

    /// - Parameters:
    ///   - profile: the rules for certificates.
    ///   - maximumPathDepth: the maximum number of intermediates, where it is below the usual one; nil is the usual one.
    package init(profile: TrustProfile, maximumPathDepth: Int? = nil) {
        self.profile = profile
        maximumIntermediates = min(max(0, maximumPathDepth ?? .max), Self.usualMaximum)
    }

    /// The same for equal rules in every process, and different for others; empty for those of a default configuration.
    package var bytes: [[UInt8]] {
        var bytes: [[UInt8]] = profile == .standard ? [] : [Array(profile.rawValue.utf8)]
        if maximumIntermediates < Self.usualMaximum { bytes.append(Array("depth \(maximumIntermediates)".utf8)) }
        return bytes
    }
}

/// The rules for a chain beyond those that its safety needs.
public enum TrustProfile: String, Sendable, Hashable, CaseIterable {
    /// RFC 5280 and RFC 9525, as far as certificates in use comply; for the web and for private authorities alike.
    case standard
    /// All of RFC 5280, and the CA/Browser Forum's baseline requirements as far as a certificate shows them. Private
    /// authorities often do not comply: no key identifiers, years of validity, names in the common name.
    ///
    /// The public suffixes are those of the system's libpsl; without it, only top-level domains are known to be some.
    case web
}
