// SPDX-License-Identifier: Apache-2.0
import TernTesting

extension RuleCase {
    static let constraints: [RuleCase] = [
        RuleCase("nc::permitted-dns-match", nil) { $0.constrain("critical,permitted;DNS:example.com") },
        RuleCase("nc::permitted-dns-match-more", nil) {
            $0.constrain("critical,permitted;DNS:example.com", dns: ["foo.bar.example.com", "example.com"])
        },
        RuleCase("nc::permitted-dns-match-noncritical", nil) { $0.constrain("permitted;DNS:example.com") },
        RuleCase("nc::permitted-dns-mismatch", "name-constraint") {
            $0.constrain("critical,permitted;DNS:example.com", dns: ["example.com", "not-example.com"])
        },
        RuleCase("nc::excluded-dns-match", "name-constraint") { $0.constrain("critical,excluded;DNS:example.com") },
        RuleCase("nc::excluded-dns-match-second", "name-constraint") {
            $0.constrain("critical,excluded;DNS:foo.test,excluded;DNS:example.com")
        },
        RuleCase("nc::excluded-match-permitted-and-excluded", "name-constraint") {
            $0.constrain("critical,permitted;DNS:example.com,excluded;DNS:example.com")
        },
        RuleCase("nc::excluded below permitted", nil) {
            $0.constrain("critical,permitted;DNS:example.com,excluded;DNS:foo.example.com")
        },
        RuleCase("nc in the root", "name-constraint") {
            $0.root.extensions = [CertificateExtension("nameConstraints", "critical,excluded;DNS:example.com")]
        },
        RuleCase("nc two levels up", "name-constraint") {
            $0.constrain("critical,excluded;DNS:example.com")
            $0.addIntermediate()
        },
        RuleCase("nc::restrict-other-name-types", nil) {
            $0.constrain("critical,permitted;IP:192.0.2.0/255.255.255.0,excluded;email:example.com")
        },
        RuleCase("nc::permitted-ip-match", nil) {
            $0.constrain("critical,permitted;IP:192.0.2.0/255.255.255.0", ip: ["192.0.2.1"])
        },
        RuleCase("nc::permitted-ip-mismatch", "name-constraint") {
            $0.constrain("critical,permitted;IP:192.0.2.0/255.255.255.0", ip: ["192.0.3.1"])
        },
        RuleCase("nc::excluded-ip-match", "name-constraint") {
            $0.constrain("critical,excluded;IP:192.0.2.0/255.255.255.0", ip: ["192.0.2.1"])
        },
        RuleCase("nc::excluded-ipv6-match", "name-constraint") {
            $0.constrain(
                "critical,excluded;IP:2001:db8:0:0:0:0:0:0/ffff:ffff:0:0:0:0:0:0", ip: ["2001:db8::1"])
        },
        RuleCase("nc::an empty list beside a good one", "malformed-name-constraints") {
            $0.constrain("critical,DER:3013A00F300D820B6578616D706C652E636F6DA100")
        },
        RuleCase("nc::invalid-ipv4-address-mask", "malformed-name-constraints") {
            $0.constrain("critical,permitted;IP:192.0.2.0/255.128.255.0", ip: ["192.0.2.1"])
        },
        RuleCase("nc::invalid-ipv6-address-mask", "malformed-name-constraints") {
            $0.constrain("critical,permitted;IP:2001:db8:0:0:0:0:0:0/ffff:0:ffff:0:0:0:0:0")
        },
        RuleCase("nc::invalid address length", "malformed-name-constraints") {
            // Permitted: an address of 4 bytes where 8 are due.
            $0.constrain("critical,DER:300AA0083006870401020304")
        },
        RuleCase("nc::leading dot, as authorities in use write it", nil) {
            $0.constrain("critical,permitted;DNS:.example.com", dns: ["foo.example.com"])
            $0.host = "foo.example.com"
        },
        RuleCase("nc::invalid-dnsname-wildcard", "malformed-name-constraints") {
            $0.constrain("critical,excluded;DNS:*.example.com")
        },
        RuleCase("nc::a dot alone, which would exclude nothing", "malformed-name-constraints") {
            $0.constrain("critical,excluded;DNS:.")
        },
        RuleCase("nc::a dot alone beside a good one", "malformed-name-constraints") {
            $0.constrain("critical,excluded;DNS:.,excluded;DNS:example.org")
        },
        RuleCase("nc::a dot alone in the root", "malformed-name-constraints") {
            $0.root.extensions = [CertificateExtension("nameConstraints", "critical,excluded;DNS:.")]
        },
        RuleCase("nc::a dot alone for mail", "malformed-name-constraints") {
            $0.constrain("critical,excluded;email:.")
        },
        RuleCase("nc::a mailbox without a host", "malformed-name-constraints") {
            $0.constrain("critical,excluded;email:me@")
        },
        RuleCase("nc::a dot alone for URIs", "malformed-name-constraints") {
            $0.constrain("critical,excluded;URI:.")
        },
        RuleCase("nc::an empty name stands for all", "name-constraint") {
            // RFC 5280 names no such form; BR 7.1.5 asks for it.
            $0.constrain("critical,DER:3006A10430028200")
        },
        RuleCase("nc::empty in a leaf that is an authority", "malformed-name-constraints") {
            $0.leaf.commonName = "example.com"
            $0.leaf.extensions = [
                CertificateExtension("basicConstraints", "critical,CA:TRUE"),
                CertificateExtension("keyUsage", "critical,digitalSignature,keyCertSign"),
                CertificateExtension("nameConstraints", "critical,DER:3000"),
            ]
        },
        RuleCase("nc::invalid-email-address", "malformed-name-constraints") {
            $0.constrain("critical,permitted;email:me@you@example.com")
        },
        RuleCase("nc::permitted-dn-match", nil) {
            $0.leaf.commonName = "example.com"
            $0.constrain("critical,DER:301EA01C301AA4183016311430120603550403130B6578616D706C652E636F6D")
        },
        RuleCase("nc::permitted-dn-mismatch", standard: "name-constraint", web: "name-constraint") {
            $0.leaf.commonName = "other.example.com"
            $0.constrain(
                "critical,DER:301EA01C301AA4183016311430120603550403130B6578616D706C652E636F6D",
                dns: ["example.com", "other.example.com"])
        },
        RuleCase("nc::excluded-dn-match", "name-constraint") {
            $0.leaf.commonName = "example.com"
            $0.constrain("critical,DER:301EA11C301AA4183016311430120603550403130B6578616D706C652E636F6D")
        },
        RuleCase("webpki::nc::intermediate-permitted-excluded-subtrees-both-null", "malformed-name-constraints") {
            $0.constrain("critical,DER:3000")
        },
        RuleCase(
            "webpki::nc::intermediate-permitted-excluded-subtrees-both-empty-sequences", "malformed-name-constraints"
        ) {
            $0.constrain("critical,DER:3004A000A100")
        },
        RuleCase("nc with a minimum distance", "name-constraint") {
            // permitted: DNS:example.com, minimum 1
            $0.constrain("critical,DER:3014A0123010820B6578616D706C652E636F6D800101", dns: ["example.com"])
        },
        RuleCase("nc with a minimum distance for unused names", "malformed-name-constraints") {
            // permitted: email:example.com, minimum 1
            $0.constrain("critical,DER:3014A0123010810B6578616D706C652E636F6D800101")
        },
        RuleCase("nc::not-allowed-in-ee-critical", "name-constraints-without-authority") {
            $0.leaf.extensions = [CertificateExtension("nameConstraints", "critical,permitted;DNS:example.com")]
        },
        RuleCase("nc::not-allowed-in-ee-noncritical", "name-constraints-without-authority") {
            $0.leaf.extensions = [CertificateExtension("nameConstraints", "permitted;DNS:example.com")]
        },
        RuleCase("nc-forbids-othername", standard: "name-constraint", web: "name-constraint") {
            // excluded: an otherName with a value; the leaf has one of that type.
            $0.constrain("critical,excluded;otherName:1.2.3.4;UTF8:x", dns: [])
            $0.leaf.commonName = "example.com"
            $0.leaf.extensions = [CertificateExtension("subjectAltName", "DNS:example.com,otherName:1.2.3.4;UTF8:x")]
        },
        RuleCase("cve::cve-2025-61727", "wildcard-in-excluded-subtree") {
            $0.constrain("critical,excluded;DNS:test.example.com", dns: ["*.example.com"])
            $0.host = "foo.example.com"
        },
        RuleCase("a wildcard whose names are two labels from what is excluded", nil) {
            $0.constrain("critical,excluded;DNS:a.test.example.com", dns: ["*.example.com"])
            $0.host = "foo.example.com"
        },
        RuleCase("a wildcard inside what is permitted", nil) {
            $0.constrain("critical,permitted;DNS:example.com", dns: ["*.example.com"])
            $0.host = "foo.example.com"
        },
        RuleCase("a wildcard that is wider than what is permitted", "name-constraint") {
            $0.constrain("critical,permitted;DNS:foo.example.com", dns: ["*.example.com"])
            $0.host = "foo.example.com"
        },
        RuleCase("nc-permits-invalid-dns-san", "malformed-names") {
            $0.constrain("critical,permitted;DNS:example.com", dns: ["example.com", "foo bar.example.com"])
        },
        RuleCase("nc-permits-invalid-email-san", standard: "malformed-names", web: "subject-alternative-names") {
            $0.constrain("critical,permitted;email:example.com", dns: [])
            $0.leaf.commonName = "example.com"
            $0.leaf.extensions = [CertificateExtension("subjectAltName", "DNS:example.com,email:a@b@example.com")]
        },
        RuleCase("nc::excluded-self-issued-leaf", "name-constraint") { shape in
            shape.constrain("critical,excluded;DNS:example.com")
            shape.leaf.commonName = shape.intermediates[0].commonName
        },
        RuleCase("nc::permitted-self-issued-intermediate", nil) { shape in
            // RFC 5280 §6.1.4 b: the names of a self-issued intermediate are not constrained.
            shape.constrain("critical,permitted;DNS:example.com")
            shape.intermediates[0].commonName = "Root"
        },
    ]
}
