// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import TernEngine

@Suite struct CookieOriginTests {
    @Test(arguments: [
        ("example.com", "example.com", true), ("www.example.com", "example.com", true),
        ("a.b.example.com", "example.com", true), ("example.com", "www.example.com", false),
        ("badexample.com", "example.com", false), ("example.com", "com", true), ("127.0.0.1", "127.0.0.1", true),
        ("127.0.0.1", "0.0.1", false), ("127.0.0.1", "1", false), (".example.com", "example.com", false),
        ("example.com.", "example.com", true), ("www.example.com.", "example.com", true),
        ("www.example.com", "example.com.", false), ("ex\u{301}ample.com", "example.com", false),
    ])
    func `a host lies within its domains, and an address within none`(host: String, domain: String, isWithin: Bool) {
        #expect(CookieOrigin(secureHost: host).isWithin(domain: domain) == isWithin)
    }

    @Test(arguments: [
        ("/", "/", true), ("/a", "/", true), ("/a", "/a", true), ("/a/", "/a", true), ("/a/b", "/a", true),
        ("/ab", "/a", false), ("/a", "/a/", false), ("/a/b", "/a/", true), ("/", "/a", false),
    ])
    func `a path lies within its folders`(path: String, prefix: String, isWithin: Bool) {
        let other = CookiePath(prefix.utf8)
        #expect(CookiePath(path.utf8).isWithin(other.hash, size: other.count) { Array(prefix.utf8) } == isWithin)
    }

    @Test(arguments: [("/", "/"), ("/a", "/"), ("/a/", "/a"), ("/a/b/c", "/a/b"), ("/a/b?c=/d/e", "/a")])
    func `the default path ends before the last slash, and queries are not part of it`(target: String, path: String)
        throws
    {
        let url = try #require(URL(string: "http://a.test\(target)"))
        #expect(CookieOrigin(url)?.defaultPath == path)
    }

    @Test(arguments: [
        ("localhost", true), ("LocalHost.", true), ("a.b.localhost", true), ("127.0.0.1", true), ("127.8.9.10", true),
        ("[::1]", true), ("[0:0:0:0:0:0:0:1]", true), ("[::ffff:127.0.0.1]", true), ("notlocalhost", false),
        ("localhost.test", false), ("128.0.0.1", false), ("127.0.0.1.test", false), ("[::2]", false),
    ])
    func `this machine is secure without TLS`(host: String, isSecure: Bool) throws {
        #expect(CookieOrigin(try #require(URL(string: "http://\(host)/")))?.isSecure == isSecure)
    }

    @Test func `elsewhere only https is secure, and other schemes have no cookies`() throws {
        #expect(CookieOrigin(try #require(URL(string: "https://A.test:8443/x")))?.isSecure == true)
        #expect(CookieOrigin(try #require(URL(string: "http://A.test/x")))?.isSecure == false)
        for host in ["A.test", "a.test."] {
            #expect(CookieOrigin(try #require(URL(string: "http://\(host)/x")))?.host == "a.test")
        }
        #expect(CookieOrigin(try #require(URL(string: "ftp://a.test/x"))) == nil)
    }
}
