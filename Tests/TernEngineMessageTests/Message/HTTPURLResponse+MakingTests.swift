// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import TernEngine

@Suite struct HTTPURLResponseMakingTests {
    private let url: URL

    init() throws { url = try #require(URL(string: "http://localhost/path")) }

    @Test func `Foundation's initialiser makes what Foundation's does`() throws {
        let response = try #require(
            HTTPURLResponse(
                url: url, statusCode: 201, httpVersion: "HTTP/1.0",
                headerFields: ["Content-Type": "text/plain; charset=utf-8", "Content-Length": "3"]))
        #expect(response.url == url)
        #expect(response.statusCode == 201)
        #expect(response.head.version == HTTPVersion(major: 1, minor: 0))
        #expect(response.mimeType == "text/plain")
        #expect(response.expectedContentLength == 3)
        #expect(response.headers.map(\.name) == ["Content-Length", "Content-Type"])
        let bare = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
        #expect(bare?.headers.isEmpty == true)
    }

    @Test(
        arguments: [
            (-1, [:]), (1000, [:]), (200, ["a b": "c"]), (200, ["A": "b\r\nC: d"]), (200, ["": "b"]),
        ] as [(Int, [String: String])])
    func `what cannot stand in a head is nil`(status: Int, fields: [String: String]) {
        #expect(HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: fields) == nil)
    }

    @Test func `fields in order are kept in order, with repeats`() throws {
        let response = try HTTPURLResponse(
            url: nil, statusCode: 200, reasonPhrase: "Fine", headers: ["Set-Cookie": "b", "A": "1", "set-cookie": "a"])
        #expect(response.headers.values(for: "Set-Cookie") == ["b", "a"])
        #expect(response.reasonPhrase == "Fine")
        #expect(throws: HTTPProtocolError.self) { try HTTPURLResponse(url: nil, statusCode: 0) }
    }

    @Test func `responses with one head keep their own URLs and histories`() throws {
        let urls = try (0..<3).map { try #require(URL(string: "http://a.test/\($0)")) }
        let first = try HTTPURLResponse(url: urls[0], statusCode: 200, headers: ["A": "1"])
        let second = HTTPURLResponse(url: urls[1], head: first.head, history: [first])
        let third = HTTPURLResponse(url: nil, head: second.head)
        #expect(first.url == urls[0] && first.history.isEmpty)
        #expect(second.url == urls[1] && second.history.map(\.url) == [urls[0]])
        #expect(third.url == nil && third.history.isEmpty && third.headers["A"] == "1")
    }

    @Test func `a response keeps the URL of its request when the request changes`() throws {
        var request = try URLRequest(string: "http://a.test/1")
        let head = try HTTPURLResponse(url: nil, statusCode: 200).head
        let response = TaskHistory(request).response(head)
        request.url = URL(string: "http://a.test/2")
        request.httpMethod = "PUT"
        #expect(response.url?.absoluteString == "http://a.test/1" && response.history.isEmpty)
    }

}
