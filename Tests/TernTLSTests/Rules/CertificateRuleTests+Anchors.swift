// SPDX-License-Identifier: Apache-2.0
import TernTesting

/// RFC 5280 §6.1.1 d: an anchor is a name and a key. What else its certificate says is not held against it.
extension RuleCase {
    static let anchors: [RuleCase] = [
        ("authorityInfoAccess", "DER:3000"), ("authorityInfoAccess", "DER:0C0474657374"),
        ("policyConstraints", "requireExplicitPolicy:0"), ("policyConstraints", "critical,DER:3000"),
        ("policyConstraints", "critical,DER:30038001FF"), ("inhibitAnyPolicy", "critical,DER:0400"),
        ("policyMappings", "critical,DER:300D300B0604551D200006032A0304"),
        ("certificatePolicies", "critical,DER:0400"), ("subjectAltName", "DER:30058203610062"),
        ("authorityKeyIdentifier", "DER:30000500"),
    ].map { (name: String, value: String) in
        RuleCase("a root's \(name), \(value)", nil) {
            $0.root.extensions = [CertificateExtension(name, value)]
        }
    }
}
