// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernAlamofire
import Testing

@Suite struct HTTPCookieTests {
    @Test func `properties make a cookie, and a cookie has properties`() throws {
        let end = Date(timeIntervalSince1970: 4_000_000_000)
        let properties: [HTTPCookiePropertyKey: Any] = [
            .name: "foo", .value: "bar", .domain: ".Example.com", .path: "/post", .expires: end, .secure: "TRUE",
            .sameSitePolicy: "Lax",
        ]
        let cookie = try #require(HTTPCookie(properties: properties))
        #expect(cookie.domain == ".example.com")
        #expect(cookie.isSecure && !cookie.isHTTPOnly && !cookie.isSessionOnly)
        #expect(cookie.sameSitePolicy == .lax)
        #expect(try HTTPCookie(properties: #require(cookie.properties)) == cookie)
    }

    @Test func `a URL stands in for host and path, and Max-Age comes before Expires`() throws {
        let cookie = try #require(
            HTTPCookie(properties: [
                .name: "a", .value: 1, .originURL: "https://www.example.com/x/y", .maximumAge: "60",
                .expires: Date.distantPast,
            ]))
        #expect(cookie.domain == "www.example.com" && cookie.path == "/" && cookie.value == "1")
        #expect(try #require(cookie.expiresDate).timeIntervalSinceNow > 50)
        let text = "Sun, 06 Nov 1994 08:49:37 GMT"
        let ended = HTTPCookie(properties: [.name: "a", .value: "", .domain: "b", .path: "/", .expires: text])
        #expect(ended?.expiresDate == Date(timeIntervalSince1970: 784_111_777))
        let session = HTTPCookie(
            properties: [.name: "a", .value: "", .domain: "b", .path: "/", .expires: text, .discard: "TRUE"])
        #expect(session?.isSessionOnly == true)
    }

    @Test func `a date that is not a number is a text, and no end`() {
        let date = Date(timeIntervalSince1970: .nan)
        let cookie = HTTPCookie(properties: [
            .name: "a", .value: date, .domain: "d.example", .path: "/", .maximumAge: date, .expires: date,
            .version: date,
        ])
        #expect(cookie?.value == "nan")
    }

    @Test(arguments: [HTTPCookiePropertyKey.name, .value, .domain, .path])
    func `without a required property there is no cookie`(key: HTTPCookiePropertyKey) {
        var properties: [HTTPCookiePropertyKey: Any] = [.name: "a", .value: "b", .domain: "c", .path: "/"]
        #expect(HTTPCookie(properties: properties) != nil)
        properties[key] = nil
        #expect(HTTPCookie(properties: properties) == nil)
    }

    // What FoundationNetworking prints, but for ports with a space before them, which it leaves out.
    @Test func `version, comment and ports are those of the properties`() throws {
        let cookie = { (more: [HTTPCookiePropertyKey: Any]) throws -> HTTPCookie in
            let all: [HTTPCookiePropertyKey: Any] = [.name: "a", .value: "b", .domain: "c", .path: "/"]
            return try #require(HTTPCookie(properties: all.merging(more) { $1 }))
        }
        let whole = try cookie([
            .version: "1", .comment: "hi", .commentURL: "http://a.b/c", .port: "80, 8080,x,99999",
        ])
        #expect(whole.version == 1 && whole.comment == "hi" && whole.portList == [80, 8080])
        #expect(whole.commentURL == URL(string: "http://a.b/c"))
        #expect(whole.properties?[.version] as? Int == 1 && whole.properties?[.port] as? [NSNumber] == [80, 8080])
        #expect(try HTTPCookie(properties: #require(whole.properties)) == whole && whole != cookie([:]))
        let storage = HTTPCookieStorage()
        storage.setCookie(whole)
        #expect(storage.cookies?.first?.comment == "hi")
        #expect(storage.description == "<NSHTTPCookieStorage cookies count:1>")
        #expect(try cookie([.version: "7"]).version == 0 && cookie([.port: ""]).portList == nil)
        #expect(
            try cookie([.port: [80, 81] as [NSNumber]]).portList == [80, 81] && cookie([.port: "x"]).portList == nil)
        let plain = try cookie([:])
        #expect(plain.version == 0 && plain.comment == nil && plain.commentURL == nil && plain.portList == nil)
        #expect(plain.properties?[.version] as? Int == 0 && plain.properties?.keys.contains(.comment) == false)
    }

    @Test func `version, comment and ports are those of a server, too`() throws {
        let url = try #require(URL(string: "http://www.example.com/"))
        let fields = ["Set-Cookie": "a=1; Comment=hi; CommentURL=http://a.b/c; Port=\"80,81\"; Version=1,\n b=2, c=3"]
        let cookies = HTTPCookie.cookies(withResponseHeaderFields: fields, for: url)
        #expect(cookies.map(\.name) == ["a", "b", "c"] && cookies.map(\.version) == [1, 0, 0])
        #expect(cookies.first?.comment == "hi" && cookies.first?.portList == [80, 81])
        #expect(cookies.first?.commentURL == URL(string: "http://a.b/c") && cookies.last?.comment == nil)
    }

    @Test func `a domain of a dot is kept`() {
        let properties: [HTTPCookiePropertyKey: Any] = [.name: "a", .value: "b", .domain: ".", .path: "/"]
        #expect(HTTPCookie(properties: properties)?.domain == ".")
    }

    @Test func `default sessions share cookies, and ephemeral ones have their own`() throws {
        #expect(URLSessionConfiguration.default.httpCookieStorage === HTTPCookieStorage.shared)
        let (one, other) = (URLSessionConfiguration.ephemeral, URLSessionConfiguration.ephemeral)
        #expect(one.httpCookieStorage != nil && one.httpCookieStorage !== other.httpCookieStorage)
        one.httpCookieAcceptPolicy = .never
        one.httpShouldSetCookies = false
        #expect(one.value.httpCookieAcceptPolicy == .never && !one.value.httpShouldSetCookies)
    }

    @Test func `the cookies of a task are those of its URL`() throws {
        let storage = HTTPCookieStorage()
        let session = URLSession(configuration: .ephemeral)
        let task = session.dataTask(with: URLRequest(url: try #require(URL(string: "http://a.test/"))))
        let cookies = ["a.test", "b.test"].compactMap { HTTPCookie(name: "a", value: "1", domain: $0) }
        storage.storeCookies(cookies, for: task)
        var found: [HTTPCookie]?
        storage.getCookiesFor(task) { found = $0 }
        #expect(found == [cookies[0]])
        #expect(storage.cookies == [cookies[0]])
        task.cancel()
    }
}

extension HTTPCookieTests {
    @Test func `each group has a storage, and sorts its cookies`() throws {
        let storage = HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: "\(UUID())")
        let name = "\(UUID())"
        let same = HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: name)
        #expect(same === HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: name))
        #expect(storage !== same && storage !== HTTPCookieStorage.shared && storage.cookieAcceptPolicy == .always)
        for name in ["b", "c", "a"] {
            storage.setCookie(try #require(HTTPCookie(name: name, value: "1", domain: "a.test")))
        }
        let byName = NSSortDescriptor(keyPath: \HTTPCookie.name, ascending: false)
        #expect(storage.sortedCookies(using: [byName]).map(\.name) == ["c", "b", "a"])
        let names: [NSNotification.Name] = [
            .NSHTTPCookieManagerCookiesChanged, .NSHTTPCookieManagerAcceptPolicyChanged,
        ]
        #expect(names.map(\.rawValue).allSatisfy { $0.hasPrefix("NSHTTPCookieManager") })
    }
}
