// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestPrograms
import Testing

@Suite struct ScriptedOriginTests {
    private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `answers requests on one connection as the script says`() throws {
        let origin = try ScriptedOrigin { connection, request in [.ok("\(connection).\(request.index)")] }
        let client = try RawClient(port: origin.port)
        client.send(get)
        #expect(client.receive(until: "1.0").hasSuffix("Content-Length: 3\r\n\r\n1.0"))
        client.send(get)
        #expect(client.receive(until: "1.1").hasSuffix("\r\n\r\n1.1"))
        #expect(origin.connectionCount == 1)
        #expect(origin.requests.map(\.index) == [0, 1])
    }

    @Test func `counts connections from one`() async throws {
        let origin = try ScriptedOrigin { connection, _ in [.ok("\(connection)"), .close] }
        for number in 1...3 {
            let client = try RawClient(port: origin.port)
            client.send(get)
            #expect(client.receiveAll().text.hasSuffix("\r\n\r\n\(number)"))
        }
        #expect(await origin.waitFor { $0.connectionCount == 3 && $0.openConnections == 0 })
    }
}

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
