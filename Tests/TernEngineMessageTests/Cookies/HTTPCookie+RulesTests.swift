// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct HTTPCookieRulesTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func cookie(_ field: String, from url: String = "https://www.example.com/a/b") throws -> HTTPCookie? {
        let origin = try #require(URL(string: url).flatMap { CookieOrigin($0) })
        return SetCookie(field).flatMap { HTTPCookie($0, from: origin, now: now) }
    }

    @Test func `without attributes a cookie is for the host and folder that set it, until the session ends`() throws {
        let cookie = try #require(try cookie("a=b"))
        #expect(cookie.domain == "www.example.com")
        #expect(cookie.path == "/a")
        #expect(cookie.isSessionOnly && !cookie.isSecure && !cookie.isHTTPOnly && cookie.sameSitePolicy == nil)
        #expect(cookie.text == "a=b")
        #expect(try self.cookie("nameless")?.text == "nameless")
    }

    @Test(arguments: [
        ("www.example.com", ".www.example.com"), ("example.com", ".example.com"), (".EXAMPLE.com", ".example.com"),
        ("com", nil), ("other.com", nil), ("a.www.example.com", nil), ("xample.com", nil), ("exämple.com", nil),
        ("example.com.", nil), ("..example.com", nil), ("\u{212A}.com", nil),
    ])
    func `a domain is one that the host lies in, and no public suffix`(domain: String, stored: String?) throws {
        #expect(try cookie("a=b; Domain=\(domain)")?.domain == stored)
    }

    @Test func `a host that is a public suffix, or an address, sets cookies for itself alone`() throws {
        #expect(try cookie("a=b; Domain=localhost", from: "http://localhost/")?.domain == "localhost")
        #expect(try cookie("a=b; Domain=co.uk", from: "http://co.uk/")?.domain == "co.uk")
        #expect(try cookie("a=b; Domain=127.0.0.1", from: "http://127.0.0.1/")?.domain == "127.0.0.1")
        #expect(try cookie("a=b; Domain=0.0.1", from: "http://127.0.0.1/") == nil)
        #expect(try cookie("a=b", from: "http://[::1]/")?.domain == "::1")
    }

    @Test(arguments: ["github.io", "co.uk", "test"]) func `a final dot leads around no public suffix`(suffix: String)
        throws
    {
        for domain in [suffix, suffix + "."] {
            #expect(try cookie("a=b; Domain=\(domain)", from: "http://me.\(suffix)./") == nil)
            let foreign = try #require(HTTPCookie(name: "a", value: "b", domain: "." + domain))
            let (storage, url) = (HTTPCookieStorage(), try #require(URL(string: "http://me.\(suffix)./")))
            storage.setCookies([foreign], for: url, mainDocumentURL: nil)
            #expect(storage.cookies == [])
        }
        #expect(try cookie("a=b", from: "http://me.\(suffix)./")?.domain == "me.\(suffix)")
    }

    @Test func `prefixes are compared as ASCII, and names as bytes`() throws {
        #expect(try cookie("__\u{17F}ecure-a=b")?.name == "__\u{17F}ecure-a")
        let composed = try #require(HTTPCookie(name: "\u{E9}", value: "1", domain: "a.test"))
        let decomposed = try #require(HTTPCookie(name: "e\u{301}", value: "1", domain: "a.test"))
        #expect(composed != decomposed)
        let storage = HTTPCookieStorage()
        for cookie in [composed, decomposed] { storage.setCookie(cookie) }
        #expect(storage.cookies?.count == 2)
    }

    @Test func `a plain origin sets no cookie with Secure`() throws {
        #expect(try cookie("a=b; Secure", from: "http://www.example.com/") == nil)
        #expect(try cookie("a=b; Secure")?.isSecure == true)
    }

    @Test(arguments: [
        ("__Secure-a=b", false), ("__Secure-a=b; Secure", true), ("__SECURE-a=b", false),
        ("__Host-a=b; Secure; Path=/", true), ("__Host-a=b; Secure", false), ("__host-a=b; Path=/", false),
        ("__Host-a=b; Secure; Path=/; Domain=example.com", false),
        ("__Host-a=b; Secure; Path=/; Domain=www.example.com", false), ("=__Host-a; Secure; Path=/", false),
        ("__Secure-b; Secure", false), ("a=b; SameSite=None", false), ("a=b; SameSite=None; Secure", true),
    ])
    func `a prefix keeps what it promises, and so does SameSite=None`(field: String, isTaken: Bool) throws {
        #expect((try cookie(field) != nil) == isTaken)
    }

    @Test func `Max-Age comes before Expires, and 400 days are the most`() throws {
        let past = "Expires=Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(try cookie("a=b; Max-Age=60; \(past)")?.expiresDate == now.addingTimeInterval(60))
        #expect(try cookie("a=b; \(past)")?.hasEnded(by: now) == true)
        #expect(try cookie("a=b; Max-Age=0")?.hasEnded(by: now) == true)
        #expect(try cookie("a=b; Max-Age=-99999999999999999999")?.hasEnded(by: now) == true)
        let latest = now.addingTimeInterval(400 * 86400)
        #expect(try cookie("a=b; Max-Age=99999999999999999999")?.expiresDate == latest)
        #expect(try cookie("a=b; Expires=Fri, 31 Dec 9999 23:59:59 GMT")?.expiresDate == latest)
    }
}
