// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import Testing

@testable import TernEngine

@Suite struct URIReferenceEscapingTests {
    /// The characters that RFC 3986 §3.3 to §3.5 allow besides letters and digits; an escape's own "%" is not one.
    private static let marks = "-._~!$&'()*+,;=:@/?"

    private func escaped(_ text: String) -> String { URIReference(escaping: text.utf8).description }

    /// Of each component, which characters stay.
    @Test(arguments: [
        ("http://h/a", "b", "@:"), ("http://h/?a", "b", "@:"), ("http://h/#a", "b", "@:"), ("http://a", "b@h/", "@:"),
    ])
    func `each visible character stays or is escaped once, in each component`(
        _ before: String, _ after: String, _ delimiters: String
    ) throws {
        for byte in UInt8(0x21)...0x7E {
            let character = String(UnicodeScalar(byte))
            // It ends the component.
            if "#".contains(character) && !before.contains("#") { continue }
            if before == "http://a", "/?".contains(character) { continue }
            let stays =
                (UnicodeScalar(byte).properties.isAlphabetic || UnicodeScalar(byte).properties.numericType != nil
                    || Self.marks.contains(character))
            let escape = "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            let expected = before + (stays ? character : escape) + after
            #expect(escaped(before + character + after) == expected)
            #expect(escaped(expected) == expected)
            // Another "@" in front of the path is refused.
            if before == "http://a", character == "@" { continue }
            #expect(
                try URLRequest(string: before + character + "%20" + after).url?.absoluteString
                    == before + (stays ? character : escape) + "%20" + after)
        }
    }

    @Test(arguments: [
        ("http://h/?ids[]=1&q=a%20b", "http://h/?ids%5B%5D=1&q=a%20b"), ("http://h/[1].txt", "http://h/%5B1%5D.txt"),
        ("http://h/%5B1%5D[2]#[%5d", "http://h/%5B1%5D%5B2%5D#%5B%5d"),
        ("http://h/100%?50%&%4", "http://h/100%25?50%25&%254"),
        ("http://h/\u{e9}?\u{20ac}=%e2%82%ac", "http://h/%C3%A9?%E2%82%AC=%e2%82%ac"),
        ("http://h/a b\n", "http://h/a%20b"), (" \thttp://h/a\nb \r\n", "http://h/a%0Ab"),
        ("http://h/?#a#b", "http://h/?#a%23b"), ("http://u[:p%20@h/", "http://u%5B:p%20@h/"),
        ("http://[::1]:80/[", "http://[::1]:80/%5B"), ("http://h/a\u{301}", "http://h/a%CC%81"),
        ("http://b\u{fc}cher.localhost:1/y", "http://xn--bcher-kva.localhost:1/y"),
        ("http://u:p@B\u{dc}CHER.example", "http://u:p@xn--bcher-kva.example"),
        ("https://fa\u{df}.de/", "https://xn--fa-hia.de/"), ("http://[fe80::1%25lo]:1/", "http://[fe80::1%25lo]:1/"),
        ("http://u@[fe80::1%lo]/", "http://u@[fe80::1%25lo]/"), ("http://[::1%25]/", "http://[::1%2525]/"),
    ])
    func `what no URI has is escaped, no escape twice, and a host becomes its name in DNS`(
        _ text: String, _ expected: String
    ) throws {
        let request = try URLRequest(string: text)
        #expect(request.url?.absoluteString == expected)
        #expect(try URLRequest(string: expected).url == request.url)
        #expect(URL(escaping: text) == request.url)
    }

    /// A character of the name may stand for a delimiter: the host would be another one.
    @Test(arguments: [
        "http://evil.example\u{ff0f}.good.example/", "http://a\u{ff1a}80/", "http://a\u{ff20}b/", "http://a\u{200d}b/",
        "http://\u{301}a/", "http://g\\r\u{fc}n/", "http://gr\u{fc}n b/", "http://[\u{fc}]/", "http://%C3%BC/",
        "http://%2Frun%2Fdocker.sock/",
    ])
    func `a host without a name in DNS is refused`(text: String) {
        #expect(throws: InvalidRequest.self) { try URLRequest(string: text) }
        #expect(throws: InvalidRequest.self) { try URLRequest(typed: text.utf8) }
        let location = URIReference(location: text.utf8)?.description ?? ""
        #expect(throws: InvalidRequest.self) { try Destination(absoluteString: location) }
    }

    @Test func `to make a URL twice changes nothing, whatever the text`() throws {
        var random = SystemRandomNumberGenerator()
        let pieces = [
            "%", "%2", "%2F", "%zz", "[", "]", "#", "?", "/", "@", ":", " ", "\u{e9}", "\u{1f600}", "a", "\\", "|",
            "\"", ".",
        ]
        for _ in 0..<5_000 {
            var rest = (0..<Int.random(in: 0...8, using: &random)).map { _ in pieces.randomElement(using: &random) ?? ""
            }
            // Those around it are none of the URL.
            while rest.last == " " { rest.removeLast() }
            let text = "http://h/" + rest.joined()
            let url = try #require(try URLRequest(string: text).url)
            #expect(try URLRequest(string: url.absoluteString).url?.absoluteString == url.absoluteString)
            #expect(escaped(text) == url.absoluteString)
        }
    }

    @Test func `visible ASCII of a typed URL is sent as typed, and its URL is escaped`() throws {
        for byte in UInt8(0x21)...0x7E where byte != UInt8(ascii: "#") {
            let character = String(UnicodeScalar(byte))
            let request = try URLRequest(typed: "http://h/a\(character)b?c\(character)d#e\(character)".utf8)
            let target = byte == UInt8(ascii: "?") ? "/a?b?c?d" : "/a\(character)b?c\(character)d"
            #expect(try request.destination.get().target == .origin(target))
            #expect(try request.url == URLRequest(string: "http://h/a\(character)b?c\(character)d#e\(character)").url)
        }
        let request = try URLRequest(typed: Array("http://h/".utf8) + [0xE9] + Array("?\u{e9} %".utf8))
        #expect(try request.destination.get().target == .origin("/%E9?%C3%A9%20%"))
        #expect(request.url?.absoluteString == "http://h/%E9?%C3%A9%20%25")
    }

    @Test(
        "a target in place of the URL's is sent to the URL's host, until the URL is set",
        arguments: [
            ("*", "OPTIONS", RequestTarget.asterisk), ("/a?b", "GET", .origin("/a?b")),
            ("http://x/", "GET", .absolute("http://x/")),
        ])
    func chosenTarget(text: String, method: String, target: RequestTarget) throws {
        var request = try URLRequest(typed: "http://h/path".utf8)
        request.httpMethod = method
        try request.setTarget(text)
        #expect(try request.destination.get().target == target && request.host == "h")
        request.url = request.url
        #expect(try request.destination.get().target == .origin("/path"))
        var without = URLRequest(refused: .missingURL)
        #expect(throws: InvalidRequest.missingURL) { try without.setTarget("/") }
    }

    @Test func `a copy of a typed request is sent as typed, until its URL is set`() throws {
        var copy = try URLRequest(typed: "http://h/[1]".utf8)
        copy.setValue("b", forHTTPHeaderField: "A")
        #expect(try copy.destination.get().target == .origin("/[1]"))
        let url = copy.url
        copy.url = url
        #expect(try copy.destination.get().target == .origin("/%5B1%5D"))
    }

    @Test func `bytes of a Location that are no UTF-8 are escaped as they came`() throws {
        let latin = Array("http://b".utf8) + [0xFC] + Array("cher.localhost/caf".utf8) + [0xE9] + Array("?\u{e9}".utf8)
        #expect(
            URIReference(location: latin)?.description == "http://xn--bcher-kva.localhost/caf%E9?%C3%A9")
        let mixed = Array("http://b\u{fc}cher.localhost/\u{e9}".utf8) + [0xE9, 0xFF]
        #expect(URIReference(location: mixed)?.description == "http://xn--bcher-kva.localhost/%C3%A9%E9%FF")
    }

    @Test func `a Location is resolved against the URL it answers`() throws {
        let base = try #require(URL(string: "http://h/a/b?c"))
        #expect(URL(location: "[1]?d e".utf8, from: base)?.absoluteString == "http://h/a/%5B1%5D?d%20e")
        #expect(URL(location: "/\n".utf8, from: base) == nil)
    }
}
