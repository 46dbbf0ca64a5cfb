// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct HTTPURLResponseTests {
    private func response(_ head: String) async throws -> HTTPURLResponse {
        let origin = try ScriptedOrigin { _, _ in [.send(head + "\r\n\r\n"), .close] }
        return try await Session.limited().data(for: URLRequest(origin)).1
    }

    @Test func `shows the head as it came`() async throws {
        let response = try await response(
            "HTTP/1.1 203 Not Quite\r\nX-b: 1\r\nSet-Cookie: a=1\r\nx-B: 2\r\nset-cookie: b=2\r\nContent-Length: 0")
        #expect(response.statusCode == 203)
        #expect(response.reasonPhrase == "Not Quite")
        #expect(response.headers.map(\.name) == ["X-b", "Set-Cookie", "x-B", "set-cookie", "Content-Length"])
        #expect(response.headers.values(for: "Set-Cookie") == ["a=1", "b=2"])
        #expect(response.value(forHTTPHeaderField: "x-b") == "1, 2")
        #expect(response.value(forHTTPHeaderField: "X-C") == nil)
        #expect(response.value(forHTTPHeaderField: "SET-Cookie") == "a=1, b=2")
        #expect(response.allHeaderFields == ["X-b": "1, 2", "Set-Cookie": "a=1, b=2", "Content-Length": "0"])
        #expect(response.expectedContentLength == 0)
        #expect(response.url != nil)
    }

    @Test func `announces no length without one`() async throws {
        #expect(try await response("HTTP/1.1 200 OK").expectedContentLength == -1)
    }

    @Test(arguments: [("GET", 200, 5), ("HEAD", 200, nil), ("GET", 304, nil)] as [(String, Int, Int?)])
    func `expects no body where the length is that of another response`(
        method: String, status: Int, length: Int?
    ) async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.send("HTTP/1.1 \(status) X\r\nContent-Length: 5\r\n\r\n" + (length == nil ? "" : "hello"))]
        }
        let request = try URLRequest(origin, method: method)
        let response = try await Session.limited().data(for: request).1
        #expect(response.bodyLength(answering: request) == length)
        #expect(response.expectedContentLength == 5)
    }

    @Test(
        arguments: [
            ("text/html", "text/html"), ("Text/HTML; charset=utf-8", "text/html"),
            (" application/json ;x", "application/json"),
            ("", nil), ("; charset=utf-8", nil),
        ] as [(String, String?)])
    func `returns the media type`(_ value: String, _ type: String?) async throws {
        #expect(try await response("HTTP/1.1 200 OK\r\nContent-Type: \(value)").mimeType == type)
    }
}
