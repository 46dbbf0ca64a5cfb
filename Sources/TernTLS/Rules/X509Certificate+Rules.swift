// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

extension X509Certificate {
    /// The first rule of RFC 5280 that this certificate breaks on its own; see `CertificateRule` for the sections.
    func brokenRule(at place: CertificateRule.Place) -> CertificateRule? {
        if !(1...3).contains(x509.version) { return .unknownVersion }
        if let rule = brokenExtensionRule(at: place) { return rule }
        if !hasConsistentAlgorithm { return .signatureAlgorithmMismatch }
        if place.isIssuer, let rule = brokenIssuerRule(isAnchor: place.isAnchor) { return rule }
        guard !place.isAnchor else { return nil }
        if !hasConformingKeyIdentifier { return .malformedKeyIdentifier }
        if !hasSupportedKey { return .unsupportedKey }
        if x509.version < 3, x509.extensionCount > 0 { return .extensionsBeforeVersion3 }
        if !x509.hasConformingSerialNumber { return .serialNumber }
        if !x509.hasConformingTimes { return .timeEncoding }
        if x509.isIssuerEmpty { return .emptyIssuer }
        if !place.isIssuer, !hasMatchingCommonNameAddresses { return .commonNameAddress }
        if !place.isIssuer, hasOnlyRetiredServerPurpose { return .extendedKeyUsage }
        return brokenNameRule(at: place) ?? brokenAuthorityRule(at: place)
    }

    private func brokenIssuerRule(isAnchor: Bool) -> CertificateRule? {
        if x509.isSubjectEmpty { return .emptySubject }
        // OpenSSL accepts keyUsage, or a Netscape extension, instead. Roots of version 1 have neither.
        if !x509.has(EXFLAG_CA), !(isAnchor && x509.has(EXFLAG_V1)) { return .issuerWithoutBasicConstraints }
        if hasOnlyRetiredServerPurpose { return .extendedKeyUsage }
        return isAnchor && !hasSupportedAlgorithm ? .unsupportedKey : nil
    }

    private func brokenAuthorityRule(at place: CertificateRule.Place) -> CertificateRule? {
        guard !x509.has(EXFLAG_CA) else {
            // An issuer's constraints are checked together with the names below it.
            let areMalformed = !place.isIssuer && x509.nameConstraints?.isWellFormed == false
            return areMalformed ? .malformedNameConstraints : nil
        }
        if x509.mayUse(KU_KEY_CERT_SIGN), x509.has(EXFLAG_KUSAGE) { return .signingKeyUsageWithoutAuthority }
        return x509.hasExtension(NID_name_constraints) ? .nameConstraintsWithoutAuthority : nil
    }

    private func brokenNameRule(at place: CertificateRule.Place) -> CertificateRule? {
        guard x509.hasExtension(NID_subject_alt_name) else { return x509.isSubjectEmpty ? .emptySubject : nil }
        // An authority's names are not compared with a host.
        if place.isIssuer ? x509.hasEmptyNames : !x509.hasConformingNames { return .malformedNames }
        guard x509.isSubjectEmpty else { return nil }
        return x509.has(EXFLAG_CA) ? .emptySubject : x509.has(EXFLAG_SAN_CRITICAL) ? nil : .nonCriticalNames
    }

    private func brokenExtensionRule(at place: CertificateRule.Place) -> CertificateRule? {
        let count = x509.extensionCount
        guard count > 0 else { return nil }
        if count > X509Reference.maximumExtensions { return .tooManyExtensions }
        if x509.hasDuplicateExtension { return .duplicateExtension }
        for index in 0..<count {
            if let rule = brokenRule(ofExtension: index, at: place) { return rule }
        }
        return nil
    }

    private func brokenRule(ofExtension index: Int, at place: CertificateRule.Place) -> CertificateRule? {
        let kind = x509.kindOfExtension(index)
        switch kind {
        case NID_basic_constraints, NID_key_usage, NID_ext_key_usage, NID_name_constraints:
            return x509.isExtensionOneValue(index, of: kind) ? nil : .malformedExtension
        case NID_netscape_cert_type where place.isIssuer && x509.isExtensionCritical(index):
            return x509.mayIssueByCertificateType ? nil : .certificateType
        // RFC 5280 §6.1.1 d: whatever else an anchor's certificate contains, its name and its key are trusted.
        case _ where place.isAnchor: return nil
        case NID_authority_key_identifier, NID_subject_key_identifier:
            return x509.isExtensionOneValue(index, of: kind) ? nil : .malformedExtension
        case NID_tlsfeature: return x509.hasReadableFeatures ? nil : .malformedExtension
        case NID_info_access:
            return x509.canReadAuthorityInfoAccess && !x509.isExtensionEmpty(index) ? nil : .malformedExtension
        case NID_certificate_policies, NID_policy_mappings, NID_policy_constraints, NID_inhibit_any_policy:
            return brokenPolicyRule(ofExtension: index, kind)
        default: return nil
        }
    }

    /// OpenSSL accepts Netscape's and Microsoft's "server gated cryptography" as serverAuth; RFC 5280 does not.
    private var hasOnlyRetiredServerPurpose: Bool {
        guard x509.has(EXFLAG_XKUSAGE) else { return false }
        return unsafe X509_get_extended_key_usage(x509.pointer) & UInt32(XKU_SSL_SERVER) == 0
    }

    private var hasConsistentAlgorithm: Bool {
        var outer: UnsafePointer<X509_ALGOR>?
        unsafe X509_get0_signature(nil, &outer, x509.pointer)
        return unsafe X509_ALGOR_cmp(outer, X509_get0_tbs_sigalg(x509.pointer)) == 0
    }
}

extension X509Certificate {
    /// A common name that is one of the addresses has the form of RFC 5952 and RFC 3986. Other common names are checked
    /// in the web profile only.
    private var hasMatchingCommonNameAddresses: Bool {
        let addressNames = x509.commonNames.flatMap { name in
            let addresses = AddressText.bytes(parsing: name)
            return addresses.contains { AddressText.text($0) == name } ? [] : addresses
        }
        // Both sides may have many names: each is read once.
        return addressNames.isEmpty || Set(subjectAlternativeNames).isDisjoint(with: addressNames.map { .ip($0) })
    }
}

extension X509Certificate {
    /// RFC 5280 §A.2: authorityKeyIdentifier has both the issuer and its serial number, or neither. Either form without
    /// a key identifier is common in roots: OpenSSL's `keyid,issuer` makes the first, its `keyid` an empty one.
    var hasConformingKeyIdentifier: Bool {
        unsafe (X509_get0_authority_issuer(x509.pointer) == nil) == (X509_get0_authority_serial(x509.pointer) == nil)
    }

    /// RFC 5280 §4.2.1.2: the key identifier by which a certificate names its issuer is the issuer's. Tools that omit
    /// it from an authority's certificate also omit it from the certificates it issues; only roots are known to differ.
    func lacksKeyIdentifier(namedBy issued: X509Certificate, at place: CertificateRule.Place) -> Bool {
        guard !place.isAnchor, unsafe X509_get0_subject_key_id(x509.pointer) == nil else { return false }
        return unsafe X509_get0_authority_key_id(issued.x509.pointer) != nil
    }

    /// Whether a certificate signed with its own key claims another signer. A change of keys is different: there an
    /// older key of the same authority has signed (RFC 4210 §4.4).
    var namesForeignKey: Bool {
        // OpenSSL calls a certificate that names itself self-signed without verifying it.
        guard x509.isSelfIssued, !x509.has(EXFLAG_SS), let named = unsafe X509_get0_authority_key_id(x509.pointer),
            let own = unsafe X509_get0_subject_key_id(x509.pointer), unsafe ASN1_OCTET_STRING_cmp(named, own) != 0
        else { return false }
        defer { OpenSSLError.clear() }
        return unsafe X509_verify(x509.pointer, X509_get0_pubkey(x509.pointer)) == 1
    }
}

extension X509Certificate {
    /// The requirements of RFC 5280 §4.2.1.10 and §6.1.4 for name constraints that OpenSSL does not check.
    ///
    /// - Parameter path: the certificates below this one, leaf first.
    func brokenNameConstraintRule(below path: ArraySlice<X509Certificate>) -> CertificateRule? {
        guard let constraints = x509.nameConstraints else { return nil }
        guard constraints.isWellFormed else { return .malformedNameConstraints }
        for (depth, certificate) in path.enumerated() where depth == 0 || !certificate.x509.isSelfIssued {
            for name in certificate.subjectAlternativeNames {
                if case .dns(let text) = name, constraints.excludes(wildcard: text) {
                    return .wildcardInExcludedSubtree
                }
                if constraints.cannotCompare(name) { return .malformedNames }
            }
        }
        return nil
    }
}
