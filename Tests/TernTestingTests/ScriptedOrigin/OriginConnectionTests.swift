// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@Suite struct OriginConnectionTests {
    @Test func `answers pipelined requests one after another`() throws {
        let origin = try ScriptedOrigin { _, request in [.ok(request.target)] }
        let client = try RawClient(port: origin.port)
        client.send("GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n")
        #expect(client.receive(until: "/b").hasSuffix("/b"))
        #expect(origin.requests.map(\.target) == ["/a", "/b"])
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

    @Test func `closes a connection whose request makes no sense`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let client = try RawClient(port: origin.port)
        client.send("POST / HTTP/1.1\r\nContent-Length: +5\r\n\r\n12345")
        #expect(client.receiveAll().text == "")
        #expect(await origin.waitFor { $0.malformedRequests == 1 })
    }
}
