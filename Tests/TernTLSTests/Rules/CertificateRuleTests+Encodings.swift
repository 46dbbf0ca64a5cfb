// SPDX-License-Identifier: Apache-2.0
import TernTesting

/// Encodings that cannot be parsed, that can be parsed in several ways, and that OpenSSL accepts though they are not
/// DER.
extension RuleCase {
    private static func ext(_ name: String, _ value: String) -> CertificateExtension {
        CertificateExtension(name, value)
    }

    static let encodings: [RuleCase] = [
        RuleCase("TRUE that is not all ones", "malformed-extension") {
            $0.addIntermediate([ext("basicConstraints", "critical,DER:3003010101")])
        },
        RuleCase("FALSE that is written out, as old tools make it", nil) {
            $0.leaf.extensions = [ext("basicConstraints", "critical,DER:3003010100")]
        },
        RuleCase("a length in more bytes than it needs", "malformed-extension") {
            $0.addIntermediate([ext("basicConstraints", "critical,DER:3081030101FF")])
        },
        RuleCase("bits that do not count and are set", "malformed-extension") {
            $0.addIntermediate([ext("keyUsage", "critical,DER:03020107")])
        },
        RuleCase("a primitive sequence", "malformed-extension") {
            $0.leaf.extensions = [ext("extendedKeyUsage", "DER:100A06082B06010505070301")]
        },
    ]

    static let unreadable: [RuleCase] = [
        RuleCase("a path length below zero in a leaf", "malformed-extension") {
            $0.leaf.extensions = [ext("basicConstraints", "critical,DER:30060101FF0201FF")]
        },
        RuleCase("a keyUsage for nothing in a leaf", "malformed-extension") {
            $0.leaf.extensions = [ext("keyUsage", "critical,DER:03020700")]
        },
        RuleCase("TLS features that are no list", "malformed-extension") {
            $0.leaf.extensions = [ext("1.3.6.1.5.5.7.1.24", "DER:020105")]
        },
        RuleCase("a TLS feature that is no number in an intermediate", "malformed-extension") {
            $0.addIntermediate([ext("1.3.6.1.5.5.7.1.24", "DER:3003040105")])
        },
        RuleCase("an empty list of TLS features", nil) {
            $0.leaf.extensions = [ext("1.3.6.1.5.5.7.1.24", "DER:3000")]
        },
        RuleCase("distribution points that are none", "malformed-extension") {
            $0.leaf.extensions = [ext("crlDistributionPoints", "DER:0400")]
        },
        RuleCase("an authorityKeyIdentifier that is none", "malformed-extension") {
            $0.leaf.extensions = [ext("authorityKeyIdentifier", "DER:0400")]
        },
        RuleCase("a subjectKeyIdentifier that is none in an intermediate", "malformed-extension") {
            $0.addIntermediate([ext("subjectKeyIdentifier", "DER:3000")])
            $0.leaf.extensions = [CertificateExtension("authorityKeyIdentifier", nil)]
        },
        RuleCase("nameConstraints that are none in an intermediate", "malformed-extension") {
            $0.addIntermediate([ext("nameConstraints", "critical,DER:0400")])
        },
        RuleCase("basicConstraints that are none in the root", "malformed-extension") {
            $0.root.extensions = [ext("basicConstraints", "critical,DER:0400")]
        },
        RuleCase("basicConstraints twice", "duplicate-extension") {
            $0.leaf.extensions = [
                ext("basicConstraints", "critical,CA:FALSE"), ext("basicConstraints", "critical,CA:FALSE"),
            ]
        },
        RuleCase("a key of an unknown kind in the leaf", "unsupported-key") {
            $0.leaf.flaws.hasUnknownKeyAlgorithm = true
        },
        RuleCase("a key of an unknown kind in an intermediate", "unsupported-key") {
            $0.addIntermediate()
            $0.intermediates[0].flaws.hasUnknownKeyAlgorithm = true
        },
        RuleCase("a key of an unknown kind in the root", "unsupported-key") {
            $0.root.flaws.hasUnknownKeyAlgorithm = true
        },
        RuleCase("a time without seconds in the leaf", "time-encoding") { $0.leaf.flaws.notBefore = "2601010000Z" },
        RuleCase("a time elsewhere in the intermediate", "time-encoding") {
            $0.addIntermediate()
            $0.intermediates[0].flaws.notBefore = "260101000000+0100"
        },
        RuleCase("a time that is none in the root", "time-encoding") { $0.root.flaws.notBefore = "yesterday" },
    ]
}
