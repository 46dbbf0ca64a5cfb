// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import TernEngine
import TernTLS

/// The allowed versions of TLS, with curl's option names.
struct TLSVersionOptions: ParsableArguments {
    @Flag(
        name: [
            .customShort("1"), .customLong("tlsv1"), .customLong("tlsv1.0"), .customLong("tlsv1.1"),
            .customLong("tlsv1.2"),
        ], help: "Use TLS 1.2 or later (always the case).")
    var speaksUsual = false

    @Flag(name: .customLong("tlsv1.3"), help: "Speak TLS 1.3 or later.")
    var speaksLatest = false

    @Option(
        name: .customLong("tls-max"),
        help: ArgumentHelp("The maximum TLS version: 1.2, 1.3 or default.", valueName: "version"))
    var maximum: String?

    func validate() throws {
        guard let maximum else { return }
        guard ["1.2", "1.3", "default"].contains(maximum) else {
            throw ValidationError("--tls-max \(maximum): give 1.2, 1.3 or default")
        }
        if speaksLatest, maximum == "1.2" {
            throw ValidationError("--tlsv1.3 and --tls-max 1.2 leave no version: give one of them")
        }
    }

    func apply(to configuration: inout TLSSettings) {
        if speaksLatest { configuration.minimumVersion = .v1_3 }
        if maximum == "1.2" { configuration.maximumVersion = .v1_2 }
    }
}
