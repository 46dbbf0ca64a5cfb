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
            response.allHeaderFields as? [String: String] == [
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
        let fields = (response as? HTTPURLResponse)?.allHeaderFields
        #expect(fields?["Content-Type"] as? String == "text/plain")
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

    @Test func `a response that is not of HTTP has what it was made with`() throws {
        let url = try #require(URL(string: http))
        let one = URLResponse(url: url, mimeType: "Text/HTML", expectedContentLength: 33, textEncodingName: "UTF-8")
        #expect(!(one is HTTPURLResponse))
        #expect(one.mimeType == "Text/HTML" && one.expectedContentLength == 33 && one.textEncodingName == "UTF-8")
        #expect(one.url == url && one.suggestedFilename == "b.txt")
        let other = URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
        #expect(other.mimeType == nil && other.expectedContentLength == -1 && other.textEncodingName == nil)
        let charset = URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: "utf-8")
        #expect(charset.mimeType == nil && charset.textEncodingName == "utf-8")
        let odd = URLResponse(url: url, mimeType: "a\r\nb: c", expectedContentLength: 1, textEncodingName: nil)
        #expect(odd.mimeType == "a\r\nb: c" && "\(odd)" == "http://example.com/a/b.txt")
        let relative = URLResponse(
            url: try #require(URL(string: "a/b.c")), mimeType: nil, expectedContentLength: -5, textEncodingName: nil)
        #expect(relative.suggestedFilename == "b.c" && relative.expectedContentLength == -5)
        #expect(one == one && one != other && one.copy() as? any URLResponse == one)
        #expect(one.isEqual(one) && !one.isEqual(other) && !one.isEqual(nil) && one.hash == one.hash)
    }

    @Test func `responses of both kinds are compared, and so is none`() throws {
        let of200: any URLResponse = try #require(try response([:]))
        let of404: any URLResponse = try #require(try response([:], status: 404))
        let plain: (any URLResponse)? = URLResponse(
            url: try #require(URL(string: http)), mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
        let none: (any URLResponse)? = nil
        #expect(of200 == of200 && of200 != of404 && of200 != plain && plain == plain)
        #expect(none == nil && none != plain && plain != nil && plain != none && none == none)
        #expect([of200, of404].contains { $0 == of404 })
    }

    @Test func `what did not come by HTTP is seen as it was made`() async throws {
        final class Plain: URLProtocol {
            override class func canInit(with request: URLRequest) -> Bool { true }

            override func startLoading() {
                guard let url = request.url else { return }
                let response = URLResponse(
                    url: url, mimeType: "Text/X", expectedContentLength: 2, textEncodingName: "Latin1")
                client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
                client?.urlProtocol(self, didLoad: Data("ab".utf8))
                client?.urlProtocolDidFinishLoading(self)
            }
        }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Plain.self]
        let session = URLSession(configuration: configuration)
        let (data, response) = try await session.data(from: try #require(URL(string: http)))
        #expect(data == Data("ab".utf8) && !(response is HTTPURLResponse))
        #expect(response.mimeType == "Text/X" && response.textEncodingName == "Latin1" && response.url?.query == "q=1")
        let text = try #require(URL(string: "data:text/HTML;charset=UTF-8,abc"))
        let (_, contained) = try await URLSession(configuration: .ephemeral).data(from: text)
        #expect(!(contained is HTTPURLResponse) && contained.mimeType == "text/HTML")
        #expect(contained.textEncodingName == "UTF-8" && contained.expectedContentLength == 3)
        let cached = CachedURLResponse(response: response, data: data)
        #expect(cached.response == response && cached.response != contained)
    }

    @Test func `a program has a response of its own`() async throws {
        struct Own: URLResponse {
            let url: URL?
            let mimeType: String? = "a/b"
            let expectedContentLength: Int64 = 1
            let textEncodingName: String? = nil
            let suggestedFilename: String? = "own"
            let hash = 1
            let description = "own"

            func isEqual(_ value: Any?) -> Bool { value is Own }
        }
        for url in [nil, URL(string: http)] {
            let own = Own(url: url)
            #expect(CachedURLResponse(response: own, data: Data()).response == own)
        }
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
