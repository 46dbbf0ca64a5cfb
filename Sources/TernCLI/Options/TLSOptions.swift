// SPDX-License-Identifier: Apache-2.0
import TernEngine
import TernTLS

/// The allowed versions of TLS and its extensions, with curl's option names.
struct TLSVersionOptions: OptionGroup, Equatable {
    static var table: OptionTable<Self> {
        OptionTable(
            .flag(
                "-1", "--tlsv1", "--tlsv1.0", "--tlsv1.1", "--tlsv1.2", help: "Use TLS 1.2 or later (always the case)."
            ) { $0.speaksUsual = true },
            .flag("--tlsv1.3", help: "Speak TLS 1.3 or later.") { $0.speaksLatest = true },
            .value("--tls-max", as: "version", help: "The maximum TLS version: 1.2, 1.3 or default.") {
                $0.maximum = $1.text
            },
            .toggle("--no-sessionid", help: "Resume no session of an earlier connection.") { $0.isResuming = !$1 },
            .toggle("--no-alpn", help: "Do not tell the server that HTTP/1.1 follows.") { $0.namesProtocol = !$1 })
    }

    var speaksUsual = false
    var speaksLatest = false
    var maximum: String?
    var isResuming = true
    var namesProtocol = true

    func validate() throws {
        guard let maximum else { return }
        guard ["1.2", "1.3", "default"].contains(maximum) else {
            throw UsageError("--tls-max \(maximum): give 1.2, 1.3 or default")
        }
        if speaksLatest, maximum == "1.2" {
            throw UsageError("--tlsv1.3 and --tls-max 1.2 leave no version: give one of them")
        }
    }

    func apply(to configuration: inout TLSSettings) {
        if speaksLatest { configuration.minimumVersion = .v1_3 }
        if maximum == "1.2" { configuration.maximumVersion = .v1_2 }
        configuration.resumesSessions = isResuming
        if !namesProtocol { configuration.applicationProtocols = [] }
    }
}

/// The offered algorithms of TLS, with curl's option names and OpenSSL's names of algorithms.
struct TLSAlgorithmOptions: OptionGroup, Equatable {
    static var table: OptionTable<Self> {
        OptionTable(
            .value(
                "--ciphers", as: "list",
                help: "Offer these cipher suites of TLS 1.2, as openssl-ciphers(1) names them, joined by \":\"."
            ) { $0.cipherList = $1.text },
            .value(
                "--tls13-ciphers", as: "list",
                help: "Offer these cipher suites of TLS 1.3, such as TLS_AES_256_GCM_SHA384, joined by \":\"."
            ) { $0.cipherSuites = $1.text },
            .value(
                "--curves", as: "list", help: "Exchange keys in these groups, such as X25519:P-256, joined by \":\"."
            ) { $0.groups = $1.text })
    }

    var cipherList: String?
    var cipherSuites: String?
    var groups: String?

    func apply(to configuration: inout TLSSettings) {
        configuration.cipherList = cipherList
        configuration.cipherSuites = cipherSuites
        configuration.groups = groups
    }
}
