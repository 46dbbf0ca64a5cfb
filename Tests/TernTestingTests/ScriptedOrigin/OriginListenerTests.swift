// SPDX-License-Identifier: Apache-2.0
import Glibc
import TernTesting
import Testing

@Suite struct OriginListenerTests {
    private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `listens at a Unix domain socket too, with a file or without`() throws {
        let path = "/tmp/tern-origin-\(getpid())"
        var configuration = ScriptedOrigin.Configuration()
        for (address, name) in [
            (ScriptedOrigin.Configuration.Address.unix(path: path), Array(path.utf8)),
            (.abstract(name: path), [0] + Array(path.utf8)),
        ] {
            configuration.address = address
            var origin: ScriptedOrigin? = try ScriptedOrigin(configuration) { _, _ in [.ok("here")] }
            #expect(origin?.port == 0)
            #expect(origin?.url("/x") == "http://localhost/x")
            let client = try RawClient(unix: name)
            client.send(get)
            #expect(client.receive(until: "here").hasSuffix("\r\n\r\nhere"))
            // The second listener takes nothing away from the first.
            #expect(throws: ScriptedOriginError.system(call: "bind", errno: EADDRINUSE)) {
                try ScriptedOrigin(configuration) { _, _ in [] }
            }
            _ = try RawClient(unix: name)
            origin = nil
            #expect(throws: RawClient.Unconnected.self) { try RawClient(unix: name) }
            #expect(unsafe access(path, F_OK) == -1)
        }
    }

    @Test func `listens on IPv6 when asked to`() throws {
        var configuration = ScriptedOrigin.Configuration()
        configuration.address = .ipv6
        let origin = try ScriptedOrigin(configuration) { _, _ in [] }
        #expect(origin.url("/x") == "http://[::1]:\(origin.port)/x")
    }

    @Test func `says when the port is taken`() throws {
        let origin = try ScriptedOrigin { _, _ in [] }
        var configuration = ScriptedOrigin.Configuration()
        configuration.port = origin.port
        #expect(throws: ScriptedOriginError.system(call: "bind", errno: EADDRINUSE)) {
            _ = try ScriptedOrigin(configuration) { _, _ in [] }
        }
    }
}
