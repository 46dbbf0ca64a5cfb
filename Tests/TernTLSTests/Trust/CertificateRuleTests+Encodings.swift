// SPDX-License-Identifier: Apache-2.0
import TernTesting

/// What OpenSSL reads though it is not DER.
extension RuleCase {
    private static func ext(_ name: String, _ value: String) -> CertificateExtension {
        CertificateExtension(name, value)
    }

    static let encodings: [RuleCase] = [
        RuleCase("TRUE that is not all ones", "malformed-extension") {
            $0.addIntermediate([ext("basicConstraints", "critical,DER:3003010101")])
        },
        RuleCase("FALSE that is spelled out, as old tools make it", nil) {
            $0.leaf.extensions = [ext("basicConstraints", "critical,DER:3003010100")]
        },
        RuleCase("a length in more octets than it needs", "malformed-extension") {
            $0.addIntermediate([ext("basicConstraints", "critical,DER:3081030101FF")])
        },
        RuleCase("bits that do not count and are set", "malformed-extension") {
            $0.addIntermediate([ext("keyUsage", "critical,DER:03020107")])
        },
        RuleCase("a primitive sequence", "malformed-extension") {
            $0.leaf.extensions = [ext("extendedKeyUsage", "DER:100A06082B06010505070301")]
        },
    ]

}
