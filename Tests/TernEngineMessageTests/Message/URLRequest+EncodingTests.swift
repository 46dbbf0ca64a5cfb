// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct URLRequestEncodingTests {
    struct Injection: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout URLRequest) -> Void
    }

    @Test func `the encoded head is the one that is sent`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        var request = try URLRequest(string: origin.url("/path?query"))
        request.addValue("1", forHTTPHeaderField: "X-One")
        let head = try request.encodedHead(.default)
        _ = try await Session().data(for: request)
        #expect(origin.requests.first?.head == head)
    }

    @Test func `is put on the wire as it was written, with what the session adds`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited { $0.httpAdditionalHeaders = ["Accept": "*/*", "X-Default": "session"] }
        var request = try URLRequest(origin, "/path?q#fragment", method: "PATCH", body: Data("body".utf8))
        request.headers.append("x-B", "1")
        request.headers.append("x-default", "mine")
        request.headers.append("X-b", "2")
        _ = try await session.data(for: request)
        let received = try #require(origin.requests.first)
        #expect(
            received.headText
                == "PATCH /path?q HTTP/1.1\r\nHost: 127.0.0.1:\(origin.port)\r\nx-B: 1\r\nx-default: mine\r\nX-b: 2\r\nAccept: */*\r\nAccept-Encoding: \(ContentCoding.acceptEncoding)\r\nContent-Length: 4\r\n\r\n"
        )
        #expect(received.bodyText == "body")
    }

    @Test func `never carries userinfo over the wire`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        _ = try await Session.limited().data(for: URLRequest(origin, host: "user:secret@127.0.0.1"))
        let received = try #require(origin.requests.first)
        #expect(!received.headText.contains("secret"))
        #expect(received.value(of: "Authorization") == nil)
    }

    @Test(
        arguments: [("POST", "0"), ("PUT", "0"), ("PATCH", "0"), ("GET", nil), ("DELETE", nil)] as [(String, String?)])
    func `announces that there is no body where one is expected`(method: String, length: String?) async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        _ = try await Session.limited().data(for: URLRequest(origin, method: method))
        #expect(origin.requests.first?.value(of: "Content-Length") == length)
    }

    @Test(arguments: [
        Injection(testDescription: "CRLF in a value") { $0.setValue("a\r\nX: y", forHTTPHeaderField: "A") },
        Injection(testDescription: "LF in a value") { $0.setValue("a\nX: y", forHTTPHeaderField: "A") },
        Injection(testDescription: "CR in a value") { $0.setValue("a\rX: y", forHTTPHeaderField: "A") },
        Injection(testDescription: "NUL in a value") { $0.setValue("a\0", forHTTPHeaderField: "A") },
        Injection(testDescription: "CRLF in a name") { $0.setValue("a", forHTTPHeaderField: "A\r\nX: y") },
        Injection(testDescription: "space in a name") { $0.setValue("a", forHTTPHeaderField: "A B") },
        Injection(testDescription: "empty name") { $0.setValue("a", forHTTPHeaderField: "") },
        Injection(testDescription: "CRLF in the method") { $0.httpMethod = "GET / HTTP/1.1\r\nX: y" },
        Injection(testDescription: "empty method") { $0.httpMethod = "" },
        Injection(testDescription: "two hosts") {
            $0.headers.append("Host", "a")
            $0.headers.append("host", "b")
        },
        Injection(testDescription: "other length") { $0.setValue("5", forHTTPHeaderField: "Content-Length") },
        Injection(testDescription: "chunked") { $0.setValue("chunked", forHTTPHeaderField: "Transfer-Encoding") },
        Injection(testDescription: "CONNECT") { $0.httpMethod = "CONNECT" },
    ])
    func `sends nothing of what could say more than it should`(_ injection: Injection) async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        var request = try URLRequest(origin)
        injection.change(&request)
        let error = try #require(await Session.limited().failure(of: request))
        guard case .unencodable? = error.reason.invalidity else {
            Issue.record("\(error)")
            return
        }
        #expect(error.phase == .request)
        #expect(!error.wasSent)
        #expect(origin.observations.bytesReceived == 0)
    }
}
