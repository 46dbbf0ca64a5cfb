// SPDX-License-Identifier: Apache-2.0

import Glibc
import TernTesting
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

    @Test func `answers pipelined requests one after another`() throws {
        let origin = try ScriptedOrigin { _, request in [.ok(request.target)] }
        let client = try RawClient(port: origin.port)
        client.send("GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n")
        #expect(client.receive(until: "/b").hasSuffix("/b"))
        #expect(origin.requests.map(\.target) == ["/a", "/b"])
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

    @Test func `acts on a connection before it reads`() throws {
        let origin = try ScriptedOrigin(onAccept: { _ in [.send("early"), .closeAbruptly] }) { _, _ in [] }
        let (text, end) = try RawClient(port: origin.port).receiveAll()
        #expect(text == "early")
        #expect(end == .fin)
    }

    @Test func `can answer before the body has come`() async throws {
        let origin = try ScriptedOrigin(onHead: { _, _ in [.receive(5), .respond(status: 413), .close] }) { _, _ in
            [.ok("never")]
        }
        let client = try RawClient(port: origin.port)
        client.send("POST / HTTP/1.1\r\nContent-Length: 1000\r\n\r\n12345")
        #expect(client.receiveAll().text.hasPrefix("HTTP/1.1 413"))
        #expect(await origin.waitFor { $0.requests.count == 1 })
        #expect(origin.requests.first?.isComplete == false)
        #expect(origin.observations.requestCount == 0)
    }

    @Test func `tells a waiting client to continue`() throws {
        let origin = try ScriptedOrigin { _, request in [.ok(request.bodyText)] }
        let client = try RawClient(port: origin.port)
        client.send("POST / HTTP/1.1\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n")
        #expect(client.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        client.send("hi")
        #expect(client.receive(until: "hi").hasPrefix("HTTP/1.1 200"))
    }

    @Test func `sees how the client closes`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        try RawClient(port: origin.port).finishSending()
        #expect(await origin.waitFor { $0.closes.map(\.kind) == [.fin] })
        try RawClient(port: origin.port).armReset()
        #expect(await origin.waitFor { $0.closes.map(\.kind) == [.fin, .reset] })
    }

    @Test func `closes a connection whose request makes no sense`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let client = try RawClient(port: origin.port)
        client.send("POST / HTTP/1.1\r\nContent-Length: +5\r\n\r\n12345")
        #expect(client.receiveAll().text == "")
        #expect(await origin.waitFor { $0.malformedRequests == 1 })
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

    @Test func `ends held connections and refuses new ones after a stop`() throws {
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        let client = try RawClient(port: origin.port)
        client.send(get)
        origin.stop()
        #expect(client.receiveAll().end != .silence)
        #expect(throws: RawClient.Unconnected.self) { _ = try RawClient(port: origin.port) }
        origin.stop()
    }

    @Test func `stops when it is not referenced any more`() throws {
        var origin: ScriptedOrigin? = try ScriptedOrigin { _, _ in [] }
        let port = try #require(origin?.port)
        let client = try RawClient(port: port)
        origin = nil
        #expect(client.receiveAll().end != .silence)
        #expect(throws: RawClient.Unconnected.self) { _ = try RawClient(port: port) }
    }

    @Test func `can be stopped by its own script`() throws {
        final class Box: @unchecked Sendable { var origin: ScriptedOrigin? }  // written once, before any request
        let box = Box()
        let origin = try ScriptedOrigin { _, _ in
            box.origin?.stop()
            return [.ok("late")]
        }
        box.origin = origin
        let client = try RawClient(port: origin.port)
        client.send(get)
        #expect(client.receiveAll().end != .silence)
        box.origin = nil
    }

    @Test func `remembers the latest requests and counts all`() throws {
        var configuration = ScriptedOrigin.Configuration()
        configuration.rememberedRequests = 2
        let origin = try ScriptedOrigin(configuration) { _, request in [.ok("<\(request.index)>")] }
        let client = try RawClient(port: origin.port)
        for index in 0..<9 {
            client.send(get)
            #expect(client.receive(until: "<\(index)>").hasSuffix("<\(index)>"))
        }
        #expect(origin.observations.requestCount == 9)
        #expect((2...4).contains(origin.requests.count))
        #expect(origin.requests.last?.index == 8)
    }
}
