// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct HTTPCookieStorageTests {
    private let storage = HTTPCookieStorage()

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    private func cookie(_ name: String, _ domain: String) throws -> HTTPCookie {
        try #require(HTTPCookie(name: name, value: "1", domain: domain))
    }

    @Test func `cookies are stored, found by URL, and deleted`() throws {
        let (host, domain) = (try cookie("a", "www.example.com"), try cookie("b", ".example.com"))
        storage.setCookie(host)
        storage.setCookie(domain)
        #expect(storage.cookies == [host, domain])
        #expect(storage.cookies(for: try url("http://www.example.com/x")) == [host, domain])
        #expect(storage.cookies(for: try url("http://example.com/")) == [domain])
        #expect(storage.cookies(for: try url("mailto:a@example.com")) == nil)
        storage.deleteCookie(host)
        #expect(storage.cookies == [domain])
        storage.removeCookies(since: .distantPast)
        #expect(storage.cookies == [])
    }

    @Test func `the accept policy says whose cookies are taken`() throws {
        let (site, other) = (try url("https://shop.example.com/"), try url("https://tracker.test/"))
        storage.cookieAcceptPolicy = .onlyFromMainDocumentDomain
        storage.setCookies([try cookie("t", "tracker.test")], for: other, mainDocumentURL: site)
        #expect(storage.cookies == [])
        storage.setCookies(
            [try cookie("s", "shop.example.com")], for: site, mainDocumentURL: try url("https://www.example.com/"))
        #expect(storage.cookies?.map(\.name) == ["s"])
        storage.cookieAcceptPolicy = .never
        storage.setCookies([try cookie("u", "shop.example.com")], for: site, mainDocumentURL: nil)
        storage.receive([Array("v=1".utf8)], from: CookieOrigin(secureHost: "shop.example.com"))
        #expect(storage.cookies?.map(\.name) == ["s"])
    }

    @Test func `a URL sets no cookies for others`() throws {
        let foreign = [try cookie("a", "b.test"), try cookie("b", ".test"), try cookie("c", "www.a.test")]
        storage.setCookies(foreign, for: try url("https://a.test/"), mainDocumentURL: nil)
        #expect(storage.cookies == [])
    }

    @Test(arguments: ["a=1,b=2,c=3", "a=1, b=2, c=3", "a=1; Path=/,\n b=2,\r\nc=3; Comment=x"])
    func `several cookies in one field come out`(field: String) throws {
        let cookies = HTTPCookie.cookies(
            withResponseHeaderFields: ["set-cookie": field], for: try url("http://a.test/"))
        #expect(cookies.map(\.text) == ["a=1", "b=2", "c=3"])
    }

    @Test func `a comma before what is no token belongs to the value`() throws {
        for field in ["a=1, b c=2", "a=1, b[]=2"] {
            let cookies = HTTPCookie.cookies(
                withResponseHeaderFields: ["Set-Cookie": field], for: try url("http://a.test/"))
            #expect(cookies.map(\.text) == [field])
        }
    }

    @Test func `the domain of a dot is that of no host, and from a server of the host itself`() throws {
        let nowhere = try cookie("a", ".")
        #expect(nowhere.domain == "." && HTTPCookie(name: "a", value: "1", domain: "") == nil)
        storage.setCookie(nowhere)
        for host in ["a.test", "a.test.", "localhost", "127.0.0.1"] {
            #expect(storage.cookies(for: try url("http://\(host)/")) == [])
            #expect(storage.field(for: try URLRequest(string: "http://\(host)/")) == nil)
        }
        storage.setCookies([nowhere], for: try url("http://a.test/"), mainDocumentURL: nil)
        #expect(storage.cookies == [nowhere])
        storage.deleteCookie(nowhere)
        let fields = ["Set-Cookie": "a=1; Domain=."]
        let sent = HTTPCookie.cookies(withResponseHeaderFields: fields, for: try url("http://a.test/"))
        #expect(sent.map(\.domain) == ["a.test"] && storage.cookies == [])
    }

    @Test func `what a storage says that a request takes along is what it takes along`() throws {
        let requests = try ["https://a.test/p/q", "http://a.test/", "https://b.a.test/p", "https://c.test/"].map {
            try URLRequest(string: $0)
        }
        for number in 0..<170 { storage.setCookie(try cookie("n\(number)", "a.test")) }
        storage.setCookie(try cookie("wide", ".a.test"))
        let attributes: [(String, Bool)] = [("/p", false), ("/p/q", true), ("/x", false)]
        for (path, isSecure) in attributes {
            storage.setCookie(
                try #require(
                    HTTPCookie(name: "at", value: path, domain: ".a.test", path: path, isSecure: isSecure)))
        }
        for request in requests {
            let said = try #require(storage.cookies(for: request))
            let sent = storage.field(for: request).map { String(decoding: $0, as: UTF8.self) }
            #expect(HTTPCookie.requestHeaderFields(with: said)["Cookie"] == sent, "\(request)")
            #expect(storage.cookies(for: try #require(request.url)) == said)
        }
    }

    @Test func `an origin without cookies gets those that are set later`() throws {
        let request = try URLRequest(string: "https://h.example.com/")
        storage.receive([Array("a=1".utf8)], from: CookieOrigin(secureHost: "other.example"))
        #expect(storage.field(for: request) == nil)
        storage.receive([Array("b=2; Domain=example.com".utf8)], from: CookieOrigin(secureHost: "www.example.com"))
        #expect(storage.field(for: request) == Array("b=2".utf8))
    }

    @Test func `many threads share a storage`() async throws {
        await withTaskGroup { group in
            for thread in 0..<8 {
                group.addTask { [storage] in
                    guard let request = try? URLRequest(string: "https://h\(thread % 2).example.com/"),
                        let origin = CookieOrigin(request)
                    else { return }
                    for number in 0..<200 {
                        let field = "n\(number % 20)=\(thread); Domain=example.com"
                        storage.receive([Array(field.utf8)], from: origin)
                        _ = storage.field(for: request)
                    }
                }
            }
        }
        #expect(storage.cookies?.count == 20)
    }

    @Test func `of a response 50 fields are read`() throws {
        let fields = (0..<250).map { Array("n\($0)=1".utf8) }
        storage.receive(fields, from: CookieOrigin(secureHost: "a.test"))
        #expect(storage.cookies?.map(\.name) == (0..<50).map { "n\($0)" })
    }
}

@Suite struct CookieChangesTests {
    private func cookies(_ names: some Sequence<String>, _ value: String = "1") -> [HTTPCookie] {
        names.compactMap { HTTPCookie(name: $0, value: value, domain: "a.test") }
    }

    @Test func `the last change of a cookie counts, in the order of the changes`() {
        var changes = CookieChanges()
        #expect(changes.isEmpty)
        changes.append(cookies(["a", "b"]))
        changes.append(cookies(["c"]))
        changes.append(cookies(["a"], "2"))
        #expect(changes.cookies.map(\.text) == ["b=1", "c=1", "a=2"])
    }

    @Test func `changes that cannot be written do not grow for ever`() {
        var changes = CookieChanges()
        for number in 0..<13_000 { changes.append(cookies(["n\(number)"])) }
        #expect(changes.cookies.count <= 4 * CookieJar.maximumCount)
        #expect(changes.cookies.last?.name == "n12999")
    }
}
