// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import Testing

@Suite struct OriginTests {
    @Test func `Origins are equal in scheme, host and port`() {
        let origin = HTTPOrigin(scheme: .http, host: "a", port: 80)
        #expect(origin == HTTPOrigin(scheme: .http, host: "A", port: 80))
        #expect(origin != HTTPOrigin(scheme: .https, host: "a", port: 80))
        #expect(origin != HTTPOrigin(scheme: .http, host: "b", port: 80))
        #expect(origin != HTTPOrigin(scheme: .http, host: "a", port: 81))
        let origins: Set = [
            origin, HTTPOrigin(scheme: .http, host: "A", port: 80), HTTPOrigin(scheme: .http, host: "b", port: 80),
        ]
        #expect(origins.count == 2)
    }

    @Test func `A host is lower-case and bare`() {
        #expect(HTTPOrigin(scheme: .http, host: "[2001:DB8::1]", port: 80).host == "2001:db8::1")
        #expect(HTTPOrigin(scheme: .http, host: "EXAMPLE.com", port: 80).host == "example.com")
    }

    @Test(
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("127.0.0.1.", "127.0.0.1"), ("169.254.169.254..", "169.254.169.254"),
            ("0xa9fea9fe.", "169.254.169.254"), ("0XA9.0376.43518", "169.254.169.254"), ("2130706433", "127.0.0.1"),
            ("0x7f.1", "127.0.0.1"), ("127.1", "127.0.0.1"), ("1.2.3", "1.2.0.3"), ("0177.0x.00.1", "127.0.0.1"),
            ("017700000001", "127.0.0.1"), ("0", "0.0.0.0"), ("0x", "0.0.0.0"), ("4294967295", "255.255.255.255"),
            ("255.16777215", "255.255.255.255"), ("[127.1]", "127.0.0.1"), ("000.000.000.000", "0.0.0.0"),
            // No number at the end.
            ("a.test.", "a.test."), ("1.2.3.4.test", "1.2.3.4.test"), ("a.0xg", "a.0xg"), ("x1", "x1"), ("1a", "1a"),
            ("a.1-", "a.1-"), (".", "."), ("", ""), ("::1", "::1"), ("[::ffff:1.2.3.4]", "::ffff:1.2.3.4"),
            ("fe80::1%1", "fe80::1%1"), ("1.x", "1.x"), ("[0:0:0:0:0:0:0:1]", "::1"), ("0000::", "::"), ("::", "::"),
            ("[2001:DB8:0:0:1:0:0:1]", "2001:db8::1:0:0:1"), ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
            ("1:0:0:2:0:0:0:3", "1:0:0:2::3"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
            ("::ffff:7f00:1", "::ffff:127.0.0.1"),
            ("::7f00:1", "::127.0.0.1"), ("64:ff9b::10.0.0.1", "64:ff9b::a00:1"), ("FE80:0::1%Eth0", "fe80::1%Eth0"),
            ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"),
            // No address.
            ("1::2::3", "1::2::3"), ("1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8:9"), (":1", ":1"), ("1:", "1:"), (":", ":"),
            ("::12345", "::12345"), ("1:2:3:4:5:6:7:1.2.3.4", "1:2:3:4:5:6:7:1.2.3.4"), ("::1.2.3", "::1.2.3"),
            ("1:2:3:4:5:6:7:8::", "1:2:3:4:5:6:7:8::"), ("::1.2.3.4:5", "::1.2.3.4:5"), ("::01.2.3.4", "::01.2.3.4"),
        ] as [(String, String)])
    func `An address has one spelling, and a name its own`(text: String, host: String) {
        let origin = HTTPOrigin(scheme: .https, host: text, port: 443)
        #expect(origin.host == host && (origin.hostField == host || host.contains(":")))
        #expect(origin == HTTPOrigin(scheme: .https, host: host, port: 443))
    }

    @Test func `Only ASCII letters of a host have case`() {
        #expect(HTTPOrigin(scheme: .http, host: "\u{212A}", port: 80).host == "\u{212A}")
    }

    @Test func `An origin describes itself as a URI`() {
        #expect("\(HTTPOrigin(scheme: .https, host: "a", port: 443))" == "https://a")
        #expect("\(HTTPOrigin(scheme: .http, host: "::1", port: 81))" == "http://[::1]:81")
    }

    @Test func `Schemes have their ports`() {
        #expect(HTTPOrigin.Scheme.http.defaultPort == 80)
        #expect(HTTPOrigin.Scheme.https.defaultPort == 443)
    }
}
