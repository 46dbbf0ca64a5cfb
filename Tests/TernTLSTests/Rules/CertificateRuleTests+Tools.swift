// SPDX-License-Identifier: Apache-2.0
import TernTesting

/// What common tools make without being asked for anything special: the standard profile accepts it all.
extension RuleCase {
    private static func tool(_ name: String, web: String?, _ change: (inout Shape) -> Void) -> RuleCase {
        RuleCase(name, standard: nil, web: web, change)
    }

    private static func ext(_ name: String, _ value: String?) -> CertificateExtension {
        CertificateExtension(name, value)
    }

    private static let noIdentifiers = [ext("subjectKeyIdentifier", nil), ext("authorityKeyIdentifier", nil)]
    private static let serverAndClient = ext("extendedKeyUsage", "serverAuth,clientAuth")
    private static let encipherment = ext("keyUsage", "critical,digitalSignature,keyEncipherment")

    static let tools: [RuleCase] = [
        tool("openssl x509 -req below openssl req -x509", web: "missing-authority-key-identifier") {
            $0.root.extensions = [ext("keyUsage", nil), ext("authorityKeyIdentifier", "keyid:always")]
            $0.leaf.commonName = "example.com"
            $0.leaf.extensions =
                noIdentifiers + [ext("basicConstraints", nil), ext("keyUsage", nil), ext("extendedKeyUsage", nil)]
        },
        tool("openssl ca with its configuration", web: "extended-key-usage") {
            $0.root.extensions = [ext("keyUsage", nil), ext("authorityKeyIdentifier", "keyid:always,issuer")]
            $0.leaf.commonName = "server"
            $0.leaf.extensions = [
                ext("basicConstraints", "CA:FALSE"), ext("nsComment", "OpenSSL Generated Certificate"),
                ext("keyUsage", nil), ext("extendedKeyUsage", nil), ext("authorityKeyIdentifier", "keyid,issuer"),
            ]
            $0.leaf.validity = .days(-1, to: 364)
        },
        tool("easy-rsa", web: "authority-key-identifier-form") {
            $0.root.extensions = [
                ext("basicConstraints", "CA:TRUE"), ext("keyUsage", "keyCertSign,cRLSign"),
                ext("authorityKeyIdentifier", "keyid:always,issuer:always"),
            ]
            $0.leaf.commonName = "server"
            $0.leaf.extensions = [
                ext("basicConstraints", "CA:FALSE"), ext("authorityKeyIdentifier", "keyid,issuer:always"),
                ext("keyUsage", "digitalSignature,keyEncipherment"),
            ]
            $0.leaf.validity = .days(-1, to: 824)
        },
        tool("mkcert", web: "common-name") {
            $0.root.extensions = [
                ext("basicConstraints", "critical,CA:TRUE,pathlen:0"), ext("keyUsage", "critical,keyCertSign"),
                ext("authorityKeyIdentifier", nil),
            ]
            $0.leaf.extensions = [ext("basicConstraints", nil), encipherment]
            $0.leaf.commonName = "mkcert development certificate"
            $0.leaf.dnsNames = ["example.com", "localhost"]
            $0.leaf.validity = .days(-1, to: 820)
        },
        tool("step-ca", web: nil) {
            $0.root.extensions = [
                ext("basicConstraints", "critical,CA:TRUE,pathlen:1"), ext("authorityKeyIdentifier", nil),
            ]
            $0.addIntermediate([ext("basicConstraints", "critical,CA:TRUE,pathlen:0")])
            $0.leaf.commonName = "example.com"
            $0.leaf.extensions = [
                serverAndClient, ext("basicConstraints", nil),
                ext("1.3.6.1.4.1.37476.9000.64.1", "DER:300B0201010403610000040000"),
            ]
            $0.leaf.validity = .days(-1, to: 1)
        },
        tool("minica", web: "validity-period") {
            $0.root.extensions = [
                ext("basicConstraints", "critical,CA:TRUE,pathlen:0"), serverAndClient,
                ext("keyUsage", "critical,digitalSignature,keyCertSign"),
            ]
            $0.leaf.commonName = "example.com"
            $0.leaf.extensions = [serverAndClient, encipherment]
            $0.leaf.validity = .days(-1, to: 760)
        },
        tool("cfssl", web: "common-name") {
            $0.root.extensions = [
                ext("basicConstraints", "critical,CA:TRUE,pathlen:2"), ext("authorityKeyIdentifier", nil),
            ]
            $0.addIntermediate([ext("basicConstraints", "critical,CA:TRUE,pathlen:1")])
            $0.leaf.commonName = "etcd"
            $0.leaf.extensions = [serverAndClient, encipherment]
            $0.leaf.ipAddresses = ["10.0.0.1"]
        },
        tool("kubeadm, authority of a Go before 1.15", web: "missing-authority-key-identifier") {
            $0.root.flaws.serialNumber = [0]
            $0.root.extensions =
                noIdentifiers + [ext("keyUsage", "critical,digitalSignature,keyEncipherment,keyCertSign")]
            $0.leaf.commonName = "kube-apiserver"
            $0.leaf.dnsNames = ["kubernetes", "kubernetes.default.svc", "example.com"]
            $0.leaf.ipAddresses = ["10.96.0.1"]
            $0.leaf.extensions = noIdentifiers + [ext("basicConstraints", nil), encipherment]
            $0.leaf.validity = .days(-1, to: 364)
        },
        tool("keytool -gencert before JDK 16", web: "missing-authority-key-identifier") {
            $0.root.extensions = [ext("authorityKeyIdentifier", nil), ext("keyUsage", nil)]
            $0.addIntermediate([ext("authorityKeyIdentifier", nil), ext("keyUsage", nil)])
            $0.leaf.commonName = "example.com"
            $0.leaf.extensions = [
                ext("authorityKeyIdentifier", nil), ext("basicConstraints", nil), ext("extendedKeyUsage", nil),
                ext("keyUsage", nil),
            ]
        },
        tool("openssl x509 -req with a key identifier, Istio's makefile", web: "missing-authority-key-identifier") {
            $0.addIntermediate([
                ext("authorityKeyIdentifier", nil), ext("basicConstraints", "critical,CA:TRUE,pathlen:0"),
                ext("keyUsage", "critical,digitalSignature,nonRepudiation,keyEncipherment,keyCertSign"),
                ext("subjectAltName", "DNS:istiod.istio-system.svc"),
            ])
            $0.leaf.extensions = [serverAndClient, encipherment]
        },
        tool("mitmproxy", web: "extended-key-usage") {
            $0.root.extensions = [
                ext("extendedKeyUsage", "serverAuth"), ext("authorityKeyIdentifier", nil),
                ext("keyUsage", "critical,keyCertSign,cRLSign"),
            ]
            $0.leaf.commonName = "example.com"
            $0.leaf.extensions = [ext("basicConstraints", nil), ext("keyUsage", nil)]
        },
        tool("Active Directory", web: "common-name") {
            $0.root.extensions = [
                ext("keyUsage", "digitalSignature,keyCertSign,cRLSign"), ext("authorityKeyIdentifier", nil),
                ext("1.3.6.1.4.1.311.21.1", "DER:020100"),
            ]
            $0.leaf.commonName = "SERVER01.example.com"
            $0.leaf.dnsNames = ["server01.example.com", "example.com"]
            $0.leaf.extensions = [
                ext("basicConstraints", nil), encipherment,
                ext("1.3.6.1.4.1.311.20.2", "DER:1E12005700650062005300650072007600650072"),
                ext("authorityInfoAccess", "caIssuers;URI:ldap:///CN=CA"),
            ]
        },
        tool("Let's Encrypt", web: nil) {
            $0.root.extensions = [ext("authorityKeyIdentifier", nil)]
            $0.addIntermediate([
                ext("basicConstraints", "critical,CA:TRUE,pathlen:0"), serverAndClient,
                ext("certificatePolicies", "DER:300A3008060667810C010201"),
                ext("crlDistributionPoints", "URI:http://x1.example/"),
                ext("authorityInfoAccess", "caIssuers;URI:http://x1.example/"),
            ])
            $0.leaf.dnsNames = []
            $0.leaf.extensions = [
                ext("subjectAltName", "critical,DNS:example.com"),
                ext("certificatePolicies", "DER:300A3008060667810C010201"),
                ext("authorityInfoAccess", "caIssuers;URI:http://x1.example/"),
            ]
            $0.leaf.validity = .days(-1, to: 40)
        },
    ]
}
