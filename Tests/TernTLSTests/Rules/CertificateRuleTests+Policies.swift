// SPDX-License-Identifier: Apache-2.0
import TernTesting

/// RFC 5280 §6.1: certificate policies matter where an authority demands one, and their extensions wherever critical.
extension RuleCase {
    private static func ext(_ name: String, _ value: String) -> CertificateExtension {
        CertificateExtension(name, value)
    }

    private static let policy = ext("certificatePolicies", "DER:3007300506032A0304")
    private static let otherPolicy = ext("certificatePolicies", "DER:3007300506032A0305")
    private static func explicit(after count: String) -> CertificateExtension {
        ext("policyConstraints", "critical,requireExplicitPolicy:\(count)")
    }

    /// §6.1.4 h, i and §6.1.5 a, b: how far a demand reaches.
    static let policyNumbers: [RuleCase] = [
        RuleCase("a policy is demanded of the third certificate below, and there is one", nil) {
            $0.addIntermediate([explicit(after: "3")])
        },
        RuleCase("a policy is demanded of the second certificate below, and there is one", nil) {
            $0.addIntermediate([explicit(after: "2")])
        },
        RuleCase("a policy is demanded of the next certificate", "certificate-policy") {
            $0.addIntermediate([explicit(after: "1")])
        },
        RuleCase("a policy is demanded of the second certificate below, and there are two", "certificate-policy") {
            $0.addIntermediate([explicit(after: "2")])
            $0.addIntermediate()
        },
        RuleCase("self-issued intermediates do not count", nil) { shape in
            shape.addIntermediate([explicit(after: "2")])
            shape.addIntermediate()
            shape.intermediates[1].commonName = shape.intermediates[0].commonName
        },
        RuleCase("a self-issued leaf does count", "certificate-policy") { shape in
            shape.addIntermediate([explicit(after: "1"), policy])
            shape.leaf.extensions = [otherPolicy]
            shape.leaf.commonName = shape.intermediates[0].commonName
        },
        RuleCase("a leaf demands a policy of what it does not issue", nil) {
            $0.leaf.extensions = [explicit(after: "1")]
        },
        RuleCase("a leaf demands a policy of itself", "certificate-policy") {
            $0.leaf.extensions = [explicit(after: "0")]
        },
        RuleCase("a policy is demanded farther away than there are numbers", nil) {
            $0.addIntermediate([explicit(after: "99999999999999999999")])
        },
        RuleCase("the nearer of two demands counts", "certificate-policy") {
            $0.addIntermediate([explicit(after: "9")])
            $0.addIntermediate([explicit(after: "1")])
        },
        RuleCase("a later demand does not lift an earlier one", "certificate-policy") {
            $0.addIntermediate([explicit(after: "0"), policy])
            $0.addIntermediate([explicit(after: "9"), otherPolicy])
            $0.leaf.extensions = [policy]
        },
        RuleCase("a demand that does not reach the leaf, whose policy is another", nil) {
            $0.addIntermediate([explicit(after: "2"), policy])
            $0.leaf.extensions = [otherPolicy]
        },
    ]

    static let policies: [RuleCase] = [
        RuleCase("critical policies that are none", "malformed-extension") {
            $0.leaf.extensions = [ext("certificatePolicies", "critical,DER:0400")]
        },
        RuleCase("policies that are none and not critical", nil) {
            $0.leaf.extensions = [ext("certificatePolicies", "DER:0400")]
        },
        RuleCase("no policies in a critical list", "malformed-extension") {
            $0.addIntermediate([ext("certificatePolicies", "critical,DER:3000")])
        },
        RuleCase("critical policies", nil) {
            $0.leaf.extensions = [ext("certificatePolicies", "critical,DER:3007300506032A0304")]
        },
        RuleCase("critical policies with a qualifier", nil) {
            // A statement of practice at "a".
            $0.leaf.extensions = [
                ext("certificatePolicies", "critical,DER:3018301606032A0304300F300D06082B06010505070201160161")
            ]
        },
        RuleCase("inhibitAnyPolicy that is no number", "malformed-extension") {
            $0.addIntermediate([ext("inhibitAnyPolicy", "critical,DER:0400")])
        },
        RuleCase("inhibitAnyPolicy below zero", "malformed-extension") {
            $0.addIntermediate([ext("inhibitAnyPolicy", "critical,DER:0201FF")])
        },
        RuleCase("inhibitAnyPolicy", nil) { $0.addIntermediate([ext("inhibitAnyPolicy", "critical,0")]) },
        RuleCase("policyConstraints below zero", "malformed-extension") {
            $0.addIntermediate([ext("policyConstraints", "critical,DER:30038001FF")])
        },
        RuleCase("policyConstraints of an unknown kind", "malformed-extension") {
            $0.addIntermediate([ext("policyConstraints", "critical,DER:3003820100")])
        },
        RuleCase("policyMappings that are none", "malformed-extension") {
            $0.addIntermediate([ext("policyMappings", "critical,DER:0400")])
        },
        RuleCase("no policyMappings in a list", "malformed-extension") {
            $0.addIntermediate([ext("policyMappings", "DER:3000")])
        },
        RuleCase("a policy is mapped from any", "any-policy-mapping") {
            $0.addIntermediate([ext("policyMappings", "critical,DER:300D300B0604551D200006032A0304")])
        },
        RuleCase("a policy is mapped to any", "any-policy-mapping") {
            $0.addIntermediate([ext("policyMappings", "DER:300D300B06032A03040604551D2000")])
        },
        RuleCase("a policy is mapped to another", nil) {
            $0.addIntermediate([ext("policyMappings", "critical,DER:300C300A06032A030406032A0305")])
        },
        RuleCase("a policy twice, where one is demanded", "malformed-extension") {
            $0.addIntermediate([explicit(after: "0"), policy])
            $0.leaf.extensions = [ext("certificatePolicies", "DER:300E300506032A0304300506032A0304")]
        },
        RuleCase("mappings of all policies to all that cannot be followed", "certificate-policy") {
            for _ in 0..<3 { $0.addIntermediate([explicit(after: "0"), manyPolicies, manyMappings]) }
            $0.leaf.extensions = [manyPolicies]
        },
    ]

    /// 1.2.3.1 to 1.2.3.20.
    private static let identifiers = (1...20).map { "06032A03" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    private static let manyPolicies = ext(
        "certificatePolicies", "DER:30818C" + identifiers.map { "3005" + $0 }.joined())
    private static let manyMappings = ext(
        "policyMappings",
        "critical,DER:3082" + String(400 * 12, radix: 16)
            + identifiers.flatMap { from in identifiers.map { "300A" + from + $0 } }.joined())
}

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
