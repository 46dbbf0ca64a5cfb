// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

extension X509Certificate {
    /// The requirements of RFC 5280 for the policy extensions. OpenSSL reads them only if a policy is required.
    ///
    /// - Parameter kind: one of the four, `NID_certificate_policies` among them.
    func brokenPolicyRule(ofExtension index: Int, _ kind: Int32) -> CertificateRule? {
        let isCritical = x509.isExtensionCritical(index)
        switch kind {
        case NID_policy_constraints:
            return !isCritical ? .nonCriticalExtension : x509.policyConstraints == nil ? .malformedExtension : nil
        case NID_inhibit_any_policy:
            return !isCritical ? .nonCriticalExtension : hasReadableInhibition ? nil : .malformedExtension
        case NID_policy_mappings:
            guard let policies = mappedPolicies else { return .malformedExtension }
            return policies.contains { $0.elementsEqual(Self.anyPolicy) } ? .anyPolicyMapping : nil
        default: return !isCritical || hasReadablePolicies ? nil : .malformedExtension
        }
    }

    /// 2.5.29.32.0
    private static let anyPolicy: [UInt8] = [0x55, 0x1d, 0x20, 0]

    /// §4.2.1.4: policies, each an identifier with or without a list of qualifiers.
    private var hasReadablePolicies: Bool {
        guard var policies = DERElements(sequence: x509.contentOfExtension(NID_certificate_policies)),
            !policies.isAtEnd
        else { return false }
        while let policy = policies.next() {
            var fields = DERElements(policy.content)
            guard policy.tag == 0x30, let identifier = fields.next(), identifier.tag == 0x06 else { return false }
            if let qualifiers = fields.next(), qualifiers.tag != 0x30 { return false }
            guard fields.isAtEnd else { return false }
        }
        return policies.isAtEnd
    }

    /// §4.2.1.5: the identifiers on both sides; nil if the value is not a list of pairs.
    private var mappedPolicies: [ArraySlice<UInt8>]? {
        guard var mappings = DERElements(sequence: x509.contentOfExtension(NID_policy_mappings)), !mappings.isAtEnd
        else { return nil }
        var policies: [ArraySlice<UInt8>] = []
        while let mapping = mappings.next() {
            var pair = DERElements(mapping.content)
            guard mapping.tag == 0x30, let from = pair.next(), let to = pair.next(), from.tag == 0x06, to.tag == 0x06,
                pair.isAtEnd
            else { return nil }
            policies += [from.content, to.content]
        }
        return mappings.isAtEnd ? policies : nil
    }

    /// §4.2.1.14: a number of certificates.
    private var hasReadableInhibition: Bool {
        var elements = DERElements(x509.contentOfExtension(NID_inhibit_any_policy)[...])
        guard let number = elements.next(), number.tag == 0x02, elements.isAtEnd else { return false }
        return PolicyConstraints.skippedCertificates(number.content) != nil
    }
}
