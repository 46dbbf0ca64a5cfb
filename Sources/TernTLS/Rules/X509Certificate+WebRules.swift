// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import TernSystem

extension X509Certificate {
    /// The first rule of the web profile that this certificate breaks on its own; see `CertificateRule` for the
    /// sections.
    func brokenWebRule(at place: CertificateRule.Place) -> CertificateRule? {
        if !hasWebKey { return .keyParameters }
        if place.isIssuer, let rule = brokenWebAuthorityRule(isAnchor: place.isAnchor) { return rule }
        if place.isAnchor { return !place.isIssuer && x509.has(EXFLAG_CA) ? .authorityAsServer : nil }
        // 64 random bits rarely begin with enough zeros to fit into less than 7 bytes.
        if x509.serialNumberLength < 7 { return .serialNumberEntropy }
        if unsafe X509_get0_authority_key_id(x509.pointer) == nil { return .missingAuthorityKeyIdentifier }
        if unsafe X509_get0_authority_issuer(x509.pointer) != nil || X509_get0_authority_serial(x509.pointer) != nil {
            return .authorityKeyIdentifierForm
        }
        return place.isIssuer ? nil : brokenWebServerRule
    }

    /// Roots older than the rules have basicConstraints that are not critical, and no keyUsage.
    private func brokenWebAuthorityRule(isAnchor: Bool) -> CertificateRule? {
        let usages = unsafe X509_get_extended_key_usage(x509.pointer)
        if isAnchor {
            if x509.has(EXFLAG_XKUSAGE) { return .extendedKeyUsage }
            if !hasConformingKeyIdentifier { return .malformedKeyIdentifier }
            return namesForeignKey ? .foreignKeyIdentifier : nil
        }
        if unsafe X509_get0_subject_key_id(x509.pointer) == nil { return .missingSubjectKeyIdentifier }
        if !x509.has(EXFLAG_BCONS_CRITICAL) { return .nonCriticalBasicConstraints }
        if !x509.has(EXFLAG_KUSAGE) { return .missingKeyUsage }
        return x509.has(EXFLAG_XKUSAGE) && usages & UInt32(XKU_SSL_SERVER) == 0 ? .extendedKeyUsage : nil
    }

    private var brokenWebServerRule: CertificateRule? {
        if x509.has(EXFLAG_CA) { return .authorityAsServer }
        if !hasWebPurpose { return .extendedKeyUsage }
        if !hasWebNames { return .subjectAlternativeNames }
        if hasPublicSuffixWildcard { return .publicSuffixWildcard }
        if !hasListedCommonNames { return .commonName }
        return isShortLived ? nil : .validityPeriod
    }

    private var hasWebPurpose: Bool {
        let usages = unsafe X509_get_extended_key_usage(x509.pointer)
        let index = unsafe X509_get_ext_by_NID(x509.pointer, NID_ext_key_usage, -1)
        return index >= 0 && !x509.isExtensionCritical(Int(index))
            && usages & UInt32(XKU_SSL_SERVER) != 0 && usages & UInt32(XKU_ANYEKU) == 0
    }

    private var hasWebKey: Bool {
        switch keyAlgorithm {
        case .rsa: true
        case .ellipticCurve(NID_X9_62_prime256v1), .ellipticCurve(NID_secp384r1), .ellipticCurve(NID_secp521r1): true
        case .ellipticCurve, .dsa, .other, nil: false
        }
    }

    private var hasWebNames: Bool {
        let isCritical = x509.has(EXFLAG_SAN_CRITICAL)
        return isCritical == x509.isSubjectEmpty && !subjectAlternativeNames.isEmpty
            && subjectAlternativeNames.allSatisfy { name in
                switch name {
                case .ip: true
                case .dns(let text): Self.isWebHost(text)
                case .uri, .email, .other: false
                }
            }
    }

    /// Letters, digits and hyphens; a wildcard only as a whole first label, and not for a whole top-level domain.
    private static func isWebHost(_ text: String) -> Bool {
        let isWildcard = text.hasPrefix("*.")
        let host = isWildcard ? String(text.dropFirst(2)) : text
        guard case .name? = ReferenceIdentity(host), !host.contains("_"), !host.hasSuffix(".") else { return false }
        return !isWildcard || host.contains(".")
    }

    private var hasPublicSuffixWildcard: Bool {
        guard let list = PublicSuffixList.system else { return false }
        return subjectAlternativeNames.contains { name in
            guard case .dns(let text) = name, text.hasPrefix("*.") else { return false }
            return list.hasRegistrySuffix(text.dropFirst(2).lowercased())
        }
    }

    private var hasListedCommonNames: Bool {
        let names = subjectAlternativeNames.compactMap { name -> String? in
            switch name {
            case .dns(let text): text
            case .ip(let bytes): AddressText.text(bytes)
            case .uri, .email, .other: nil
            }
        }
        return Set(names).isSuperset(of: x509.commonNames)
    }

    private var isShortLived: Bool {
        guard let notBefore, let notAfter else { return false }
        let days =
            switch notBefore {
            case 1_868_227_200...: 47  // 15 March 2029
            case 1_805_068_800...: 100  // 15 March 2027
            case 1_773_532_800...: 200  // 15 March 2026
            case 1_598_918_400...: 398  // 1 September 2020
            case 1_519_862_400...: 825  // 1 March 2018
            default: 1188  // 39 months
            }
        // Both ends belong to the validity.
        return notAfter - notBefore < Int64(days) * 86400
    }
}
