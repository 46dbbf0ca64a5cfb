// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// An authority's requirements for the certificate policies below it (RFC 5280 §4.2.1.11).
struct PolicyConstraints {
    /// The number of further certificates before policies are required; nil if the authority does not require them.
    private(set) var requireExplicitPolicy: Int?

    /// Nil for a malformed or empty value.
    init?(_ encoding: [UInt8]) {
        guard var fields = DERElements(sequence: encoding), !fields.isAtEnd else { return nil }
        var last: UInt8 = 0
        while let field = fields.next() {
            // [0] requireExplicitPolicy, then [1] inhibitPolicyMapping.
            guard field.tag > last, field.tag == 0x80 || field.tag == 0x81,
                let count = Self.skippedCertificates(field.content)
            else { return nil }
            if field.tag == 0x80 { requireExplicitPolicy = count }
            last = field.tag
        }
        guard fields.isAtEnd else { return nil }
    }

    /// `SkipCerts`, a number from 0 on; every number beyond the maximum path length is equivalent.
    fileprivate static func skippedCertificates(_ content: ArraySlice<UInt8>) -> Int? {
        guard let first = content.first, first < 0x80 else { return nil }
        let digits = content.drop { $0 == 0 }
        return digits.count > 2 ? Int(UInt16.max) : digits.reduce(0) { $0 << 8 | Int($1) }
    }
}

extension X509Reference {
    /// Nil if there are none, or none that can be read, which another rule refuses.
    var policyConstraints: PolicyConstraints? {
        hasExtension(NID_policy_constraints) ? PolicyConstraints(contentOfExtension(NID_policy_constraints)) : nil
    }
}

/// The state variable `explicit_policy` of RFC 5280 §6.1. Policies matter to a client without its own requirements only
/// if an authority requires them.
enum ExplicitPolicy {
    /// Whether the path, leaf first, is valid only with a certificate policy that is valid all along it. An anchor's
    /// requirements are ignored (§6.1.1 d).
    static func isRequired(in path: [X509Certificate]) -> Bool {
        guard path.dropLast().contains(where: { $0.x509.hasExtension(NID_policy_constraints) }) else { return false }
        // §6.1.2 d: one more than the number of certificates below the anchor.
        var remaining = path.count
        for (depth, certificate) in path.dropLast().enumerated().reversed() {
            let demand = certificate.x509.policyConstraints?.requireExplicitPolicy
            if depth == 0 {
                // §6.1.5 a, b
                remaining = demand == 0 ? 0 : max(0, remaining - 1)
            } else {
                // §6.1.4 h, i
                if !certificate.x509.isSelfIssued { remaining = max(0, remaining - 1) }
                remaining = min(remaining, demand ?? remaining)
            }
        }
        return remaining == 0
    }
}

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
