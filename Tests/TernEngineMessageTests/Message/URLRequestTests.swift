// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine

@Suite(.timeLimit(.minutes(5))) struct URLRequestTests {
    private func request(_ url: String = "http://user:secret@example.com/path?token=secret") throws -> URLRequest {
        URLRequest(url: try #require(URL(string: url)))
    }

    @Test func `begins as a GET without fields and body`() throws {
        let request = try request()
        #expect(request.httpMethod == "GET")
        #expect(request.headers.isEmpty)
        #expect(request.allHTTPHeaderFields == nil)
        #expect(request.httpBody == nil)
        #expect(request.timeouts == nil)
        #expect(request.host == "example.com")
    }

    @Test func `a URL in a string is checked as written`() throws {
        let request = try URLRequest(string: "http://EXAMPLE.com/a b?c")
        #expect(request.host == "example.com")
        for (text, words) in [
            ("", "it has no URL"), ("example.com", "the URL has no scheme"), ("127.0.0.1:80", "the URL has no scheme"),
            ("http://local host/", "\"local host\" is not a host name: it has a space in it"),
            ("http://[::1/", "\"[::1\" is not a host name: a bracket is not closed"),
            ("http://\u{301}n/", "\"\u{301}n\" is not a host name: names beyond ASCII are spelled as xn--\u{2026}"),
            ("http://h:x/", "\"x\" is not a port from 1 to 65535"),
            ("file:///x", "the scheme \"file\" is not http or https"),
        ] {
            let error = #expect(throws: InvalidRequest.self) { try URLRequest(string: text) }
            #expect(error?.description == words)
        }
    }

    @Test func `blanks and line ends around a URL are left out, and none within`() throws {
        for text in ["http://a.test/b\n", " http://a.test/b", "\t\r\n http://a.test/b \r\n"] {
            #expect(try URLRequest(string: text).url?.absoluteString == "http://a.test/b")
        }
        #expect(try URLRequest(string: " http://a.test/b c ").url?.absoluteString == "http://a.test/b%20c")
        #expect(throws: InvalidRequest.self) { try URLRequest(string: " \n") }
    }

    /// As swift-corelibs-foundation does.
    @Test func `get, head, post, put, delete and connect are sent in capitals, and other methods as written`() throws {
        var request = try request("http://one.example/")
        for (method, sent) in [
            ("get", "GET"), ("Head", "HEAD"), ("pOst", "POST"), ("put", "PUT"), ("delete", "DELETE"),
            ("connect", "CONNECT"), ("patch", "patch"), ("Options", "Options"), ("trace", "trace"),
            ("g\u{131}t", "g\u{131}t"),
        ] {
            request.httpMethod = method
            #expect(request.httpMethod == sent)
        }
        request.setMethod(asTyped: "get")
        #expect(request.httpMethod == "get")
    }

    @Test func `copies are independent whatever changes`() throws {
        var original = try request("http://one.example/")
        original.addValue("1", forHTTPHeaderField: "X-One")
        original.httpBody = Data([1])
        var copy = original
        copy.url = URL(string: "http://two.example/")
        copy.httpMethod = "POST"
        copy.setValue("2", forHTTPHeaderField: "X-One")
        copy.addValue("3", forHTTPHeaderField: "X-Two")
        copy.httpBody = Data([2])
        copy.timeouts = Timeouts(idle: nil)
        copy.unixSocket = try UnixSocketName(path: "/run/web.sock")
        #expect(original.url?.absoluteString == "http://one.example/")
        #expect(original.host == "one.example")
        #expect(original.httpMethod == "GET")
        #expect(original.headers == ["X-One": "1"])
        #expect(original.httpBody == Data([1]))
        #expect(original.timeouts == nil)
        #expect(original.unixSocket == nil)
        original.httpMethod = "DELETE"
        #expect(copy.host == "two.example")
        #expect(copy.httpMethod == "POST")
        #expect(copy.headers == ["X-One": "2", "X-Two": "3"])
        #expect(copy.httpBody == Data([2]))
        #expect(copy.timeouts == Timeouts(idle: nil))
        #expect(copy.unixSocket?.path == "/run/web.sock")
    }

    @Test func `copies in many tasks at once are independent`() async throws {
        let original = try request("http://one.example/")
        await withTaskGroup(of: Bool.self) { group in
            for index in 0..<100 {
                group.addTask {
                    var copy = original
                    for round in 0..<50 { copy.setValue("\(index).\(round)", forHTTPHeaderField: "X-Index") }
                    return copy.value(forHTTPHeaderField: "x-index") == "\(index).49"
                }
            }
            for await isRight in group { #expect(isRight) }
        }
        #expect(original.headers.isEmpty)
    }

    @Test func `keeps order, case and repeats of fields, and finds them in any case`() throws {
        var request = try request()
        request.headers.append("x-B", "1")
        request.headers.append("X-a", "2")
        request.headers.append("X-b", "3")
        #expect(request.headers.map(\.name) == ["x-B", "X-a", "X-b"])
        #expect(request.value(forHTTPHeaderField: "X-B") == "1, 3")
        #expect(request.allHTTPHeaderFields == ["x-B": "1, 3", "X-a": "2"])
        request.addValue("5", forHTTPHeaderField: "x-A")
        request.addValue("6", forHTTPHeaderField: "X-c")
        #expect(request.headers.map(\.value) == ["1", "2,5", "3", "6"])
        request.setValue(nil, forHTTPHeaderField: "X-C")
        request.setValue("4", forHTTPHeaderField: "X-B")
        #expect(request.headers.map(\.name) == ["x-B", "X-a"])
        request.setValue("2", forHTTPHeaderField: "x-a")
        #expect(request.headers.map(\.value) == ["4", "2"])
        request.setValue(nil, forHTTPHeaderField: "x-b")
        #expect(request.headers == ["X-a": "2"])
        request.allHTTPHeaderFields = ["B": "2", "A": "1"]
        #expect(request.headers == ["A": "1", "B": "2"])
        request.allHTTPHeaderFields = nil
        #expect(request.headers.isEmpty)
    }

    @Test func `takes GET for no method`() throws {
        var request = try request()
        request.httpMethod = "PUT"
        request.httpMethod = nil
        #expect(request.httpMethod == "GET")
    }

    @Test func `shows neither userinfo nor query nor fields`() throws {
        var request = try request()
        request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
        request.httpBody = Data("secret".utf8)
        #expect("\(request)" == "GET http://example.com/path")
        request.url = nil
        #expect(!"\(request)".contains("secret"))
    }
}
