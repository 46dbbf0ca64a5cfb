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
    ])
    func `hosts are compared in one form`(host: String, canonical: String) {
        #expect(HostName.canonical(host) == canonical)
        #expect(HostName.canonical(canonical) == canonical)
    }
}
