// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct HTTPCookieTests {
    @Test func `a program's cookie has only characters that a field may have`() {
        let make = { HTTPCookie(name: $0, value: $1, domain: $2, path: $3) }
        #expect(make("a", "b", ".Example.com", "/")?.domain == ".example.com")
        for (name, value, domain, path) in [
            ("a=", "b", "c", "/"), ("a;", "b", "c", "/"), ("a", "b;c", "c", "/"), ("a", "b\r\nX: y", "c", "/"),
            ("a", "b", "", "/"), ("a", "b", "c d", "/"), ("a", "b", "c", "x"),
            ("a", "b", "c", ""), ("a", "b", "c..", "/"),
            ("a", "b", "c", "/;"), ("", "", "c", "/"), ("a", String(repeating: "b", count: 4096), "c", "/"),
        ] {
            #expect(make(name, value, domain, path) == nil, "\(name) \(value) \(domain) \(path)")
        }
    }

    @Test func `each part of an identity keeps cookies apart, in a storage and in a file`() throws {
        let cookie = try #require(HTTPCookie(name: "n", value: "v", domain: "a.test", path: "/p"))
        let others = [
            "name": HTTPCookie(name: "m", value: "v", domain: "a.test", path: "/p"),
            "domain": HTTPCookie(name: "n", value: "v", domain: ".a.test", path: "/p"),
            "path": HTTPCookie(name: "n", value: "v", domain: "a.test", path: "/q"),
        ].compactMapValues { $0 }
        // A new part needs a line above.
        #expect(Set(Mirror(reflecting: cookie.identity).children.compactMap(\.label)) == Set(others.keys))
        let storage = HTTPCookieStorage()
        for cookie in [cookie] + others.values { storage.setCookie(cookie) }
        let all = Set([cookie] + others.values)
        #expect(Set(storage.cookies ?? []) == all && all.count == others.count + 1)
        #expect(Set(CookieText(CookieText.bytes(of: Array(all)), now: Date()).cookies) == all)
        // Nothing else does.
        storage.setCookie(
            try #require(
                HTTPCookie(
                    name: "n", value: "w", domain: "a.test", path: "/p", expiresDate: Date(timeIntervalSinceNow: 60),
                    isSecure: true, isHTTPOnly: true, sameSitePolicy: .lax)))
        #expect(storage.cookies?.count == all.count)
    }

    @Test func `descriptions do not show the value`() throws {
        let cookie = try #require(HTTPCookie(name: "id", value: "secret", domain: "a.test"))
        var dumped = ""
        dump(cookie, to: &dumped)
        #expect(!"\(cookie)\(String(reflecting: cookie))\(dumped)".contains("secret"))
    }

    @Test func `fields of responses and requests are converted as in Foundation`() throws {
        let url = try #require(URL(string: "https://a.test/"))
        let fields = ["set-cookie": "a=1; Expires=Fri, 31 Dec 9999 23:59:59 GMT, b=2; Path=/x", "Other": "c=3"]
        let cookies = HTTPCookie.cookies(withResponseHeaderFields: fields, for: url)
        #expect(cookies.map(\.name) == ["a", "b"])
        #expect(cookies.last?.path == "/x")
        #expect(HTTPCookie.requestHeaderFields(with: cookies) == ["Cookie": "a=1; b=2"])
        #expect(HTTPCookie.requestHeaderFields(with: []).isEmpty)
    }
}
