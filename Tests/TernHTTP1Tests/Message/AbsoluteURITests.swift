// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import Testing

@Suite struct AbsoluteURITests {
    @Test(arguments: [
        ("HTTPS://Example.COM", "https://example.com", "/"), ("http://a:8080?q#f", "http://a:8080", "/?q"),
        ("http://u:p@[::1]:80/x", "http://[::1]", "/x"), ("http://a@c:/", "http://c", "/"),
        ("http://a#/b", "http://a", "/"),
        ("http://a/ü?b#c#d", "http://a", "/ü?b"), ("hTTp://a_b.:65535?", "http://a_b.:65535", "/?"),
    ])
    func `A URI names the origin and the target`(text: String, origin: String, target: String) throws {
        let uri = try AbsoluteURI(text)
        #expect("\(uri.origin)" == origin)
        #expect(uri.target == .origin(target))
    }

    @Test(arguments: [
        ("http://[fe80::1%25eth0]/", "fe80::1%eth0"), ("http://[FE80::A%25Eth0]:80/", "fe80::a%Eth0"),
        ("http://[::1%251]/", "::1%1"), ("http://[::1%2525]/", "::1%25"),
        ("http://[fe80::1%25a%2Eb~c]/", "fe80::1%a.b~c"),
    ])
    func `A zone is part of the host, and of no field`(text: String, host: String) throws {
        let origin = try AbsoluteURI(text).origin
        #expect(origin.host == host)
        #expect(!origin.hostField.contains("%") && origin.hostField.hasSuffix("]"))
        #expect(origin.certifiedHost == host.prefix { $0 != "%" })
        #expect(origin != HTTPOrigin(scheme: .http, host: origin.certifiedHost, port: 80))
    }

    @Test(arguments: [
        "%", "%25", "%eth0", "%2", "%2Flo", "%25a%2Fb", "%25a%25b", "%25a%20b", "%25a%", "%25%zz", "%25\u{e9}",
    ])
    func `What can be no zone is no host`(zone: String) {
        #expect(throws: AbsoluteURI.Refusal.self) { try AbsoluteURI("http://[fe80::1\(zone)]/") }
    }

    @Test(
        arguments: [
            "1.2.3.4.5", "256.0.0.1", "1.256.1", "1.2.65536", "4294967296", "0x100000000", "99999999999999999999",
            "08.1", "1..2", ".1", "a.1", "a.0x1f.", "a.test.0", "0x.09", "1.0xg.2", "-1.2", "1.2.3.4.5..", "1.-2.3",
        ])
    func `A host that ends in a number is an address, or none`(host: String) {
        #expect(throws: AbsoluteURI.Refusal.self) { try AbsoluteURI("http://\(host)/") }
        #expect(throws: AbsoluteURI.Refusal.self) { try AbsoluteURI("https://\(host):8443") }
        let origin = HTTPOrigin(scheme: .http, host: host, port: 80)
        #expect(throws: HTTPProtocolError.self) {
            var exchange = Exchange()
            var bytes: [UInt8] = []
            try exchange.begin(
                RequestHead(method: "GET", target: .origin("/"), origin: origin, fields: [:]), body: .none,
                defaults: DefaultFields([:]), into: &bytes)
        }
    }

    @Test func `A refusal says which part is wrong`() {
        func part(_ text: String) -> String {
            do throws(AbsoluteURI.Refusal) {
                _ = try AbsoluteURI(text)
                return "none"
            } catch {
                switch error {
                case .scheme(let text): return "scheme \(text)"
                case .host(let text): return "host \(text)"
                case .port(let text): return "port \(text)"
                case .userinfo: return "userinfo"
                }
            }
        }
        #expect(part("ftp://a/") == "scheme ftp")
        #expect(part("http://[v1.a]/") == "host [v1.a]")
        #expect(part("http://a%2f/") == "host a%2f")
        #expect(part("http://a:0x50/") == "port 0x50")
        #expect(part("http://a:65536/") == "port 65536")
        #expect(part("http://a:00000/") == "port 00000")
        for text in ["http://a@b@c/", "http://@@", "http://u:p@s@c:80"] { #expect(part(text) == "userinfo") }
        #expect(part("") == "scheme ")
        #expect(part("1http://a") == "scheme ")
        #expect(part("127.0.0.1:8080") == "scheme ")
        #expect(part("f+-.1:x") == "scheme f+-.1")
        for text in ["http:", "http:/", "http:/a", "http://", "http:///a", "http://@/", "http://:80"] {
            #expect(part(text) == "host ")
        }
        for host in ["[::1", "[1]", "[::1]a", "[]", "a b", "\u{0301}a", String(repeating: "a", count: 255)] {
            #expect(part("http://u@\(host)") == "host \(host)")
        }
    }
}
