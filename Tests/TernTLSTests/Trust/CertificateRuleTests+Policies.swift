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
        RuleCase("mappings of all policies to all that nobody can follow", "certificate-policy") {
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
