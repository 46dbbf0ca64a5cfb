// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernAlamofire
import Testing

@Suite struct TLSProtocolVersionTests {
    @Test func `the oldest version of a configuration is that of its TLS settings`() {
        var configuration = SessionConfiguration.default
        configuration.tlsMinimumSupportedProtocolVersion = .TLSv13
        #expect(configuration.tls.minimumVersion == tls_protocol_version_t.v1_3)
        configuration.tls.minimumVersion = .v1_2
        #expect(configuration.tlsMinimumSupportedProtocolVersion == .TLSv12)
    }
}
