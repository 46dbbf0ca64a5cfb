// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernTesting

@Suite struct ReceivedRequestTests {
    private func request(_ head: String) -> ReceivedRequest {
        ReceivedRequest(connection: 1, index: 0, head: Array(head.utf8))
    }

    @Test func `takes the request line apart`() {
        let request = request("GET /a?b HTTP/1.1\r\n\r\n")
        #expect([request.method, request.target, request.version] == ["GET", "/a?b", "HTTP/1.1"])
    }

    @Test func `keeps order, repeats and case of fields`() {
        let request = request("GET / HTTP/1.1\r\nAccept:a\r\nhost: \t h \r\naCCEPT: b:c\r\n\r\n")
        #expect(request.fields.map(\.name) == ["Accept", "host", "aCCEPT"])
        #expect(request.values(of: "accept") == ["a", "b:c"])
        #expect(request.value(of: "Host") == "h")
        #expect(request.value(of: "Cookie") == nil)
    }

    @Test func `an empty head has no words`() {
        #expect(request("").method == "")
        #expect(request("\r\n").target == "")
    }
}

@Suite struct ReceivedRequestFramingTests {
    private func request(_ head: String) -> ReceivedRequest {
        ReceivedRequest(connection: 1, index: 0, head: Array(head.utf8))
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\n\r\n", false), ("GET / HTTP/1.1\r\nHost: localhost\r\nCookie: abcdefgh\r\n\r\n", false),
        ("POST / HTTP/1.1\r\nHost: a\r\ncOntent-length: 1\r\n\r\n", true),
        ("POST / HTTP/1.1\r\ntransfer-Encoding: chunked\r\n\r\n", true), ("", false), ("\n", false),
    ])
    func `knows which heads announce no body`(head: String, expected: Bool) {
        #expect(request(head).announcesBody == expected)
    }
}

@Suite struct RequestReaderTests {
    private let chunked =
        "PUT /p HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n5;x=y\r\nhello\r\nA\r\n0123456789\r\n0\r\nSum: 1\r\n\r\n"
    private let sized = "POST /q HTTP/1.1\r\nX: 1\r\ncontent-length:  4 \r\n\r\nbody"

    @Test func `reads bodies however they are cut`() async throws {
        let wire = Array((chunked + sized).utf8)
        let origin = try ScriptedOrigin { _, _ in [.ok(".")] }
        for cut in 1..<wire.count {
            let client = try RawClient(port: origin.port)
            client.send(Array(wire[..<cut]))
            client.send(Array(wire[cut...]))
            _ = client.receive(until: ".")
        }
        let total = 2 * (wire.count - 1)
        #expect(await origin.waitFor { $0.requestCount == total })
        for request in origin.requests {
            #expect(request.isComplete)
            #expect(request.bodyText == (request.index == 0 ? "hello0123456789" : "body"))
            #expect(request.trailers == (request.index == 0 ? [.init(name: "Sum", value: "1")] : []))
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
        "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
    ])
    func `refuses framing it does not know`(head: String) async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let client = try RawClient(port: origin.port)
        client.send(head)
        #expect(client.receiveAll().text == "")
        #expect(await origin.waitFor { $0.malformedRequests == 1 && $0.requestCount == 0 })
    }
}
