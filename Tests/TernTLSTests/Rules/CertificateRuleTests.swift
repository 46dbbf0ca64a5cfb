// SPDX-License-Identifier: Apache-2.0
import TernTLS
import TernTesting
import Testing

/// RFC 5280, RFC 9525 and the web profile, a chain for every rule.
struct CertificateRuleTests {
    @Test(arguments: RuleCase.all)
    func `a chain is evaluated by the rules of both profiles`(rule: RuleCase) throws {
        var trust = try rule.trust()
        for (profile, expected) in [(TrustProfile.standard, rule.standard), (.web, rule.web)] {
            trust.profile = profile
            let result = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)
                .evaluate(trust, host: rule.shape.host)
            #expect(result.failure?.rule == expected, "\(profile): \(result)")
        }
    }

    @Test func `in the web profile an authority is no server, even if it is an anchor`() throws {
        for (constraints, expected) in [("critical,CA:TRUE", "authority-as-server"), ("critical,CA:FALSE", nil)] {
            let own = try CertificateAuthority.selfSigned(
                LeafRequest(
                    commonName: "example.com", dnsNames: ["example.com"],
                    extensions: [
                        CertificateExtension("basicConstraints", constraints),
                        CertificateExtension("keyUsage", "critical,digitalSignature,keyCertSign"),
                    ].dropLast(expected == nil ? 1 : 0)))
            var trust = try ServerTrust(own, anchors: [own.certificate()])
            let policies: [ServerTrustPolicy] = [
                .performDefaultEvaluation(validateHost: true),
                .pinCertificates(
                    certificates: [try own.certificate()], validateCertificateChain: true, validateHost: true),
            ]
            for policy in policies {
                trust.profile = .standard
                #expect(policy.evaluate(trust, host: "example.com").isAccepted)
                trust.profile = .web
                #expect(policy.evaluate(trust, host: "example.com").failure?.rule == expected)
            }
        }
    }

    @Test func `every rule has a case that it refuses`() {
        let seen = Set(RuleCase.all.flatMap { [$0.standard, $0.web] })
        for rule in CertificateRule.allCases { #expect(seen.contains(rule.rawValue), "\(rule)") }
    }
}

extension RuleCase {
    static let all =
        basics + extensions + names + constraints + purposes + keys + commonNames + misspeltAddresses + tools
        + policies + policyNumbers + encodings + unreadable + anchors

    private static func ext(_ name: String, _ value: String?) -> CertificateExtension {
        CertificateExtension(name, value)
    }

    static let basics: [RuleCase] = [
        RuleCase("a plain chain", nil) { _ in },
        RuleCase("a plain chain with intermediates", nil) { shape in
            shape.addIntermediate()
            shape.addIntermediate()
        },
        RuleCase("serial::too-long", "serial-number") {
            $0.leaf.flaws.serialNumber = [0x7f] + [UInt8](repeating: 0xff, count: 20)
        },
        RuleCase("serial of 20 bytes and a sign byte", nil) {
            $0.leaf.flaws.serialNumber = [UInt8](repeating: 0xff, count: 20)
        },
        RuleCase("serial::zero", "serial-number") { $0.leaf.flaws.serialNumber = [0] },
        RuleCase("serial::negative", "serial-number") {
            $0.leaf.flaws.serialNumber = [1, 2, 3, 4, 5, 6, 7, 8]
            $0.leaf.flaws.hasNegativeSerialNumber = true
        },
        RuleCase("a root with serial number 0", nil) { $0.root.flaws.serialNumber = [0] },
        RuleCase("a short serial number", standard: nil, web: "serial-number-entropy") {
            $0.leaf.flaws.serialNumber = [1, 2]
        },
        RuleCase("mismatching-signature-algorithm", "invalid-signature") { $0.leaf.flaws.namesOtherAlgorithm = true },
        RuleCase("mismatching signature algorithm in the root", "signature-algorithm-mismatch") {
            $0.root.flaws.namesOtherAlgorithm = true
        },
        RuleCase("a broken signature", "invalid-signature") { $0.leaf.flaws.hasBrokenSignature = true },
        RuleCase("GeneralizedTime before 2050", "time-encoding") { $0.leaf.flaws.usesGeneralizedTime = true },
        RuleCase("GeneralizedTime in a root", nil) { $0.root.flaws.usesGeneralizedTime = true },
        RuleCase("GeneralizedTime from 2050 on", standard: nil, web: "validity-period") {
            $0.leaf.validity.notAfter = 2_600_000_000
        },
        RuleCase("ee-empty-issuer", "empty-issuer") { shape in
            // An anchor without a name would be refused for that.
            shape.root.flaws.hasEmptySubject = true
        },
        RuleCase("ca-empty-subject", "empty-issuer") { shape in
            shape.addIntermediate()
            shape.intermediates[0].flaws.hasEmptySubject = true
        },
        RuleCase("an authority without a name as the leaf", "empty-subject") {
            $0.leaf.extensions = [
                ext("basicConstraints", "critical,CA:TRUE"),
                ext("keyUsage", "critical,digitalSignature,keyCertSign"),
            ]
        },
        RuleCase("validity of a year", standard: nil, web: "validity-period") { $0.leaf.validity = .days(-1, to: 364) },
        RuleCase("validity from 1970 to 2969", standard: nil, web: "validity-period") {
            let wide = Validity(notBefore: 0, notAfter: 31_535_999_999)
            $0.root.validity = wide
            $0.leaf.validity = wide
        },
        RuleCase("validity::expired-root", "expired") { $0.root.validity = .expired },
        RuleCase("validity::expired-intermediate", "expired") { shape in
            shape.addIntermediate()
            shape.intermediates[0].validity = .expired
        },
        RuleCase("webpki::v1-cert", "extensions-before-version-3") { $0.leaf.flaws.version = 1 },
        RuleCase("version 4", "unknown-version") { $0.leaf.flaws.version = 4 },
        RuleCase("an intermediate of version 4", "unknown-version") { shape in
            shape.addIntermediate()
            shape.intermediates[0].flaws.version = 4
        },
        RuleCase("webpki::ee-basicconstraints-ca", standard: nil, web: "authority-as-server") {
            $0.leaf.commonName = "example.com"
            $0.leaf.extensions = [
                ext("basicConstraints", "critical,CA:TRUE"),
                ext("keyUsage", "critical,digitalSignature,keyCertSign"),
            ]
        },
    ]

    static let extensions: [RuleCase] = [
        RuleCase("something behind basicConstraints", "malformed-extension") {
            $0.leaf.extensions = [ext("basicConstraints", "critical,DER:30000500")]
        },
        RuleCase("something behind keyUsage", "malformed-extension") {
            $0.leaf.extensions = [ext("keyUsage", "critical,DER:030207800500")]
        },
        RuleCase("something behind nameConstraints", "malformed-extension") {
            $0.addIntermediate([ext("nameConstraints", "critical,DER:3011A00F300D820B6578616D706C652E636F6D0500")])
        },
        RuleCase("empty authorityInfoAccess", "malformed-extension") {
            $0.leaf.extensions = [ext("authorityInfoAccess", "DER:3000")]
        },
        RuleCase("empty policyConstraints", "malformed-extension") {
            $0.addIntermediate([ext("policyConstraints", "critical,DER:3000")])
        },
        RuleCase("a root that demands policies and has none", nil) {
            $0.root.extensions = [ext("policyConstraints", "critical,requireExplicitPolicy:0")]
            $0.leaf.extensions = [ext("certificatePolicies", "DER:300A3008060667810C010201")]
        },
        RuleCase("duplicate-extensions", "duplicate-extension") {
            $0.leaf.extensions = [ext("1.3.6.1.4.1.99999.1", "DER:0500"), ext("1.3.6.1.4.1.99999.1", "DER:0500")]
        },
        RuleCase("duplicate extensions in the root", "duplicate-extension") {
            $0.root.extensions = [ext("1.3.6.1.4.1.99999.1", "DER:0500"), ext("1.3.6.1.4.1.99999.1", "DER:0500")]
        },
        RuleCase("a hundred and more extensions", "too-many-extensions") {
            $0.leaf.extensions = (0..<120).map { ext("1.3.6.1.4.1.99999.\($0)", "DER:0500") }
        },
        RuleCase("unknown-critical-extension-ee", "unknown-critical-extension") {
            $0.leaf.extensions = [ext("1.3.6.1.4.1.99999.1", "critical,DER:0500")]
        },
        RuleCase("unknown-critical-extension-root", "unknown-critical-extension") {
            $0.root.extensions = [ext("1.3.6.1.4.1.99999.1", "critical,DER:0500")]
        },
        RuleCase("unknown-critical-extension-intermediate", "unknown-critical-extension") {
            $0.addIntermediate([ext("1.3.6.1.4.1.99999.1", "critical,DER:0500")])
        },
        RuleCase("aki::critical-aki", "unknown-critical-extension") {
            $0.leaf.extensions = [ext("authorityKeyIdentifier", "critical,DER:30068004AABBCCDD")]
            $0.root.extensions = [ext("subjectKeyIdentifier", "AA:BB:CC:DD")]
        },
        RuleCase("ski::critical-ski in the root", "unknown-critical-extension") {
            $0.root.extensions = [ext("subjectKeyIdentifier", "critical,hash")]
        },
        RuleCase("ski::critical-ski", "unknown-critical-extension") {
            $0.leaf.extensions = [ext("subjectKeyIdentifier", "critical,hash")]
        },
        RuleCase("aki mismatch", "missing-issuer") {
            $0.leaf.extensions = [ext("authorityKeyIdentifier", "DER:30068004AABBCCDD")]
        },
        RuleCase("aki::leaf-missing-aki", standard: nil, web: "missing-authority-key-identifier") {
            $0.leaf.extensions = [ext("authorityKeyIdentifier", nil)]
        },
        RuleCase("aki::intermediate-missing-aki", standard: nil, web: "missing-authority-key-identifier") {
            $0.addIntermediate([ext("authorityKeyIdentifier", nil)])
        },
        RuleCase("aki::self-signed-root-missing-aki", nil) {
            $0.root.extensions = [ext("authorityKeyIdentifier", nil)]
        },
        RuleCase("webpki::aki::leaf-with-authoritycertissuer", standard: nil, web: "authority-key-identifier-form") {
            $0.leaf.extensions = [ext("authorityKeyIdentifier", "keyid,issuer:always")]
        },
        RuleCase("webpki::aki::root-with-aki-missing-keyidentifier", nil) {
            // As OpenSSL's "authorityKeyIdentifier=keyid" makes it in a root.
            $0.root.extensions = [ext("authorityKeyIdentifier", "DER:3000")]
        },
        RuleCase("webpki::aki::root-with-aki-missing-keyidentifier, but issuer and number", nil) {
            // As OpenSSL's "authorityKeyIdentifier=keyid,issuer" makes it in a root.
            $0.root.extensions = [ext("authorityKeyIdentifier", "issuer:always")]
        },
        RuleCase(
            "webpki::aki::root-with-aki-authoritycertissuer", standard: nil, web: "malformed-key-identifier"
        ) {
            // keyIdentifier AABBCCDD, directoryName CN=Root, no serial number
            $0.root.extensions = [ext("subjectKeyIdentifier", "AA:BB:CC:DD")]
            $0.root.extensions.append(
                ext("authorityKeyIdentifier", "DER:301D8004AABBCCDDA115A4133011310F300D06035504030C06526F6F742021"))
        },
        RuleCase(
            "webpki::aki::root-with-aki-authoritycertserialnumber", standard: nil, web: "malformed-key-identifier"
        ) {
            $0.root.extensions = [
                ext("subjectKeyIdentifier", "AA:BB:CC:DD"),
                ext("authorityKeyIdentifier", "DER:30098004AABBCCDD820105"),
            ]
            $0.root.flaws.serialNumber = [5]
        },
        RuleCase("a serial number without issuer in the leaf", "malformed-key-identifier") {
            $0.root.extensions = [ext("subjectKeyIdentifier", "AA:BB:CC:DD")]
            $0.root.flaws.serialNumber = [5]
            $0.leaf.extensions = [ext("authorityKeyIdentifier", "DER:30098004AABBCCDD820105")]
        },
        RuleCase(
            "an empty identifier in the leaf, as old tools make it", standard: nil,
            web: "missing-authority-key-identifier"
        ) {
            $0.leaf.extensions = [ext("authorityKeyIdentifier", "DER:3000")]
        },
        RuleCase("webpki::aki::root-with-aki-all-fields", nil) {
            // As five of the roots in Mozilla's list: its own name and number.
            $0.root.extensions = [ext("authorityKeyIdentifier", "keyid:always,issuer:always")]
        },
        RuleCase("a root whose identifier has the number of an older one of its key", nil) {
            // keyIdentifier AABBCCDD, directoryName CN=Root, serial number 5
            $0.root.extensions = [
                ext("subjectKeyIdentifier", "AA:BB:CC:DD"),
                ext("authorityKeyIdentifier", "DER:301E8004AABBCCDDA113A411300F310D300B06035504030C04526F6F74820105"),
            ]
        },
        RuleCase("webpki::aki::root-with-aki-ski-mismatch", standard: nil, web: "foreign-key-identifier") {
            $0.root.extensions = [ext("authorityKeyIdentifier", "DER:30068004AABBCCDD")]
        },
        RuleCase("ski::root-missing-ski", nil) {
            // As one of the roots in Mozilla's list.
            $0.root.extensions = [ext("subjectKeyIdentifier", nil), ext("authorityKeyIdentifier", nil)]
            $0.leaf.extensions = [ext("authorityKeyIdentifier", "DER:30068004AABBCCDD")]
        },
        RuleCase("ski::intermediate-missing-ski", "missing-subject-key-identifier") {
            $0.addIntermediate([ext("subjectKeyIdentifier", nil)])
            $0.leaf.extensions = [ext("authorityKeyIdentifier", "DER:30068004AABBCCDD")]
        },
        RuleCase("no key identifiers at all", standard: nil, web: "missing-authority-key-identifier") {
            // As "openssl x509 -req" makes them without being asked.
            let none = [ext("subjectKeyIdentifier", nil), ext("authorityKeyIdentifier", nil)]
            $0.addIntermediate(none)
            $0.leaf.extensions = none
        },
        RuleCase("ski::leaf-missing-ski", nil) { $0.leaf.extensions = [ext("subjectKeyIdentifier", nil)] },
        RuleCase("root-non-critical-basic-constraints", nil) {
            // As three of the roots in Mozilla's list.
            $0.root.extensions = [ext("basicConstraints", "CA:TRUE"), ext("keyUsage", nil)]
        },
        RuleCase("non-critical basic constraints", standard: nil, web: "non-critical-basic-constraints") {
            $0.addIntermediate([ext("basicConstraints", "CA:TRUE")])
        },
        RuleCase("an intermediate without key usage", standard: nil, web: "missing-key-usage") {
            $0.addIntermediate([ext("keyUsage", nil)])
        },
        RuleCase("root-missing-basic-constraints", "issuer-without-basic-constraints") {
            $0.root.extensions = [ext("basicConstraints", nil)]
        },
        RuleCase("intermediate-ca-missing-basic-constraints", "invalid-authority") {
            $0.addIntermediate([ext("basicConstraints", nil)])
        },
        RuleCase("intermediate-ca-without-ca-bit", "invalid-authority") {
            $0.addIntermediate([ext("basicConstraints", "critical,CA:FALSE")])
        },
        RuleCase("root-inconsistent-ca-extensions", "invalid-authority") {
            $0.root.extensions = [ext("keyUsage", "critical,digitalSignature")]
        },
        RuleCase("leaf-ku-keycertsign", "signing-key-usage-without-authority") {
            $0.leaf.extensions = [ext("keyUsage", "critical,digitalSignature,keyCertSign")]
        },
        RuleCase("no-keyusage", nil) { $0.leaf.extensions = [ext("keyUsage", nil)] },
        RuleCase("no-basicconstraints", nil) { $0.leaf.extensions = [ext("basicConstraints", nil)] },
        RuleCase("pathlen::ee-with-intermediate-pathlen-0", nil) {
            $0.addIntermediate([ext("basicConstraints", "critical,CA:TRUE,pathlen:0")])
        },
        RuleCase("pathlen::intermediate-violates-pathlen-0", "invalid-authority") {
            $0.addIntermediate([ext("basicConstraints", "critical,CA:TRUE,pathlen:0")])
            $0.addIntermediate()
        },
        RuleCase("pathlen::root-pathlen-0", "invalid-authority") {
            $0.root.extensions = [ext("basicConstraints", "critical,CA:TRUE,pathlen:0")]
            $0.addIntermediate()
        },
        RuleCase("pathlen::intermediate-pathlen-may-increase", nil) {
            $0.root.extensions = [ext("basicConstraints", "critical,CA:TRUE,pathlen:1")]
            $0.addIntermediate([ext("basicConstraints", "critical,CA:TRUE,pathlen:8")])
        },
        RuleCase("pathlen::self-issued-certs-pathlen", nil) { shape in
            // RFC 5280 §6.1.4 l: self-issued intermediates do not count.
            shape.root.extensions = [ext("basicConstraints", "critical,CA:TRUE,pathlen:0")]
            shape.addIntermediate()
            shape.intermediates[0].commonName = "Root"
        },
        RuleCase("pathlen::validation-ignores-pathlen-in-leaf", standard: nil, web: "authority-as-server") {
            $0.addIntermediate([ext("basicConstraints", "critical,CA:TRUE,pathlen:0")])
            $0.leaf.commonName = "example.com"
            $0.leaf.extensions = [
                ext("basicConstraints", "critical,CA:TRUE,pathlen:0"),
                ext("keyUsage", "critical,digitalSignature,keyCertSign"),
            ]
        },
        RuleCase("malformed basic constraints", "malformed-extension") {
            $0.addIntermediate([ext("basicConstraints", "critical,DER:04010A")])
        },
        RuleCase("webpki::malformed-aia", "malformed-extension") {
            $0.leaf.extensions = [ext("authorityInfoAccess", "DER:0C0474657374")]
        },
        RuleCase("an AIA of one description", nil) {
            $0.leaf.extensions = [ext("authorityInfoAccess", "OCSP;URI:http://ocsp.example.com")]
        },
        RuleCase("ee-critical-aia-invalid", "unknown-critical-extension") {
            $0.leaf.extensions = [ext("authorityInfoAccess", "critical,OCSP;URI:http://ocsp.example.com")]
        },
        RuleCase("pc::ica-noncritical-pc", "non-critical-extension") {
            $0.addIntermediate([ext("policyConstraints", "inhibitPolicyMapping:0")])
        },
        RuleCase("policy constraints that ask for nothing missing", nil) {
            $0.addIntermediate([ext("policyConstraints", "critical,inhibitPolicyMapping:0")])
        },
        RuleCase("an explicit policy is demanded, and the leaf has none", "certificate-policy") {
            $0.addIntermediate([
                ext("policyConstraints", "critical,requireExplicitPolicy:0"),
                ext("certificatePolicies", "DER:3007300506032A0304"),
            ])
        },
        RuleCase("an explicit policy is demanded by an authority that has none", "certificate-policy") {
            $0.addIntermediate([ext("policyConstraints", "critical,requireExplicitPolicy:0")])
        },
        RuleCase("an explicit policy is demanded, and the leaf has it", nil) {
            $0.addIntermediate([
                ext("policyConstraints", "critical,requireExplicitPolicy:0"),
                ext("certificatePolicies", "DER:3007300506032A0304"),
            ])
            $0.leaf.extensions = [ext("certificatePolicies", "DER:3007300506032A0304")]
        },
    ]

    static let names: [RuleCase] = [
        RuleCase("san::noncritical-with-empty-subject", standard: "non-critical-names", web: "non-critical-names") {
            $0.leaf.dnsNames = []
            $0.leaf.extensions = [ext("subjectAltName", "DNS:example.com")]
        },
        RuleCase("webpki::san::san-critical-with-nonempty-subject", standard: nil, web: "subject-alternative-names") {
            $0.leaf.commonName = "example.com"
            $0.leaf.dnsNames = []
            $0.leaf.extensions = [ext("subjectAltName", "critical,DNS:example.com")]
        },
        RuleCase("webpki::san::no-san", "name-mismatch") {
            $0.leaf.commonName = "example.com"
            $0.leaf.dnsNames = []
        },
        RuleCase("an empty subject and no names", "name-mismatch") { $0.leaf.dnsNames = [] },
        RuleCase("san::malformed", "malformed-extension") {
            $0.leaf.commonName = "example.com"
            $0.leaf.dnsNames = []
            $0.leaf.extensions = [ext("subjectAltName", "DER:0C0474657374")]
        },
        RuleCase("an empty SAN", "name-mismatch") {
            $0.leaf.commonName = "example.com"
            $0.leaf.dnsNames = []
            $0.leaf.extensions = [ext("subjectAltName", "DER:3000")]
        },
        RuleCase("an address of five bytes", "malformed-names") {
            // DNS:example.com and five bytes.
            $0.leaf.commonName = "example.com"
            $0.leaf.dnsNames = []
            $0.leaf.extensions = [ext("subjectAltName", "DER:3014820B6578616D706C652E636F6D87050102030405")]
        },
        RuleCase("a NUL in a DNS name", "malformed-names") {
            $0.leaf.dnsNames = ["example.com", "example.com\0.evil.test"]
        },
        RuleCase("an empty DNS name", "malformed-names") { $0.leaf.dnsNames = ["example.com", ""] },
        RuleCase("an empty SAN in an intermediate", "malformed-names") {
            $0.addIntermediate([ext("subjectAltName", "DER:3000")])
        },
        RuleCase("a NUL in a DNS name of an intermediate, which is not asked for", nil) {
            $0.addIntermediate([ext("subjectAltName", "DER:30058203610062")])
        },
        RuleCase("a NUL in a DNS name of an intermediate, and constraints on DNS names", "name-constraint") {
            $0.constrain("critical,permitted;DNS:example.com")
            $0.addIntermediate([ext("subjectAltName", "DER:3011820F61002E6578616D706C652E636F6D00")])
        },
        RuleCase("san::underscore-dns", standard: nil, web: "subject-alternative-names") {
            $0.leaf.dnsNames = ["foo_bar.example.com"]
            $0.host = "foo_bar.example.com"
        },
        RuleCase("webpki::san::exact-dns-san", nil) { _ in },
        RuleCase("webpki::san::exact-ip-san", nil) {
            $0.leaf.dnsNames = []
            $0.leaf.ipAddresses = ["192.0.2.1"]
            $0.host = "192.0.2.1"
        },
        RuleCase("webpki::san::mismatch-ip-san", "name-mismatch") {
            $0.leaf.ipAddresses = ["192.0.2.2"]
            $0.host = "192.0.2.1"
        },
        RuleCase("an address among the DNS names", standard: "name-mismatch", web: "name-mismatch") {
            $0.leaf.dnsNames = ["192.0.2.1"]
            $0.host = "192.0.2.1"
        },
        RuleCase("webpki::san::mismatch-domain-san", "name-mismatch") { $0.host = "example2.com" },
        RuleCase("webpki::san::mismatch-subdomain-san", "name-mismatch") {
            $0.leaf.dnsNames = ["abc.example.com"]
            $0.host = "def.example.com"
        },
        RuleCase("webpki::san::mismatch-subdomain-apex-san", "name-mismatch") {
            $0.leaf.dnsNames = ["abc.example.com"]
        },
        RuleCase("webpki::san::mismatch-apex-subdomain-san", "name-mismatch") { $0.host = "abc.example.com" },
        RuleCase("a wildcard for one label", nil) {
            $0.leaf.dnsNames = ["*.example.com"]
            $0.host = "foo.example.com"
        },
        RuleCase("a wildcard is not for the apex", "name-mismatch") { $0.leaf.dnsNames = ["*.example.com"] },
        RuleCase("webpki::san::public-suffix-wildcard-san", "name-mismatch") { $0.leaf.dnsNames = ["*.com"] },
        RuleCase("a wildcard for a registry's public suffix", standard: nil, web: "public-suffix-wildcard") {
            $0.leaf.dnsNames = ["*.CO.UK"]
            $0.host = "example.co.uk"
        },
        RuleCase(
            "a wildcard for a registry's public suffix, beside the name", standard: nil, web: "public-suffix-wildcard"
        ) {
            $0.leaf.dnsNames = ["example.com", "*.foo.ck"]
        },
        RuleCase("a wildcard for a company's public suffix", nil) {
            $0.leaf.dnsNames = ["*.github.io"]
            $0.host = "me.github.io"
        },
        RuleCase("a wildcard below a public suffix, and a public suffix without a wildcard", nil) {
            $0.leaf.dnsNames = ["*.example.co.uk", "co.uk"]
            $0.host = "www.example.co.uk"
        },
        RuleCase("webpki::san::wildcard-not-in-leftmost-san", "name-mismatch") {
            $0.leaf.dnsNames = ["foo.*.example.com"]
            $0.host = "foo.bar.example.com"
        },
        RuleCase("webpki::san::wildcard-match-across-labels-san", "name-mismatch") {
            $0.leaf.dnsNames = ["*.example.com"]
            $0.host = "foo.bar.example.com"
        },
        RuleCase("webpki::san::wildcard-embedded-leftmost-san", "name-mismatch") {
            $0.leaf.dnsNames = ["ba*.example.com"]
            $0.host = "baz.example.com"
        },
        RuleCase("webpki::san::wildcard-embedded-ulabel-san", "name-mismatch") {
            $0.leaf.dnsNames = ["xn--*-1b3c148a.example.com"]
            $0.host = "xn--bliss-1b3c148a.example.com"
        },
        RuleCase("a wildcard alone", "name-mismatch") { $0.leaf.dnsNames = ["*"] },
        RuleCase("a wildcard with nothing behind its dot", "name-mismatch") { $0.leaf.dnsNames = ["*."] },
        RuleCase("webpki::san::unicode-emoji-san", "name-mismatch") {
            $0.leaf.dnsNames = ["😜.example.com"]
            $0.host = "xn--628h.example.com"
        },
        RuleCase("an IDN in A-labels", nil) {
            $0.leaf.dnsNames = ["xn--628h.example.com"]
            $0.host = "xn--628h.example.com"
        },
        RuleCase("a further mail address", standard: nil, web: "subject-alternative-names") {
            $0.leaf.commonName = "example.com"
            $0.leaf.dnsNames = []
            $0.leaf.extensions = [ext("subjectAltName", "DNS:example.com,email:me@example.com")]
        },
    ]

    static let purposes: [RuleCase] = [
        RuleCase("webpki::eku::ee-without-eku", standard: nil, web: "extended-key-usage") {
            $0.leaf.extensions = [ext("extendedKeyUsage", nil)]
        },
        RuleCase("webpki::eku::ee-anyeku", "wrong-purpose") {
            $0.leaf.extensions = [ext("extendedKeyUsage", "anyExtendedKeyUsage")]
        },
        RuleCase("anyEKU in addition to serverAuth", standard: nil, web: "extended-key-usage") {
            $0.leaf.extensions = [ext("extendedKeyUsage", "serverAuth,anyExtendedKeyUsage")]
        },
        RuleCase("webpki::eku::ee-critical-eku", standard: nil, web: "extended-key-usage") {
            $0.leaf.extensions = [ext("extendedKeyUsage", "critical,serverAuth")]
        },
        RuleCase("eku::ee-wrong-eku", "wrong-purpose") {
            $0.leaf.extensions = [ext("extendedKeyUsage", "clientAuth")]
        },
        RuleCase("server gated cryptography", "extended-key-usage") {
            $0.leaf.extensions = [ext("extendedKeyUsage", "msSGC,nsSGC")]
        },
        RuleCase("an intermediate for server gated cryptography", "extended-key-usage") {
            $0.addIntermediate([ext("extendedKeyUsage", "clientAuth,msSGC,nsSGC")])
        },
        RuleCase("a root for server gated cryptography", "extended-key-usage") {
            $0.root.extensions = [ext("extendedKeyUsage", "msSGC")]
        },
        RuleCase("an intermediate for server gated cryptography and serverAuth", nil) {
            $0.addIntermediate([ext("extendedKeyUsage", "serverAuth,msSGC,nsSGC")])
        },
        RuleCase("an intermediate with a critical nsCertType for clients", "certificate-type") {
            $0.addIntermediate([ext("nsCertType", "critical,client,emailCA")])
        },
        RuleCase("a root with a critical nsCertType for clients", "certificate-type") {
            $0.root.extensions = [ext("nsCertType", "critical,client")]
        },
        RuleCase("an intermediate with a critical nsCertType for TLS authorities", nil) {
            $0.addIntermediate([ext("nsCertType", "critical,sslCA")])
        },
        RuleCase("an intermediate with an nsCertType for clients that is not critical", nil) {
            $0.addIntermediate([ext("nsCertType", "client")])
        },
        RuleCase("server gated cryptography and serverAuth", nil) {
            $0.leaf.extensions = [ext("extendedKeyUsage", "serverAuth,msSGC,nsSGC")]
        },
        RuleCase("eku::empty", "wrong-purpose") { $0.leaf.extensions = [ext("extendedKeyUsage", "DER:3000")] },
        RuleCase("webpki::eku::root-has-eku", standard: nil, web: "extended-key-usage") {
            $0.root.extensions = [ext("extendedKeyUsage", "serverAuth")]
        },
        RuleCase("an intermediate for servers", nil) {
            $0.addIntermediate([ext("extendedKeyUsage", "serverAuth,clientAuth")])
        },
        RuleCase("an intermediate for clients", "wrong-purpose") {
            $0.addIntermediate([ext("extendedKeyUsage", "clientAuth")])
        },
        RuleCase("key usage without signing and encipherment", "wrong-purpose") {
            $0.leaf.extensions = [ext("keyUsage", "critical,cRLSign")]
        },
    ]

    static let keys: [RuleCase] = [
        RuleCase("webpki::forbidden-p192-leaf", "weak-key") { $0.leaf.key = .curve("prime192v1") },
        RuleCase("webpki::forbidden-p192-root", "weak-key") { $0.root.key = .curve("prime192v1") },
        RuleCase("P-224", "unsupported-key") { $0.leaf.key = .curve("secp224r1") },
        RuleCase("an exponent of 100 bits in the leaf", "unsupported-key") {
            $0.leaf.key = .existing(privateKeyPEM: OddKeys.longExponent)
        },
        RuleCase("an RSA exponent of 1 in the leaf", "unsupported-key") {
            $0.leaf.key = .existing(privateKeyPEM: OddKeys.exponentOne)
        },
        RuleCase("an RSA exponent of 1 in an intermediate", "unsupported-key") {
            // Whose signatures anybody can make, without its private key.
            $0.addIntermediate()
            $0.intermediates[0].key = .existing(privateKeyPEM: OddKeys.exponentOne)
        },
        RuleCase("an RSA exponent of 1 in the root", "unsupported-key") {
            $0.root.key = .existing(privateKeyPEM: OddKeys.exponentOne)
        },
        RuleCase("an even RSA exponent", "unsupported-key") {
            $0.leaf.key = .existing(privateKeyPEM: OddKeys.evenExponent)
        },
        RuleCase("an even RSA modulus", "unsupported-key") {
            $0.leaf.key = .existing(privateKeyPEM: OddKeys.evenModulus)
        },
        RuleCase("RSA of 8208 bits in an intermediate", "unsupported-key") {
            $0.addIntermediate()
            $0.intermediates[0].key = .existing(privateKeyPEM: OddKeys.rsa8208)
        },
        RuleCase("a binary curve in an intermediate", "unsupported-key") {
            $0.addIntermediate()
            $0.intermediates[0].key = .curve("sect571r1")
        },
        RuleCase("Brainpool", standard: nil, web: "key-parameters") { $0.leaf.key = .curve("brainpoolP256r1") },
        RuleCase("Ed25519", standard: nil, web: "key-parameters") { $0.leaf.key = .ed25519 },
        RuleCase("webpki::forbidden-dsa-leaf", "unsupported-key") {
            $0.leaf.key = .existing(privateKeyPEM: OddKeys.dsa)
        },
        RuleCase("webpki::forbidden-dsa-root", "unsupported-key") {
            $0.root.key = .existing(privateKeyPEM: OddKeys.dsa)
        },
        RuleCase("webpki::explicit-curve", "unsupported-key") {
            $0.leaf.key = .existing(privateKeyPEM: OddKeys.explicitCurve)
        },
        RuleCase("an intermediate with an explicit curve", "unsupported-key") {
            $0.addIntermediate()
            $0.intermediates[0].key = .existing(privateKeyPEM: OddKeys.explicitCurve)
        },
        RuleCase("webpki::forbidden-weak-rsa-in-root", "weak-key") { $0.root.key = .rsa(bits: 1024) },
        RuleCase("webpki::forbidden-weak-rsa-key-in-leaf", "weak-key") { $0.leaf.key = .rsa(bits: 1024) },
        RuleCase("webpki::forbidden-rsa-not-divisable-by-8-in-leaf", "unsupported-key") {
            $0.leaf.key = .rsa(bits: 2052)
        },
        RuleCase("webpki::forbidden-rsa-not-divisable-by-8-in-root", "unsupported-key") {
            $0.root.key = .rsa(bits: 2052)
        },
        RuleCase("RSA of 2048 bits in the whole chain", nil) { shape in
            shape.addIntermediate()
            shape.root.key = .rsa(bits: 2048)
            shape.intermediates[0].key = .rsa(bits: 2048)
            shape.leaf.key = .rsa(bits: 2048)
        },
    ]

    /// All of them are in subjectAltName too, in another form, or not at all.
    static let commonNames: [RuleCase] = [
        ("exact", "example.com", ["example.com"], [], true),
        ("address of no entry", "192.000.002.007", ["example.com"], ["192.0.2.1"], false),
        ("not-in-san", "foo.com", ["example.com"], [], false),
        ("case-mismatch", "Example.com", ["example.com"], [], false),
        ("punycode-not-in-san", "xn--628h.example.com", ["example.com"], [], false),
        ("utf8-vs-punycode-mismatch", "😜.example.com", ["example.com", "xn--628h.example.com"], [], false),
        ("ipv4", "192.0.2.1", ["example.com"], ["192.0.2.1"], true),
    ].map { (name: String, commonName: String, dns: [String], ip: [String], isListed: Bool) in
        RuleCase("webpki::cn::\(name)", standard: nil, web: isListed ? nil : "common-name") {
            $0.leaf.commonName = commonName
            $0.leaf.dnsNames = dns
            $0.leaf.ipAddresses = ip
        }
    }

    static let misspeltAddresses: [RuleCase] = [
        ("ipv4-hex-mismatch", "0xC0000201"), ("ipv4 as a number", "3221225985"),
        ("ipv4-leading-zeros-mismatch", "192.000.002.001"), ("ipv4 in hexadecimal numbers", "0xc0.0x0.0x2.0x1"),
        ("ipv4 in bare hexadecimal numbers", "c0.00.02.01"), ("ipv4 in octal numbers", "0300.00.02.01"),
        ("ipv4 in three numbers", "192.0.513"), ("ipv4 inside ipv6", "::ffff:192.0.2.1"),
        ("ipv6 in brackets", "[2001:db8::1]"), ("ipv6-uppercase-mismatch", "2001:DB8::1"),
        ("ipv6-uncompressed-mismatch", "2001:db8:0:0:0:0:0:1"), ("ipv6-non-rfc5952-mismatch", "2001:db8::0:1"),
    ].map { (name: String, commonName: String) in
        RuleCase("webpki::cn::\(name)", "common-name-address") {
            $0.leaf.commonName = commonName
            $0.leaf.dnsNames = ["example.com"]
            $0.leaf.ipAddresses = ["192.0.2.1", "2001:db8::1"]
        }
    }
}
