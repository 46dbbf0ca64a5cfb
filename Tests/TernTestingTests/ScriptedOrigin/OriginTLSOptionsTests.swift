// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import Testing
import TestPrograms

@Suite struct OriginTLSOptionsTests {
    private let identity: Identity

    init() throws { identity = try CertificateAuthority().issue(.localhost) }

    /// `openssl s_client` does not verify the server unless it is told to.
    @Test(arguments: [(ScriptedOrigin.TLSOptions.Version.tls12, "TLSv1.2"), (.tls13, "TLSv1.3")])
    func `keeps to one version`(version: ScriptedOrigin.TLSOptions.Version, name: String) async throws {
        let origin = try ScriptedOrigin(tls: identity, tlsOptions: .only(version)) { _, _ in [.ok()] }
        _ = try await Command.run(["openssl", "s_client", "-connect", "127.0.0.1:\(origin.port)"])
        #expect(await origin.waitFor { $0.handshakes.map(\.version) == [name] })
    }

    @Test(arguments: [(2, 5), (0, 0)])
    func `resumes sessions unless configured not to`(tickets: Int, resumed: Int) async throws {
        var options = ScriptedOrigin.TLSOptions.only(.tls12)
        options.sessionTickets = tickets
        let origin = try ScriptedOrigin(tls: identity, tlsOptions: options) { _, _ in [] }
        _ = try await Command.run(["openssl", "s_client", "-reconnect", "-connect", "127.0.0.1:\(origin.port)"])
        #expect(await origin.waitFor { $0.handshakes.count == 6 })
        #expect(origin.observations.handshakes.count(where: \.isResumed) == resumed)
    }
}
