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
    static func skippedCertificates(_ content: ArraySlice<UInt8>) -> Int? {
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
