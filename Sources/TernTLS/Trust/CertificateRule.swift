// SPDX-License-Identifier: Apache-2.0

/// A rule about certificates that OpenSSL does not check, or not without refusing good ones along with the bad.
/// The raw value is a stable word for programs.
public enum CertificateRule: String, Sendable, Hashable, CaseIterable {
    // RFC 5280, in both profiles.

    /// §4.1.2.1: version 1, 2 or 3.
    case unknownVersion = "unknown-version"
    /// §4.2: no extension twice. Readers differ in which one counts.
    case duplicateExtension = "duplicate-extension"
    /// Far more extensions than any certificate has.
    case tooManyExtensions = "too-many-extensions"
    /// §4.1.2.9: extensions are for version 3.
    case extensionsBeforeVersion3 = "extensions-before-version-3"
    /// §4.2.1.11, §4.2.1.14: constraints of policies are critical. (Of the extensions that never are, OpenSSL knows
    /// none as a critical one.)
    case nonCriticalExtension = "non-critical-extension"
    /// §4.1.2.2: above zero and 20 bytes at most. Not for anchors: well-known roots have number 0.
    case serialNumber = "serial-number"
    /// §4.1.1.2: the algorithm that was signed, and the one that was not, are the same.
    case signatureAlgorithmMismatch = "signature-algorithm-mismatch"
    /// §4.1.2.5: UTCTime until 2049, GeneralizedTime from then on. Not for anchors.
    case timeEncoding = "time-encoding"
    /// §4.1.2.4.
    case emptyIssuer = "empty-issuer"
    /// §4.1.2.6: an authority has a name, and so has what names nothing in subjectAltName.
    case emptySubject = "empty-subject"
    /// §4.2.1.6: if the subject is empty, the names that replace it are critical.
    case nonCriticalNames = "non-critical-names"
    /// §4.2.1.6: subjectAltName holds a name at least, a leaf's addresses have 4 or 16 bytes, and names can be
    /// compared with the constraints there are for their kind.
    case malformedNames = "malformed-names"
    /// §4.1.2.9, §4.2: an extension that matters here can be read, and holds one value in DER and nothing behind it;
    /// critical policies, and the constraints and mappings of policies (§4.2.1.5, §4.2.1.11, §4.2.1.14), can be read
    /// whether they matter or not; so can authorityInfoAccess (§4.2.2.1), which is not empty. Of an anchor, only its
    /// constraints and purposes.
    case malformedExtension = "malformed-extension"
    /// §6.1.4 a: no policy is mapped to or from anyPolicy.
    case anyPolicyMapping = "any-policy-mapping"
    /// §4.2: Netscape's certificate type, where it is critical, allows an issuer to be the authority of a TLS server.
    case certificateType = "certificate-type"
    /// §4.2.1.9: an issuer of version 3 says that it is an authority.
    case issuerWithoutBasicConstraints = "issuer-without-basic-constraints"
    /// §4.2.1.3: only an authority may sign certificates.
    case signingKeyUsageWithoutAuthority = "signing-key-usage-without-authority"
    /// §4.2.1.10: only an authority constrains names.
    case nameConstraintsWithoutAuthority = "name-constraints-without-authority"
    /// §4.2.1.10: at least one subtree in each list, each of the form that belongs to its type.
    case malformedNameConstraints = "malformed-name-constraints"
    /// §4.2.1.10: a wildcard name stands for names that an authority excluded.
    case wildcardInExcludedSubtree = "wildcard-in-excluded-subtree"
    /// §A.2: authorityKeyIdentifier has issuer and serial number both or neither. Of anchors, in the web profile only.
    case malformedKeyIdentifier = "malformed-key-identifier"
    /// BR 7.1.4.3: a common name that is one of the addresses is spelled like one. (No client should read it, but those
    /// that do must not have to guess.)
    case commonNameAddress = "common-name-address"
    /// What OpenSSL would accept and no TLS server has: DSA, other curves than the NIST and Brainpool ones, curves
    /// spelled out (RFC 5480 §2.1.1, CVE-2020-0601), RSA above 8192 bits or of a number of bits that no bytes hold,
    /// RSA that is none, with an even modulus or exponent, or with the exponent 1 (RFC 8017 §3.1).
    case unsupportedKey = "unsupported-key"

    /// §4.2.1.2: an intermediate has the key identifier that its certificates name. In the web profile it has one in
    /// any case.
    case missingSubjectKeyIdentifier = "missing-subject-key-identifier"

    // The web profile.

    /// §4.2.1.1, BR 7.1.2.1.3: the key that a root names in authorityKeyIdentifier is its own. The serial number of an
    /// older certificate for the same key does no harm.
    case foreignKeyIdentifier = "foreign-key-identifier"
    /// §4.2.1.1: what another authority issued says which key signed it.
    case missingAuthorityKeyIdentifier = "missing-authority-key-identifier"
    /// BR 7.1.2.11.1: the identifier is that of a key, without the issuer's name and number. Not for roots: old ones
    /// have both.
    case authorityKeyIdentifierForm = "authority-key-identifier-form"
    /// §4.2.1.9: an authority's basicConstraints are critical.
    case nonCriticalBasicConstraints = "non-critical-basic-constraints"
    /// §4.2.1.3: an authority states its keyUsage.
    case missingKeyUsage = "missing-key-usage"
    /// BR 7.1.2.7.8: a server's certificate is no authority's.
    case authorityAsServer = "authority-as-server"
    /// BR 7.1.2.7.10: extendedKeyUsage is there, not critical, and for servers rather than for anything; a root has
    /// none. In both profiles, of servers and of authorities: it does not merely say "server gated cryptography", which
    /// OpenSSL still takes for a server's.
    case extendedKeyUsage = "extended-key-usage"
    /// BR 7.1.2.7.12: DNS names and addresses only, critical only if the subject is empty.
    case subjectAlternativeNames = "subject-alternative-names"
    /// BR 7.1.4.3: a common name repeats one of the names, spelled alike.
    case commonName = "common-name"
    /// BR 7.1: 64 bits from a random generator.
    case serialNumberEntropy = "serial-number-entropy"
    /// BR 6.3.2: the longest validity by the date of issue, 398 days and falling.
    case validityPeriod = "validity-period"
    /// BR 6.1.5, 6.1.6: RSA, P-256, P-384 or P-521.
    case keyParameters = "key-parameters"
}

extension CertificateRule {
    /// What a certificate does that breaks the rule, to follow its name.
    var sentence: String {
        switch self {
        case .unknownVersion: "is of a version that does not exist"
        case .duplicateExtension: "has an extension twice"
        case .tooManyExtensions: "has too many extensions"
        case .extensionsBeforeVersion3: "has extensions, which its version does not allow"
        case .nonCriticalExtension: "does not mark an extension critical that always is"
        case .serialNumber: "has a serial number that is not above zero, or longer than 20 bytes"
        case .signatureAlgorithmMismatch: "is signed with another algorithm than it says inside"
        case .timeEncoding: "encodes its dates in a form that RFC 5280 does not allow for them"
        case .emptyIssuer: "names no issuer"
        case .emptySubject: "names no subject"
        case .nonCriticalNames: "has an empty subject, and subjectAltName is not critical"
        case .malformedNames: "has an empty or malformed subjectAltName"
        case .malformedExtension: "has an extension that cannot be read, or not only in one way"
        case .anyPolicyMapping: "maps a policy to or from any policy"
        case .certificateType: "has a critical nsCertType that does not allow it to issue for TLS servers"
        case .issuerWithoutBasicConstraints: "acts as an authority and does not say that it is one"
        case .signingKeyUsageWithoutAuthority: "may sign certificates and is no authority"
        case .nameConstraintsWithoutAuthority: "constrains names and is no authority"
        case .malformedNameConstraints: "has empty or malformed name constraints"
        case .wildcardInExcludedSubtree: "has a wildcard for names that an authority excluded"
        case .malformedKeyIdentifier: "has half an authorityKeyIdentifier"
        case .commonNameAddress: "has an address for a common name, spelled unlike the one in subjectAltName"
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
        case .commonName: "has a common name that is not among its names"
        case .serialNumberEntropy: "has a serial number that is too short"
        case .validityPeriod: "is valid for too long"
        case .keyParameters: "has a key the web does not allow"
        }
    }
}
