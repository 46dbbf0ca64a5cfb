// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import TernEngine

@Suite struct NetscapeCookiesTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    @Test func `a file as curl writes it is read`() throws {
        let text = """
            # Netscape HTTP Cookie File
            # https://curl.se/docs/http-cookies.html

            a.test\tFALSE\t/\tFALSE\t0\tsession\t1
            .example.com\tTRUE\t/shop\tTRUE\t1700000100\tid\tx y=z
            #HttpOnly_b.test\tFALSE\t/\tFALSE\t1700000100\thidden\t1\r
            c.test\tFALSE\t/\tFALSE\t1700000000\tended\t1
            d.test\tFALSE\t/\tFALSE\t0\tempty
            """
        let cookies = try NetscapeCookies.cookies(in: text, now: now)
        #expect(cookies.map(\.name) == ["session", "id", "hidden", "empty"])
        #expect(cookies.map(\.value) == ["1", "x y=z", "1", ""])
        #expect(cookies.map(\.domain) == ["a.test", ".example.com", "b.test", "d.test"])
        #expect(cookies.map(\.isHTTPOnly) == [false, false, true, false])
        #expect(cookies[1].path == "/shop" && cookies[1].isSecure)
        #expect(cookies[1].expiresDate == Date(timeIntervalSince1970: 1_700_000_100))
        #expect(cookies[0].isSessionOnly)
    }

    @Test(arguments: [
        "a.test FALSE / FALSE 0 a 1", "a.test\tFALSE\t/\tFALSE\t0", "a.test\tno\t/\tFALSE\t0\ta\t1",
        "a.test\tFALSE\t/\tFALSE\tsoon\ta\t1", "\tFALSE\t/\tFALSE\t0\ta\t1", "a.test\tFALSE\tx\tFALSE\t0\ta\t1",
        "a.test\tFALSE\t/\tFALSE\t0\ta\t1\t2", "a.test\tFALSE\t/\tFALSE\t0\ta;b\t1", "root:x:0:0:root:/root:/bin/bash",
        "a.test\tFALSE\t/\tFALSE\t99999999999999999999\ta\t1", "a.test\tFALSE\t/\tFALSE\t0\ta\t\u{1}",
    ])
    func `another line is refused with its number`(line: String) throws {
        let error = #expect(throws: NetscapeCookies.MalformedLine.self) {
            try NetscapeCookies.cookies(in: "# first\n\n" + line + "\n", now: now)
        }
        #expect(error?.number == 3)
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
        #expect(try NetscapeCookies.cookies(in: NetscapeCookies.text(of: cookies), now: now) == cookies)
    }

    @Test func `a combining mark after a tab leaves the tab a tab`() throws {
        let cookie = try #require(HTTPCookie(name: "\u{301}a", value: "\u{301}b", domain: "a.test", path: "/\u{301}"))
        let text = NetscapeCookies.text(of: [cookie])
        #expect(try NetscapeCookies.cookies(in: text, now: now) == [cookie])
        let tabbed = try #require(HTTPCookie(name: "a", value: "1\t\u{301}", domain: "a.test"))
        #expect(NetscapeCookies.text(of: [tabbed]) == NetscapeCookies.text(of: []))
    }

    @Test(arguments: [9.3e18, 1e300, .infinity]) func `an end beyond all times is the last one`(end: Double) throws {
        let cookie = try #require(
            HTTPCookie(name: "a", value: "1", domain: "a.test", expiresDate: Date(timeIntervalSince1970: end)))
        #expect(NetscapeCookies.text(of: [cookie]).contains("\t9223372036854775807\ta\t1"))
    }

    @Test(arguments: [-1e300, 0, .nan]) func `an end long ago is written as the first second`(end: Double) throws {
        let cookie = try #require(
            HTTPCookie(name: "a", value: "1", domain: "a.test", expiresDate: Date(timeIntervalSince1970: end)))
        #expect(NetscapeCookies.text(of: [cookie]).contains("\t1\ta\t1"))
    }

    @Test func `a cookie whose line would be a comment is left out`() throws {
        let cookie = try #require(HTTPCookie(name: "a", value: "1", domain: "#a.test"))
        #expect(NetscapeCookies.text(of: [cookie]) == NetscapeCookies.text(of: []))
    }

    @Test func `a cookie with a tab, or without a name, is left out`() throws {
        let cookies = [("a", "1\t2"), ("", "x"), ("b", "1")].compactMap {
            HTTPCookie(name: $0, value: $1, domain: "a.test")
        }
        #expect(cookies.count == 3)
        let text = NetscapeCookies.text(of: cookies)
        #expect(try NetscapeCookies.cookies(in: text, now: now).map(\.name) == ["b"])
    }
}
