// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernTLS

struct HostNameTests {
    @Test(arguments: [
        ("A.Example.COM.", "a.example.com"), ("", ""), (".", ""), ("2001:DB8::0:1", "2001:db8::1"),
        ("[2001:db8::1]", "2001:db8::1"), ("fe80::1%eth0", "fe80::1"), ("::ffff:127.0.0.1", "127.0.0.1"),
        ("::FFFF:7F00:1", "127.0.0.1"), ("127.0.0.1", "127.0.0.1"), ("::127.0.0.1", "::7f00:1"),
        // Unicode's lower case would make a k of the Kelvin sign.
        ("BAN\u{212A}.test", "ban\u{212A}.test"), ("BÜCHER.example", "bÜcher.example"), ("a:b", "a:b"),
        ("0::1.", "::1"), ("[::1].", "::1"), ("[0::1%eth0].", "::1"), (":.", "::"), ("::.", "::"),
    ])
    func `hosts are compared in one form`(host: String, canonical: String) {
        #expect(HostName.canonical(host) == canonical)
        #expect(HostName.canonical(canonical) == canonical)
    }
}

struct AddressTextTests {
    /// RFC 5952 §4: lower case, no leading zeros, the longest run of zeros, the first of several, never a single zero.
    @Test(arguments: [
        ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
        ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("0::0", "::"),
        ("0:0:0:0:0:0:0:1", "::1"), ("1::", "1::"), ("[::1]", "::1"), ("fe80::1%eth0", "fe80::1"),
        ("[fe80::01%1]", "fe80::1"),
    ])
    func `IPv6 is written as RFC 5952 says`(text: String, canonical: String) {
        #expect(AddressText.canonicalIPv6(text) == canonical)
    }

    @Test(arguments: ["", "127.0.0.1", "::g", "1:2:3", "[::1", "a.test", ":::"])
    func `what is not IPv6 has no canonical form`(text: String) {
        #expect(AddressText.canonicalIPv6(text) == nil)
    }

    @Test func `bytes are written if they are an address`() {
        #expect(AddressText.text([127, 0, 0, 1]) == "127.0.0.1")
        #expect(AddressText.text([UInt8](repeating: 0, count: 16)) == "::")
        for count in [0, 3, 5, 15, 17] { #expect(AddressText.text([UInt8](repeating: 1, count: count)) == nil) }
    }

    @Test(
        arguments: [
            ("127.0.0.1", [127, 0, 0, 1]), ("127.1", [127, 0, 0, 1]), ("2130706433", [127, 0, 0, 1]),
            ("0x7f.1", [127, 0, 0, 1]), ("0177.0.0.1", [127, 0, 0, 1]), ("::ffff:127.0.0.1", [127, 0, 0, 1]),
            ("[::FFFF:7f00:1]", [127, 0, 0, 1]),
        ] as [(String, [UInt8])])
    func `a lenient reader finds an IPv4 address in many forms`(text: String, bytes: [UInt8]) {
        #expect(AddressText.bytes(parsing: text).contains(bytes))
    }

    @Test func `a leading zero has two readings`() {
        let found = AddressText.bytes(parsing: "010.0.0.1")
        #expect(found.contains([8, 0, 0, 1]) && found.contains([10, 0, 0, 1]))
    }

    @Test(arguments: ["a.test", "1.2.3.4.5", "256.0.0.1", "1..2", "", "4294967296", "1.2.3.256", "-1.0.0.1"])
    func `a lenient reader finds no address in other texts`(text: String) {
        #expect(AddressText.bytes(parsing: text).isEmpty)
    }
}
