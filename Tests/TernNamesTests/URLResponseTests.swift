// SPDX-License-Identifier: Apache-2.0
// What FoundationNetworking prints stands here as the expected values.
import Foundation
import TernAlamofire
import TernURLSessionNames
import TernTesting
import Testing

@Suite struct URLResponseTests {
    private let url = URL(filePath: "/").absoluteURL
    private let http = "http://example.com/a/b.txt?q=1"

    private func response(_ fields: [String: String]?, _ version: String? = nil, status: Int = 200) throws
        -> HTTPURLResponse?
    {
        HTTPURLResponse(
            url: try #require(URL(string: http)), statusCode: status, httpVersion: version, headerFields: fields)
    }

    @Test(arguments: ["HTTP/1.1", "1.1", "HTTP/2", "HTTP/1.0", "", "x", nil])
    func `any version makes a response`(version: String?) throws {
        #expect(try response([:], version)?.statusCode == 200)
    }

    @Test func `a status has three digits, and is any`() throws {
        #expect(try [0, 7, 99, 100, 999].map { try response(nil, status: $0)?.statusCode } == [0, 7, 99, 100, 999])
        #expect(try [-1, 1000].map { try response(nil, status: $0)?.statusCode } == [nil, nil])
    }

    @Test func `fields that frame content may contradict each other`() throws {
        let both = try #require(try response(["Content-Length": "7", "Transfer-Encoding": "chunked"]))
        #expect(both.expectedContentLength == 7 && both.allHeaderFields.count == 2)
        let lengths = try ["0", "abc", "99999999999999999999", "5"].map {
            try response(["Content-Length": $0])?.expectedContentLength
        }
        #expect(lengths == [0, -1, -1, 5])
    }

    @Test func `names of standards are found as they are written there`() throws {
        let response = try #require(
            try response([
                "content-type": "text/html; charset=ISO-8859-4", "etag": "a", "www-authenticate": "b", "x-FOO-bar": "1",
            ]))
        #expect(
            response.allHeaderFields == [
                "Content-Type": "text/html; charset=ISO-8859-4", "Etag": "a", "WWW-Authenticate": "b", "x-FOO-bar": "1",
            ])
        #expect(response.value(forHTTPHeaderField: "CONTENT-type") == "text/html; charset=ISO-8859-4")
        #expect(response.headers.map(\.name).contains("content-type"))
    }

    @Test func `what a server writes in lower case is found too`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.send(Array("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 0\r\n\r\n".utf8))]
        }
        let (_, response) = try await URLSession(configuration: .ephemeral).data(from: origin.url().asURL())
        #expect(response.allHeaderFields["Content-Type"] == "text/plain")
    }

    @Test(arguments: [
        ("text/html; charset=ISO-8859-4", "text/html", "iso-8859-4"),
        ("Text/HTML;charset=\"UTF-8\"; x=y", "text/html", "utf-8"),
        ("text/plain; charset", "text/plain", nil), ("text/plain ; charset = utf-8", "text/plain", "utf-8"),
        ("text/plain; charset='utf-8'", "text/plain", "'utf-8'"), ("text/", "text/", nil), ("", nil, nil),
        ("text/plain; charset=", "text/plain", nil),
    ])
    func `type and charset are those of the field`(field: String, type: String?, charset: String?) throws {
        let response = try #require(try response(["Content-Type": field]))
        #expect(response.mimeType == type && response.textEncodingName == charset)
    }

    @Test func `a response that came from nowhere has what it was made with`() throws {
        let url = try #require(URL(string: http))
        let one = URLResponse(url: url, mimeType: "text/html", expectedContentLength: 33, textEncodingName: "utf-8")
        #expect(one.mimeType == "text/html" && one.expectedContentLength == 33 && one.textEncodingName == "utf-8")
        #expect(one.url == url && one.suggestedFilename == "b.txt")
        let other = URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
        #expect(other.mimeType == nil && other.expectedContentLength == -1 && other.textEncodingName == nil)
        let charset = URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: "utf-8")
        #expect(charset.mimeType == nil && charset.textEncodingName == "utf-8")
        let odd = URLResponse(url: url, mimeType: "a\r\nb: c", expectedContentLength: 1, textEncodingName: nil)
        #expect(odd.mimeType == nil)
        #expect(one == one && one != other && one.copy() as? URLResponse == one)
        #expect(Set([one, one, other]).count == 2)
    }

    @Test func `a status has its words`() {
        let statuses = [
            -1, 0, 100, 103, 200, 204, 207, 299, 302, 306, 308, 404, 408, 413, 418, 422, 429, 451, 499, 500, 504, 507,
            511,
            599, 1000,
        ]
        #expect(
            statuses.map(HTTPURLResponse.localizedString(forStatusCode:)) == [
                "Server Error", "Server Error", "Continue", "Informational", "OK", "No Content", "Multi-Status",
                "Success", "Found", "Redirection", "Permanent Redirect", "Not Found", "Request Timeout",
                "Payload Too Large", "Client Error", "Unprocessable Entity", "Too Many Requests",
                "Unavailable For Legal Reasons", "Client Error", "Internal Server Error", "Gateway Timeout",
                "Insufficient Storage", "Network Authentication Required", "Server Error", "Server Error",
            ])
    }

    @Test func `cached responses are equal if response, data and policy are`() throws {
        let response = try #require(try response(["Cache-Control": "max-age=100"]))
        let one = CachedURLResponse(response: response, data: Data([1, 2, 3]))
        #expect(one == CachedURLResponse(response: response, data: Data([1, 2, 3])))
        #expect(one != CachedURLResponse(response: response, data: Data([1, 2, 4])))
        #expect(one != CachedURLResponse(response: response, data: Data([1, 2, 3]), storagePolicy: .notAllowed))
        #expect(one.storagePolicy == .allowed && one.userInfo == nil)
        let information: [AnyHashable: Any] = ["a": 1, 2: "b"]
        let other = CachedURLResponse(
            response: response, data: Data(), userInfo: information, storagePolicy: .allowedInMemoryOnly)
        #expect(other.userInfo?["a"] as? Int == 1 && other.userInfo?[2] as? String == "b")
        let none: [AnyHashable: Any]? = nil
        #expect(CachedURLResponse(response: response, data: Data(), userInfo: none).userInfo == nil)
    }

    @Test func `a cache says what it holds`() throws {
        let request = URLRequest(url: try #require(URL(string: http)))
        let cache = URLCache(memoryCapacity: 10_000, diskCapacity: 0, diskPath: nil)
        #expect(cache.currentMemoryUsage == 0 && cache.memoryCapacity == 10_000 && cache.diskCapacity == 0)
        let response = try #require(try response(["Cache-Control": "max-age=100"]))
        cache.storeCachedResponse(CachedURLResponse(response: response, data: Data([1, 2, 3])), for: request)
        #expect(cache.cachedResponse(for: request)?.data == Data([1, 2, 3]) && cache.currentMemoryUsage > 3)
    }
}
