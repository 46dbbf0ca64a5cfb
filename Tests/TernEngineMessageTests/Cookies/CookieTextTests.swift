// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct CookieTextTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)
    private let good = "a.test\tFALSE\t/\tFALSE\t0\ta\t1"

    private func read(_ text: String) -> CookieText { CookieText(Array(text.utf8), now: now) }

    private func written(_ cookies: [HTTPCookie]) -> String {
        String(decoding: CookieText.bytes(of: cookies), as: UTF8.self)
    }

    @Test func `a file as curl writes it is read`() throws {
        let content = read(
            """
            # Netscape HTTP Cookie File
            # https://curl.se/docs/http-cookies.html

            a.test\tFALSE\t/\tFALSE\t0\tsession\t1
            .example.com\tTRUE\t/shop\tTRUE\t1700000100\tid\tx y=z
            #HttpOnly_b.test\tFALSE\t/\tFALSE\t1700000100\thidden\t1\r
            d.test\tFALSE\t/\tFALSE\t0\tempty
            """)
        let cookies = content.cookies
        #expect(cookies.map(\.name) == ["session", "id", "hidden", "empty"])
        #expect(cookies.map(\.value) == ["1", "x y=z", "1", ""])
        #expect(cookies.map(\.domain) == ["a.test", ".example.com", "b.test", "d.test"])
        #expect(cookies.map(\.isHTTPOnly) == [false, false, true, false])
        #expect(cookies[1].path == "/shop" && cookies[1].isSecure)
        #expect(cookies[1].expiresDate == Date(timeIntervalSince1970: 1_700_000_100))
        #expect(cookies[0].isSessionOnly)
        #expect(content.skippedLineCount == 0)
    }

    @Test(arguments: [
        "a.test FALSE / FALSE 0 a 1", "a.test\tFALSE\t/\tFALSE\t0", "a.test\tno\t/\tFALSE\t0\ta\t1",
        "a.test\tFAL\u{17F}E\t/\tFALSE\t0\ta\t1", "a.test\tFALSE\t/\tyes\t0\ta\t1",
        "a.test\tFALSE\t/\tFALSE\tsoon\ta\t1", "a.test\tFALSE\t/\tFALSE\t1.x\ta\t1", "a.test\tFALSE\t/\tFALSE\t\ta\t1",
        "\tFALSE\t/\tFALSE\t0\ta\t1", "a.test\tFALSE\tx\tFALSE\t0\ta\t1", "a.test\tFALSE\t/\tFALSE\t0\t\t1",
        "a.test\tFALSE\t/\tFALSE\t0\ta\t1\t2", "a.test\tFALSE\t/\tFALSE\t0\ta;b\t1", "root:x:0:0:root:/root:/bin/bash",
        "a.test\tFALSE\t/\tFALSE\t99999999999999999999\ta\t1", "a.test\tFALSE\t/\tFALSE\t0\ta\t\u{1}", "<html>",
        "a.test\tFALSE\t/\tFALSE\t0\t__Host-a\t1", "a／.test\tFALSE\t/\tFALSE\t0\ta\t1", "a b\tFALSE\t/\tFALSE\t0\ta\t1",
        "a.test\tFALSE\t/\tFALSE\t0\ta\t" + String(repeating: "x", count: 4096), "Set-Cookie: a=1; Domain=b.test\u{1}",
        "Set-Cookie: a=1; Secure=; SameSite=None; Domain=..", "[InternetShortcut]", "{\"cookies\": []}", "\u{0}",
        "a.test\tFALSE\t/\tFALSE\t0\tb\t1\r\r", "a.test\tFALSE\t/\rx\tFALSE\t0\tb\t1", "X-Header: outside of a head",
    ])
    func `a line that is no cookie spoils nothing but itself, and is kept`(line: String) throws {
        for end in ["\n", "\r\n"] {
            let content = read(
                ["# first", "", good, line, good.replacing("\ta\t", with: "\tb\t"), ""].joined(separator: end))
            #expect(content.cookies.map(\.text) == ["a=1", "b=1"])
            #expect(content.skippedLineCount == 1)
            #expect(content.firstSkippedLine == 4)
            let again = CookieText(CookieText.bytes(of: content.cookies, after: content.otherLines), now: now)
            #expect(again.cookies == content.cookies)
            #expect(again.skippedLineCount == 1)
            let kept = "# Netscape HTTP Cookie File\n\n" + ["# first", "", line, ""].joined(separator: end)
            #expect(again.otherLines == Array(kept.utf8))
        }
    }

    @Test(arguments: [
        "\u{FEFF}GOOD\n", "\u{FEFF}# Netscape HTTP Cookie File\nGOOD\n", "  GOOD\n", "\tGOOD\n", " \t GOOD", "GOOD",
        "GOOD\r\n", "\r\n\r\nGOOD\r\n", "\u{FEFF}\r\nGOOD\r\n", "\n\n\nGOOD\n\n",
    ])
    func `what curl tolerates is tolerated`(text: String) {
        let content = read(text.replacing("GOOD", with: good))
        #expect(content.cookies.map(\.text) == ["a=1"])
        #expect(content.skippedLineCount == 0)
    }

    @Test(arguments: [
        ("true", true), ("True", true), ("TRUE", true), ("false", false), ("False", false), ("FALSE", false),
    ])
    func `flags are read in any case`(word: String, isSecure: Bool) {
        #expect(read("a.test\tFALSE\t/\t\(word)\t0\ta\t1").cookies.map(\.isSecure) == [isSecure])
    }

    @Test(arguments: [("1700000100.25", 1_700_000_100), ("1700000100.", 1_700_000_100), ("-1", -1), ("0.5", nil)])
    func `an end may have a fraction`(word: String, seconds: Double?) {
        let ends = read("a.test\tFALSE\t/\tFALSE\t\(word)\ta\t1").cookies.map(\.expiresDate)
        #expect(ends == [seconds.map { Date(timeIntervalSince1970: $0) }])
    }

    @Test func `fields that set cookies are read, alone and in heads`() {
        let content = read(
            """
            HTTP/1.1 302 Found\r
            Content-Type: text/html\r
            Set-Cookie: sid=abc; Domain=127.0.0.1; Path=/x; HttpOnly\r
            \r
            HTTP/1.1 200 OK\r
            set-cookie:t=1; Max-Age=60; Domain=.example.com; Secure\r
            Set-Cookie: alone=1\r
            \r
            \(good)
            Set-Cookie: later=1
            """)
        #expect(content.cookies.map(\.text) == ["sid=abc", "t=1", "a=1"])
        #expect(content.cookies.map(\.domain) == ["127.0.0.1", ".example.com", "a.test"])
        #expect(content.cookies.map(\.path) == ["/x", "/", "/"])
        #expect(content.cookies[1].expiresDate == now.addingTimeInterval(60))
        #expect(content.fieldsWithoutDomain.map(\.name.text) == ["alone", "later"])
        #expect(content.skippedLineCount == 0)
    }

    @Test func `what is written is read again`() throws {
        let end = now.addingTimeInterval(1000)
        let cookies = [
            HTTPCookie(name: "a", value: "", domain: "a.test"),
            HTTPCookie(
                name: "b", value: "1 2", domain: ".a.test", path: "/x", expiresDate: end, isSecure: true,
                isHTTPOnly: true),
        ].compactMap { $0 }
        #expect(cookies.count == 2)
        #expect(read(written(cookies)).cookies == cookies)
    }

    @Test(arguments: 0x80...0xFF as ClosedRange<UInt8>) func `every byte comes back from a file`(byte: UInt8) throws {
        for bytes in [[byte], [0x61, byte, byte], [0xC3, 0xA9, byte]] {
            let field = try #require(
                SetCookie(Array("n".utf8) + bytes + [0x3D] + bytes + Array("; Path=/".utf8) + bytes))
            let cookie = try #require(HTTPCookie(field, from: CookieOrigin(secureHost: "a.test"), now: now))
            let again = CookieText(CookieText.bytes(of: [cookie]), now: now)
            #expect(again.cookies == [cookie])
            #expect(again.cookies.map(\.pair) == [Array("n".utf8) + bytes + [0x3D] + bytes])
        }
    }

    @Test func `a combining mark after a tab leaves the tab a tab`() throws {
        let cookie = try #require(HTTPCookie(name: "\u{301}a", value: "\u{301}b", domain: "a.test", path: "/\u{301}"))
        #expect(read(written([cookie])).cookies == [cookie])
        let tabbed = try #require(HTTPCookie(name: "a", value: "1\t\u{301}", domain: "a.test"))
        #expect(written([tabbed]) == written([]))
    }

    @Test(arguments: [9.3e18, 1e300, .infinity]) func `an end beyond all times is the last one`(end: Double) throws {
        let cookie = try #require(
            HTTPCookie(name: "a", value: "1", domain: "a.test", expiresDate: Date(timeIntervalSince1970: end)))
        #expect(written([cookie]).contains("\t9223372036854775807\ta\t1"))
    }

    @Test(arguments: [-1e300, 0, .nan]) func `an end long ago is written as the first second`(end: Double) throws {
        let cookie = try #require(
            HTTPCookie(name: "a", value: "1", domain: "a.test", expiresDate: Date(timeIntervalSince1970: end)))
        #expect(written([cookie]).contains("\t1\ta\t1"))
    }

    @Test(arguments: ["#a.test", "set-cookie:a"]) func `a cookie whose line would be another is left out`(
        domain: String
    ) throws {
        let cookie = try #require(HTTPCookie(name: "a", value: "1", domain: domain))
        #expect(written([cookie]) == written([]))
    }

    @Test func `a cookie with a tab, or without a name, is left out`() throws {
        let cookies = [("a", "1\t2"), ("", "x"), ("b", "1")].compactMap {
            HTTPCookie(name: $0, value: $1, domain: "a.test")
        }
        #expect(cookies.count == 3)
        #expect(read(written(cookies)).cookies.map(\.name) == ["b"])
    }

    @Test func `of a file with more than a jar holds about that is in memory, the latest cookies last`() throws {
        let count = 6 * CookieJar.maximumCount
        let lines = (0..<count).map { "site\($0).test\tFALSE\t/\tFALSE\t0\ta\t\($0)\n" }
        let content = CookieText(Array(("# mine\n" + lines.joined()).utf8), now: Date())
        #expect(content.cookies.count < 4 * CookieJar.maximumCount && content.skippedLineCount == 0)
        let jar = CookieJar(content.cookies, now: Date())
        let kept = jar.cookies(now: Date()).map(\.domain)
        #expect(kept == (count - CookieJar.maximumCount..<count).map { "site\($0).test" })
        #expect(content.otherLines == Array("# mine\n".utf8))
    }
}
