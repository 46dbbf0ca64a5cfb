// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import Testing

@testable import TernEngine

@Suite struct DestinationTests {
    struct Reading: Sendable, CustomTestStringConvertible {
        let url, scheme, host, hostField, target: String
        let port: UInt16
        var testDescription: String { url }

        init(_ url: String, _ scheme: String, _ host: String, _ port: UInt16, _ hostField: String, _ target: String) {
            (self.url, self.scheme, self.host, self.port) = (url, scheme, host, port)
            (self.hostField, self.target) = (hostField, target)
        }
    }

    @Test(arguments: [
        Reading("http://example.com", "http", "example.com", 80, "example.com", "/"),
        Reading("https://example.com/", "https", "example.com", 443, "example.com", "/"),
        Reading("HTTP://EXAMPLE.Com/A", "http", "example.com", 80, "example.com", "/A"),
        Reading("http://example.com:80/", "http", "example.com", 80, "example.com", "/"),
        Reading("http://example.com:443/", "http", "example.com", 443, "example.com:443", "/"),
        Reading("https://example.com:80/", "https", "example.com", 80, "example.com:80", "/"),
        Reading("http://example.com:/x", "http", "example.com", 80, "example.com", "/x"),
        Reading("http://example.com:065535/", "http", "example.com", 65535, "example.com:65535", "/"),
        Reading("http://example.com?q=1", "http", "example.com", 80, "example.com", "/?q=1"),
        Reading("http://example.com#top", "http", "example.com", 80, "example.com", "/"),
        Reading("http://example.com?a#b?c", "http", "example.com", 80, "example.com", "/?a"),
        Reading(
            "http://example.com/a/../b;c=%2f?d=e&f#g", "http", "example.com", 80, "example.com", "/b;c=%2f?d=e&f"),
        Reading("http://example.com//double", "http", "example.com", 80, "example.com", "//double"),
        Reading("http://user:secret@example.com/", "http", "example.com", 80, "example.com", "/"),
        Reading("http://a%40b@example.com:81/", "http", "example.com", 81, "example.com:81", "/"),
        Reading("http://user@[::1]:82/", "http", "::1", 82, "[::1]:82", "/"),
        Reading("http://example.com/@evil.example/", "http", "example.com", 80, "example.com", "/@evil.example/"),
        Reading("http://example.com?@evil.example", "http", "example.com", 80, "example.com", "/?@evil.example"),
        Reading("http://example.com#@evil.example", "http", "example.com", 80, "example.com", "/"),
        Reading("http://127.0.0.1:8080/", "http", "127.0.0.1", 8080, "127.0.0.1:8080", "/"),
        Reading("https://[2001:DB8::1]/", "https", "2001:db8::1", 443, "[2001:db8::1]", "/"),
        Reading("http://[::ffff:127.0.0.1]:1/", "http", "::ffff:127.0.0.1", 1, "[::ffff:127.0.0.1]:1", "/"),
        Reading("http://localhost./", "http", "localhost.", 80, "localhost.", "/"),
        Reading("http://a_b-c.example/", "http", "a_b-c.example", 80, "a_b-c.example", "/"),
    ])
    func `reads`(_ reading: Reading) throws {
        let destination = try Destination(absoluteString: reading.url)
        #expect("\(destination.origin.scheme)" == reading.scheme)
        #expect(destination.origin.host == reading.host)
        #expect(destination.origin.port == reading.port)
        #expect(destination.origin.hostField == reading.hostField)
        #expect(destination.target == .origin(reading.target))
    }

    @Test(arguments: [
        ("/.", "/"), ("/..", "/"), ("/../../a", "/a"), ("/a/./b", "/a/b"), ("/a/b/..", "/a/"), ("/a/.//b", "/a//b"),
        ("/a/%2e%2E/b", "/b"), ("/a/.%2e/b", "/b"), ("/a/%2e./b", "/b"), ("/a/%2E/b", "/a/b"), ("/a/%2e", "/a/"),
        ("/.a/..b/...", "/.a/..b/..."), ("/a/..%2fb", "/a/..%2fb"), ("/a/%252e%252e/b", "/a/%252e%252e/b"),
        ("/a..//.b", "/a..//.b"), ("/a/..;b/c", "/a/..;b/c"), ("/a?/../b", "/a?/../b"), ("?/./", "/?/./"),
        ("/a/..#/b/..", "/"),
    ])
    func `sends no dot segments, whether dots or their escapes, but those of a URL as typed`(path: String, sent: String)
        throws
    {
        let url = "http://h" + path
        #expect(try Destination(absoluteString: url).target == .origin(sent))
        let typed = path.prefix { $0 != "#" }
        let asTyped = try Destination(absoluteString: url, isTyped: true).target
        #expect(asTyped == .origin((typed.hasPrefix("/") ? "" : "/") + typed))
    }

    @Test(arguments: [
        ("", InvalidRequest.unsupportedScheme("")), ("example.com/a", .unsupportedScheme("")),
        ("/only/a/path", .unsupportedScheme("")), ("ftp://example.com/", .unsupportedScheme("ftp")),
        ("file:///etc/passwd", .unsupportedScheme("file")), ("javascript:alert(1)", .unsupportedScheme("javascript")),
        ("http2://example.com", .unsupportedScheme("http2")), (" http://example.com", .unsupportedScheme("")),
        ("127.0.0.1:8080", .unsupportedScheme("")), ("[::1]:80/", .unsupportedScheme("")),
        ("://a/", .unsupportedScheme("")),
        ("localhost:8080", .unsupportedScheme("localhost")),
        ("http:", .invalidHost("")), ("http:example.com", .invalidHost("")), ("http:/example.com", .invalidHost("")),
        ("http://", .invalidHost("")), ("http:///path", .invalidHost("")), ("http://:80/", .invalidHost("")),
        ("http://user@/", .invalidHost("")), ("http://?q", .invalidHost("")), ("http://#f", .invalidHost("")),
        ("http://a b/", .invalidHost("a b")), ("http://a%20b/", .invalidHost("a%20b")),
        ("http://ex\u{e4}mple.com/", .invalidHost("ex\u{e4}mple.com")), ("http://a\\b/", .invalidHost("a\\b")),
        ("http://good.example\\@evil.example\\/", .invalidHost("evil.example\\")),
        ("http://a\r\nb/", .invalidHost("a\r\nb")), ("http://a\0b/", .invalidHost("a\0b")),
        ("http://user@\u{301}evil.example/", .invalidHost("\u{301}evil.example")),
        ("http://[::1/", .invalidHost("[::1")), ("http://[::1]x/", .invalidHost("[::1]x")),
        ("http://[]/", .invalidHost("[]")), ("http://[example.com]/", .invalidHost("[example.com]")),
        ("http://[127.0.0.1]/", .invalidHost("[127.0.0.1]")),
        ("http://[fe80::1%25]/", .invalidHost("[fe80::1%25]")),
        ("http://[fe80::1%eth0]/", .invalidHost("[fe80::1%eth0]")),
        ("http://example.com:0/", .invalidPort("0")), ("http://example.com:65536/", .invalidPort("65536")),
        ("http://example.com:-1/", .invalidPort("-1")), ("http://example.com:+80/", .invalidPort("+80")),
        ("http://example.com:80:90/", .invalidPort("80:90")), ("http://example.com:http/", .invalidPort("http")),
        ("http://example.com:99999999999999999999/", .invalidPort("99999999999999999999")),
        ("http://[::1]:x/", .invalidPort("x")),
        ("http://a@b@example.com/", .ambiguousUserinfo), ("http://a@b:80@[::1]/", .ambiguousUserinfo),
        ("http://@@b/", .ambiguousUserinfo), ("http://a@b@", .ambiguousUserinfo),
    ])
    func `refuses`(_ url: String, _ reason: InvalidRequest) {
        #expect(throws: reason) { try Destination(absoluteString: url) }
    }

    @Test func `refuses a name longer than DNS has them, and no shorter one`() throws {
        let label = String(repeating: "a", count: 61) + "."
        let longest = String(repeating: label, count: 4) + "abcde."
        #expect(longest.utf8.count == 254)
        #expect(try Destination(absoluteString: "http://\(longest)/").origin.host == longest)
        #expect(throws: InvalidRequest.invalidHost(longest + "b")) {
            try Destination(absoluteString: "http://\(longest)b/")
        }
    }
}
