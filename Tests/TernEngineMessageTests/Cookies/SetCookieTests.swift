// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct SetCookieTests {
    @Test(arguments: [
        ("a=b", "a", "b"), (" a = b ;", "a", "b"), ("\ta\t=\tb\t", "a", "b"), ("a=b=c", "a", "b=c"), ("a=", "a", ""),
        ("=b", "", "b"), ("b", "", "b"), ("a=\"b c\"", "a", "\"b c\""), ("a=b, c=d", "a", "b, c=d"),
        ("a b=ä", "a b", "ä"),
    ])
    func `name and value stand before the first semicolon`(field: String, name: String, value: String) {
        let cookie = SetCookie(field)
        #expect(cookie?.name.text == name)
        #expect(cookie?.value.text == value)
    }

    @Test(arguments: ["", " ", "=", ";a=b", " ; Secure", "a=b\u{0}", "a\u{1F}=b", "a=b; Path=/\u{7F}", "a=b\r\nX: y"])
    func `a field without a name and a value, or with a control character, is ignored`(field: String) {
        #expect(SetCookie(field) == nil)
    }

    @Test func `name and value have 4096 bytes at most`() {
        #expect(SetCookie("a=" + String(repeating: "b", count: 4095)) != nil)
        #expect(SetCookie("a=" + String(repeating: "b", count: 4096)) == nil)
        #expect(SetCookie(String(repeating: "ä", count: 2049)) == nil)
    }

    @Test func `attributes are read in any case and order, and the last of a name counts`() {
        let cookie = SetCookie("a=b;SECURE; httponly ;path=/x;DOMAIN=.Example.COM;samesite=LAX;Path=/y;unknown=1;")
        #expect(cookie?.isSecure == true)
        #expect(cookie?.isHTTPOnly == true)
        #expect(cookie?.path?.text == "/y")
        #expect(cookie?.domain == "example.com")
        #expect(cookie?.sameSite == .lax)
        #expect(SetCookie("a=b; Domain=x.test; Domain=")?.domain == nil)
        #expect(SetCookie("a=b; Path=/x; Path=y")?.path == nil)
        #expect(SetCookie("a=b; SameSite=None; SameSite=odd")?.sameSite == nil)
        #expect(SetCookie("a=b; Secure=no")?.isSecure == true)
    }

    @Test func `an attribute of more than 1024 bytes is left out`() {
        let path = "/" + String(repeating: "x", count: 1023)
        #expect(SetCookie("a=b; Path=\(path)")?.path?.text == path)
        #expect(SetCookie("a=b; Path=\(path)x")?.path == nil)
    }

    @Test(arguments: [
        ("60", 60), ("0", 0), ("-1", -1), ("99999999999999999999", .max), ("-99999999999999999999", .min), ("", nil),
        ("1.5", nil), ("+1", nil), ("-", nil), ("1e3", nil),
    ])
    func `Max-Age is a number of seconds`(text: String, age: Int64?) {
        #expect(SetCookie("a=b; Max-Age=\(text)")?.maximumAge == age)
    }

    @Test func `a combining mark after a semicolon or a slash makes no other character of it`() {
        let field = SetCookie("a=b;\u{301}c; Path=/\u{301}")
        #expect(field?.value.text == "b")
        #expect(field?.path?.text == "/\u{301}")
    }

    @Test func `a bad date leaves the one before it`() {
        #expect(SetCookie("a=b; Expires=Sun, 06 Nov 1994 08:49:37 GMT; Expires=soon")?.expires == 784_111_777)
    }

    @Test(arguments: [
        ("a=1", ["a=1"]), ("a=1, b=2", ["a=1", "b=2"]), ("a=1,b=2,c=3", ["a=1", "b=2", "c=3"]),
        (
            "a=1; Expires=Sun, 06 Nov 1994 08:49:37 GMT, b=2; Path=/",
            ["a=1; Expires=Sun, 06 Nov 1994 08:49:37 GMT", "b=2; Path=/"]
        ),
        ("a=1; Path=/,\n b=2,\r\nc=3,\t\n\td = 4", ["a=1; Path=/", "b=2", "c=3", "d = 4"]),
        ("a=1, b c=2", ["a=1, b c=2"]), ("a=1, b[]=2, c=3", ["a=1, b[]=2", "c=3"]), ("a=1, =2", ["a=1, =2"]),
        ("a=1, b; c=2", ["a=1, b; c=2"]), ("a=1; Port=\"80,81\", b=2", ["a=1; Port=\"80,81\"", "b=2"]),
        ("", [""]), (", a=1", ["", "a=1"]), ("a=1,\u{301}b=2", ["a=1,\u{301}b=2"]), ("a=1,\n", ["a=1,\n"]),
        ("a=x,y", ["a=x,y"]), ("a=\"x, y\"; Path=/,b=2", ["a=\"x, y\"; Path=/", "b=2"]),
    ])
    func `fields that were joined with commas are taken apart`(joined: String, fields: [String]) {
        #expect(SetCookie.split(Array(joined.utf8)).map { String(decoding: $0, as: UTF8.self) } == fields)
    }

    @Test(arguments: ["caf\u{E9}", "\u{80}\u{FF}", "\u{C3}\u{28}"]) func `bytes that are not UTF-8 stay what they are`(
        latin1: String
    ) {
        let bytes = latin1.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        let field = SetCookie(Array("n".utf8) + bytes + [0x3D] + bytes + Array("; Path=/".utf8) + bytes)
        #expect(field?.name.bytes == Array("n".utf8) + bytes)
        #expect(field?.value.bytes == bytes)
        #expect(field?.path?.bytes == Array("/".utf8) + bytes)
        #expect(field?.value.text == latin1)
    }

    @Test func `a field of more than 8 KB, or of more than 16 attributes, is ignored`() {
        let longest = SetCookie.maximumFieldSize - "a=b".utf8.count
        #expect(SetCookie("a=b" + String(repeating: ";", count: longest))?.value.text == "b")
        #expect(SetCookie("a=b" + String(repeating: ";", count: longest + 1)) == nil)
        let most = "a=b" + String(repeating: "; x=y", count: SetCookie.maximumAttributeCount)
        #expect(SetCookie(most)?.value.text == "b")
        #expect(SetCookie(most + "; ;")?.value.text == "b")
        #expect(SetCookie(most + "; Secure") == nil)
    }

    @Test func `attributes are compared as ASCII`() {
        #expect(SetCookie("a=b; \u{17F}ecure; Domain=\u{212A}.test; SameSite=\u{17F}trict")?.isSecure == false)
        #expect(SetCookie("a=b; Domain=\u{212A}.test")?.domain != "k.test")
        #expect(SetCookie("a=b; SameSite=\u{17F}trict")?.sameSite == nil)
    }
}

@Suite struct CookieNotesTests {
    private func notes(_ attributes: String) -> CookieNotes? { SetCookie("a=b; " + attributes)?.notes?.received }

    @Test func `comments and ports are stored as they are said`() {
        let notes = notes("Comment=\"hi there\"; commentURL=\"http://a.b/c\"; Port=\"80, x,81,99999\"; VERSION=1")
        #expect(notes?.comment == "hi there" && notes?.version == 1 && notes?.ports == [80, 81])
        #expect(notes?.commentURL == URL(string: "http://a.b/c"))
    }

    @Test func `ports are those of version 1, and the last attribute of a name counts`() {
        #expect(notes("Port=80; Comment=x; Comment=y")?.ports == nil)
        #expect(notes("Port=80; Comment=x; Comment=y")?.comment == "y")
        for attributes in ["Path=/", "Version=0", "Version=2", "Port=80", "Version=1; Version=0"] {
            #expect(notes(attributes) == nil, "\(attributes)")
        }
        #expect(notes("Version=1; Port")?.ports == nil && notes("Version=1; Port=\"80 81,x\"")?.ports == nil)
        #expect(notes("Comment=\"")?.comment == "\"" && notes("Comment")?.comment == "")
    }

    @Test func `they do not decide where a cookie goes`() throws {
        let origin = CookieOrigin(secureHost: "a.test")
        let field = try #require(SetCookie("a=b; Port=\"1\"; Version=1; Comment=c"))
        let cookie = try #require(HTTPCookie(field, from: origin, now: Date()))
        #expect(cookie.notes?.ports == [1] && cookie.isSessionOnly && !"\(cookie)".contains("c "))
        let storage = HTTPCookieStorage()
        storage.receive([Array("a=b; Port=\"1\"; Version=1".utf8)], from: origin)
        #expect(storage.cookies(for: try #require(URL(string: "https://a.test:8443/")))?.map(\.text) == ["a=b"])
        storage.receive([Array("a=c".utf8)], from: origin)
        #expect(storage.cookies?.map(\.text) == ["a=c"])
    }
}
