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
