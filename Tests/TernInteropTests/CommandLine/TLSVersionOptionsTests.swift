// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import TernTLS
import Testing

@testable import TernCLI

@Suite struct TLSVersionOptionsTests {
    @Test(
        arguments: [
            ([], TLSProtocolVersion.v1_2, TLSProtocolVersion.v1_3), (["--tlsv1.3"], .v1_3, .v1_3),
            (["--tls-max", "1.2"], .v1_2, .v1_2), (["--tls-max", "1.3"], .v1_2, .v1_3),
            (["--tls-max", "default"], .v1_2, .v1_3), (["--tlsv1.0"], .v1_2, .v1_3), (["-1"], .v1_2, .v1_3),
        ] as [([String], TLSProtocolVersion, TLSProtocolVersion)])
    func `old versions are never spoken, and new ones where they are allowed`(
        arguments: [String], minimum: TLSProtocolVersion, maximum: TLSProtocolVersion
    ) throws {
        var settings = TLSSettings()
        try TLSVersionOptions.parse(arguments).apply(to: &settings)
        #expect(settings.minimumVersion == minimum)
        #expect(settings.maximumVersion == maximum)
    }

    @Test(arguments: [["--tls-max", "1.1"], ["--tls-max", ""], ["--tlsv1.3", "--tls-max", "1.2"]])
    func `versions that leave none are refused`(arguments: [String]) {
        #expect(throws: (any Error).self) { try TLSVersionOptions.parse(arguments) }
    }
}
