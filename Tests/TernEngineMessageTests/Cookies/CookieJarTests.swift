// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct CookieJarTests {
    private let start = Date(timeIntervalSince1970: 1_700_000_000)

    private func origin(_ url: String) throws -> CookieOrigin {
        try #require(URL(string: url).flatMap { CookieOrigin($0) })
    }

    private func set(_ jar: inout CookieJar, _ fields: String..., from url: String, now: Date? = nil) throws {
        let origin = try origin(url)
        for field in fields {
            let cookie = SetCookie(field).flatMap { HTTPCookie($0, from: origin, now: now ?? start) }
            if let cookie { _ = jar.set(cookie, from: origin, now: now ?? start) }
        }
    }

    private func field(_ jar: inout CookieJar, _ url: String, now: Date? = nil) throws -> String? {
        jar.field(for: try origin(url), now: now ?? start).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `longer paths come first, then earlier cookies`() throws {
        var jar = CookieJar()
        try set(&jar, "one=1; Path=/", "two=2; Path=/a/b", "three=3; Path=/a", "four=4; Path=/", from: "http://a.test/")
        #expect(try field(&jar, "http://a.test/a/b/c") == "two=2; three=3; one=1; four=4")
        #expect(try field(&jar, "http://a.test/") == "one=1; four=4")
        #expect(try field(&jar, "http://b.test/") == nil)
    }

    @Test func `a domain beyond ASCII is its name in DNS, in a response and in a program`() throws {
        var jar = CookieJar()
        try set(
            &jar, "a=1; Domain=B\u{fc}cher.test", "b=2; Domain=\u{270c}.test", "c=3; Domain=b\u{ff0f}cher.test",
            from: "http://www.xn--bcher-kva.test/")
        #expect(try field(&jar, "http://xn--bcher-kva.test/") == "a=1")
        try set(&jar, "d=4; Domain=.\u{270c}\u{fe0f}.test", from: "http://a.xn--7bi.test/")
        #expect(try field(&jar, "http://b.xn--7bi.test/") == "d=4")
        #expect(HTTPCookie(name: "e", value: "5", domain: ".b\u{fc}cher.test")?.domain == ".xn--bcher-kva.test")
    }

    @Test func `a cookie replaces the one of its name, domain and path, and keeps its place`() throws {
        var jar = CookieJar()
        try set(&jar, "a=1", "b=1", "a=2", "a=host; Domain=a.test", "a=path; Path=/x", from: "http://a.test/")
        #expect(jar.count == 4)
        #expect(try field(&jar, "http://a.test/") == "a=2; b=1; a=host")
        try set(&jar, "a=; Max-Age=0", from: "http://a.test/")
        #expect(try field(&jar, "http://a.test/") == "b=1; a=host")
    }

    @Test func `cookies end by the time that the caller names`() throws {
        var jar = CookieJar()
        try set(&jar, "a=1; Max-Age=10", "b=2", from: "http://a.test/")
        #expect(try field(&jar, "http://a.test/", now: start.addingTimeInterval(9)) == "a=1; b=2")
        #expect(try field(&jar, "http://a.test/", now: start.addingTimeInterval(10)) == "b=2")
        #expect(jar.cookies(now: start.addingTimeInterval(10)).map(\.name) == ["b"])
    }

    @Test func `a plain origin does not take the place of a secure cookie`() throws {
        var jar = CookieJar()
        try set(&jar, "a=safe; Secure; Domain=example.com; Path=/login", from: "https://www.example.com/")
        try set(&jar, "a=1; Path=/login/x", "a=2; Path=/login; Domain=example.com", from: "http://www.example.com/")
        #expect(jar.count == 1)
        try set(&jar, "a=3; Path=/", "b=4; Path=/login", from: "http://www.example.com/")
        #expect(jar.count == 3)
        #expect(try field(&jar, "http://www.example.com/login") == "b=4; a=3")
        #expect(try field(&jar, "https://www.example.com/login") == "a=safe; b=4; a=3")
    }

    @Test func `a site has 180 cookies at most, and the least used go, those without Secure first`() throws {
        var jar = CookieJar()
        try set(&jar, "kept=1; Secure; Path=/", "sent=1; Path=/sent", from: "https://a.example.com/")
        for number in 0..<CookieJar.maximumPerSite - 2 {
            try set(&jar, "n\(number)=1", from: "https://\(number).example.com/")
        }
        #expect(jar.count == CookieJar.maximumPerSite)
        _ = try field(&jar, "https://a.example.com/sent")
        try set(&jar, "last=1", from: "https://a.example.com/")
        #expect(jar.count == CookieJar.maximumPerSite)
        #expect(try field(&jar, "https://a.example.com/sent") == "sent=1; kept=1; last=1")
        #expect(try field(&jar, "https://0.example.com/") == nil)
        #expect(try field(&jar, "https://1.example.com/") == "n1=1")
    }

    @Test func `a jar has 3000 cookies at most, and the site with the most of them loses one`() throws {
        var jar = CookieJar()
        for number in 0..<CookieJar.maximumCount - 2 { try set(&jar, "a=1", from: "https://site\(number).com/") }
        try set(&jar, "a=1", "b=1", "c=1", from: "https://greedy.com/")
        #expect(jar.count == CookieJar.maximumCount)
        #expect(try field(&jar, "https://greedy.com/") == "b=1; c=1")
        #expect(try field(&jar, "https://site0.com/") == "a=1")
    }

    @Test func `where many sites have the most, a tenth of the jar goes, what was used least recently first`() throws {
        var jar = CookieJar()
        for number in 0..<CookieJar.maximumCount { try set(&jar, "a=1", from: "https://site\(number).com/") }
        _ = try field(&jar, "https://site0.com/")
        try set(&jar, "a=1", from: "https://fresh.com/")
        #expect(jar.count == CookieJar.maximumCount * 9 / 10 + 1)
        for (site, isLeft) in [
            ("site0", true), ("site1", false), ("site300", false), ("site301", true), ("fresh", true),
        ] {
            #expect(try field(&jar, "https://\(site).com/") == (isLeft ? "a=1" : nil), "\(site)")
        }
    }

    @Test func `what has ended goes first`() throws {
        var jar = CookieJar()
        for number in 0..<CookieJar.maximumCount {
            try set(&jar, number < 10 ? "a=1; Max-Age=10" : "a=1", from: "https://site\(number).com/")
        }
        try set(&jar, "a=1", from: "https://fresh.com/", now: start.addingTimeInterval(10))
        #expect(jar.count == CookieJar.maximumCount - 9)
    }

    @Test func `a jar of many cookies at once keeps its limits`() throws {
        let cookies = (0..<6000).compactMap { number in
            HTTPCookie(name: "n\(number)", value: "1", domain: "h.site\(number % 400).com")
        }
        let jar = CookieJar(cookies + cookies, now: start)
        #expect((CookieJar.maximumCount * 9 / 10...CookieJar.maximumCount).contains(jar.count))
        let sites = Dictionary(grouping: jar.cookies(now: start), by: \.domain).mapValues(\.count)
        #expect(sites.values.allSatisfy { (7...8).contains($0) })
        let one = CookieJar(
            cookies.compactMap { HTTPCookie(name: $0.name, value: "2", domain: "one.test") }, now: start)
        #expect(one.cookies(now: start).map(\.name) == (6000 - 180..<6000).map { "n\($0)" })
    }

    @Test func `cookies that replace others, or have ended, are one or none when a jar is made`() throws {
        let make = { HTTPCookie(name: $0, value: $1, domain: "a.test", expiresDate: $2) }
        let given = [make("a", "1", nil), make("b", "1", nil), make("a", "2", nil), make("b", "", .distantPast)]
        let jar = CookieJar(given.compactMap(\.self), now: start)
        #expect(jar.cookies(now: start).map(\.text) == ["a=2"])
    }

    @Test func `long paths and names that are alike are told apart`() throws {
        var jar = CookieJar()
        let path = "/" + String(repeating: "p", count: 900)
        for number in 0..<178 { try set(&jar, "a=\(number); Secure; Path=\(path)\(number)/", from: "https://a.test/") }
        #expect(jar.count == 178)
        try set(&jar, "a=evil; Path=\(path)17/x", "a=other; Path=\(path)x", from: "http://a.test/")
        #expect(jar.count == 179)
        #expect(try field(&jar, "https://a.test\(path)17/y") == "a=17")
        #expect(try field(&jar, "https://a.test\(path)x/y") == "a=other")
    }

    @Test func `a request takes 150 cookies and 32 KB along at most`() throws {
        var jar = CookieJar()
        for number in 0..<CookieJar.maximumPerSite { try set(&jar, "n\(number)=1", from: "http://a.test/") }
        #expect(try field(&jar, "http://a.test/")?.split(separator: ";").count == 150)
        for number in 0..<20 {
            try set(&jar, "n\(number)=" + String(repeating: "x", count: 4000), from: "http://b.test/")
        }
        let size = try #require(try field(&jar, "http://b.test/")?.utf8.count)
        #expect(size > 28_000 && size <= 32 * 1024)
    }

    @Test func `cookies are removed individually, by their age, and at the end of the session`() throws {
        var jar = CookieJar()
        try set(&jar, "a=1; Max-Age=1000", from: "http://a.test/")
        try set(&jar, "b=2", from: "http://a.test/", now: start.addingTimeInterval(5))
        let later = start.addingTimeInterval(6)
        let cookie = try #require(jar.cookies(now: later).first)
        var copy = jar
        copy.remove(cookie)
        #expect(copy.cookies(now: later).map(\.name) == ["b"])
        copy = jar
        copy.removeAll(since: start.addingTimeInterval(5))
        #expect(copy.cookies(now: later).map(\.name) == ["a"])
        copy = jar
        copy.removeSessionCookies()
        #expect(copy.cookies(now: later).map(\.name) == ["a"])
        #expect(copy.count == 1)
    }

    /// Against a list that is searched as the RFC says, word by word.
    @Test(arguments: 0..<20 as Range<UInt64>) func `random cookies go where the RFC sends them`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var (jar, model) = (CookieJar(), [(cookie: HTTPCookie, number: Int)]())
        let hosts = ["example.com", "www.example.com", "a.www.example.com", "other.com", "127.0.0.1", "ample.com"]
        let paths = ["/", "/a", "/a/", "/a/b", "/ab"]
        for step in 0..<200 {
            let scheme = Bool.random(using: &random) ? "https" : "http"
            let (host, path) = (hosts.randomElement(using: &random) ?? "", paths.randomElement(using: &random) ?? "")
            let origin = try origin("\(scheme)://\(host)\(path)")
            if Bool.random(using: &random) {
                var field = "n\(Int.random(in: 0..<3, using: &random))=\(step)"
                if Bool.random(using: &random) { field += "; Path=\(paths.randomElement(using: &random) ?? "")" }
                if Bool.random(using: &random) { field += "; Domain=\(hosts.randomElement(using: &random) ?? "")" }
                if Int.random(in: 0..<4, using: &random) == 0 { field += "; Secure" }
                if Int.random(in: 0..<8, using: &random) == 0 { field += "; Max-Age=0" }
                guard let cookie = SetCookie(field).flatMap({ HTTPCookie($0, from: origin, now: start) }) else {
                    continue
                }
                _ = jar.set(cookie, from: origin, now: start)
                Self.set(cookie, step, scheme == "https" || host == "127.0.0.1", &model)
            } else {
                let expected = model.filter { Self.isFor($0.cookie, scheme, host, path) }.sorted {
                    ($1.cookie.path.count, $0.number) < ($0.cookie.path.count, $1.number)
                }
                let found = jar.cookies(for: origin, now: start)
                #expect(found.map { "\($0) \($0.value)" } == expected.map { "\($0.cookie) \($0.cookie.value)" })
            }
        }
    }

    private static func set(
        _ cookie: HTTPCookie, _ step: Int, _ isSecure: Bool, _ model: inout [(cookie: HTTPCookie, number: Int)]
    ) {
        let within = { (host: String, domain: String) in host == domain || host.hasSuffix("." + domain) }
        let beneath = { (path: String, folder: String) in
            path == folder || path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
        }
        let isHidden = model.contains {
            $0.cookie.isSecure && $0.cookie.name == cookie.name && beneath(cookie.path, $0.cookie.path)
                && (within(cookie.host, $0.cookie.host) || within($0.cookie.host, cookie.host))
        }
        if !isSecure, !cookie.isSecure, isHidden { return }
        let place = model.firstIndex {
            ($0.cookie.name, $0.cookie.domain, $0.cookie.path) == (cookie.name, cookie.domain, cookie.path)
        }
        let number = place.map { model.remove(at: $0).number } ?? step
        if cookie.expiresDate == nil { model.append((cookie, number)) }
    }

    private static func isFor(_ cookie: HTTPCookie, _ scheme: String, _ host: String, _ path: String) -> Bool {
        let isHost = cookie.domain.hasPrefix(".") ? ("." + host).hasSuffix(cookie.domain) : host == cookie.domain
        let folder = cookie.path.hasSuffix("/") ? cookie.path : cookie.path + "/"
        let isSecure = scheme == "https" || host == "127.0.0.1"
        return isHost && (path == cookie.path || path.hasPrefix(folder)) && (isSecure || !cookie.isSecure)
    }
}
