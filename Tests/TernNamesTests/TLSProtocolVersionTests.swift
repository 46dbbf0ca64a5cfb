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

    @Test func `a version has its number`() {
        #expect(tls_protocol_version_t.TLSv12.rawValue == 0x0303 && tls_protocol_version_t.TLSv13.rawValue == 0x0304)
        #expect(tls_protocol_version_t(rawValue: 0x0304) == .TLSv13 && tls_protocol_version_t(rawValue: 0x0301) == nil)
    }
}
