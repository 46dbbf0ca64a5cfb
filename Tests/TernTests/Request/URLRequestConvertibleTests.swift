// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TestProofs
import Testing

@Suite struct URLRequestConvertibleTests {
    private struct Failing: URLRequestConvertible {
        struct Reason: Error {}

        func asURLRequest() throws -> URLRequest { throw Reason() }
    }

    @Test func `a request has the method and the header fields it is made with`() throws {
        let request = try URLRequest(url: "http://x/", method: .patch, headers: ["B": "2", "A": "1"])
        #expect(request.httpMethod == "PATCH")
        #expect(request.headers.map(\.name) == ["A", "B"])
        #expect(request.urlRequest?.url?.absoluteString == "http://x/")
    }

    @Test func `what is no URL makes no request`() {
        #expect(throws: AFError.self) { try URLRequest(url: "", method: .get) }
    }

    @Test(.proves("9.2b")) func `what cannot be made into a request is none`() {
        #expect(Failing().urlRequest == nil)
    }
}

@Suite struct URLConvertibleTests {
    @Test(.proves("9.1a")) func `text, URLs and their components are convertible`() throws {
        let text = "https://example.com/a?b=c#d"
        let url = try #require(URL(string: text))
        let components = try #require(URLComponents(string: text))
        #expect(try text.asURL() == url)
        #expect(try url.asURL() == url)
        #expect(try components.asURL() == url)
    }

    @Test(arguments: [
        ("http://x/?ids[]=1&q=a%20b", "http://x/?ids%5B%5D=1&q=a%20b"),
        ("http://x/a b|ä%", "http://x/a%20b%7C%C3%A4%25"),
        ("http://bücher.localhost/y", "http://xn--bcher-kva.localhost/y"),
    ])
    func `a text is escaped as that of a request is`(text: String, url: String) throws {
        #expect(try text.asURL().absoluteString == url)
        #expect(try URLRequest(string: text).url?.absoluteString == url)
    }

    @Test(
        .proves("9.1b"),
        arguments: ["", "http://exa mple.com/", "http://[::1", "😃", "not a url", "/a b", "http://x:y/"])
    func `text that is no URL is refused`(text: String) {
        let error = #expect(throws: AFError.self) { try text.asURL() }
        #expect(error?.urlConvertible as? String == text)
    }

    @Test(.proves("9.1b")) func `components without a URL are refused`() {
        var components = URLComponents()
        components.host = "example.com"
        components.path = "relative"
        let error = #expect(throws: AFError.self) { try components.asURL() }
        #expect(error?.isInvalidURLError == true)
    }
}

@Suite struct HTTPMethodTests {
    @Test(.proves("9.3a")) func `the names are those of RFC 9110`() {
        let methods: [HTTPMethod] = [.options, .get, .head, .post, .put, .patch, .delete, .trace, .connect]
        #expect(
            methods.map(\.rawValue) == [
                "OPTIONS", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT",
            ])
    }

    @Test func `case matters`() {
        #expect(HTTPMethod(rawValue: "get") != .get)
        #expect(HTTPMethod(rawValue: "GET") == .get)
    }
}
