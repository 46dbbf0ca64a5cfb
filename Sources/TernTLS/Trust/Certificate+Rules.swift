// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

extension Certificate {
    /// The first rule of RFC 5280 that this certificate breaks by itself; see `CertificateRule` for the sections.
    func brokenRule(at place: CertificateRule.Place) -> CertificateRule? {
        if let rule = brokenExtensionRule { return rule }
        if !hasConsistentAlgorithm { return .signatureAlgorithmMismatch }
        if place.isIssuer {
            if x509.isSubjectEmpty { return .emptySubject }
            // OpenSSL takes keyUsage, or a Netscape extension, for an answer. Roots of version 1 have neither.
            if !x509.has(EXFLAG_CA), !(place.isAnchor && x509.has(EXFLAG_V1)) { return .issuerWithoutBasicConstraints }
        }
        guard !place.isAnchor else { return nil }
        if !hasSupportedKey { return .unsupportedKey }
        if !x509.hasConformingSerialNumber { return .serialNumber }
        if !x509.hasConformingTimes { return .timeEncoding }
        if x509.isIssuerEmpty { return .emptyIssuer }
        return brokenNameRule ?? brokenAuthorityRule
    }

    private var brokenAuthorityRule: CertificateRule? {
        guard !x509.has(EXFLAG_CA) else { return nil }
        if x509.mayUse(KU_KEY_CERT_SIGN), x509.has(EXFLAG_KUSAGE) { return .signingKeyUsageWithoutAuthority }
        return x509.hasExtension(NID_name_constraints) ? .nameConstraintsWithoutAuthority : nil
    }

    private var brokenNameRule: CertificateRule? {
        guard x509.hasExtension(NID_subject_alt_name) else { return x509.isSubjectEmpty ? .emptySubject : nil }
        let names = subjectAlternativeNames
        let areAddressesWhole = names.allSatisfy { name in
            if case .ip(let octets) = name { octets.count == 4 || octets.count == 16 } else { true }
        }
        if names.isEmpty || !areAddressesWhole { return .malformedNames }
        guard x509.isSubjectEmpty else { return nil }
        return x509.has(EXFLAG_CA) ? .emptySubject : x509.has(EXFLAG_SAN_CRITICAL) ? nil : .nonCriticalNames
    }

    private var brokenExtensionRule: CertificateRule? {
        let count = x509.extensionCount
        guard count > 0 else { return nil }
        if count > X509Reference.maximumExtensions { return .tooManyExtensions }
        if x509.version < 3 { return .extensionsBeforeVersion3 }
        if x509.hasDuplicateExtension { return .duplicateExtension }
        if x509.has(EXFLAG_AKID_CRITICAL) || x509.has(EXFLAG_SKID_CRITICAL) { return .criticalExtension }
        for index in 0..<count {
            switch x509.kindOfExtension(index) {
            case NID_info_access:
                if x509.isExtensionCritical(index) { return .criticalExtension }
                if !x509.canReadAuthorityInfoAccess { return .malformedExtension }
            case NID_sinfo_access, NID_freshest_crl:
                if x509.isExtensionCritical(index) { return .criticalExtension }
            case NID_policy_constraints, NID_inhibit_any_policy:
                if !x509.isExtensionCritical(index) { return .nonCriticalExtension }
            default: break
            }
        }
        return nil
    }

    private var hasConsistentAlgorithm: Bool {
        var outer: UnsafePointer<X509_ALGOR>?
        unsafe X509_get0_signature(nil, &outer, x509.pointer)
        return unsafe X509_ALGOR_cmp(outer, X509_get0_tbs_sigalg(x509.pointer)) == 0
    }
}
