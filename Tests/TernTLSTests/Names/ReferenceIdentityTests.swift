// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernTLS

struct ReferenceIdentityTests {
    @Test(arguments: ["127.0.0.1", "0.0.0.0", "255.255.255.255", "1.20.3.249"])
    func `four numbers up to 255 are an address`(host: String) {
        #expect(ReferenceIdentity(host) == .address(host))
    }

    @Test(arguments: [
        "127.1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.1000", "01.2.3.4", "1.2.3.00", "1..3.4", ".1.2.3", "1.2.3.",
        "1.2.3.4.", "2130706433", "0x7f.0.0.1", "1.2.3.+4", "99999999999999999999.2.3.4", "", ".",
    ]) func `text that only looks like an address is no name`(host: String) {
        #expect(ReferenceIdentity(host) == nil)
    }

    @Test(arguments: ["::1", "2001:db8::1", "fe80::1%eth0", "::ffff:192.0.2.1"])
    func `an IPv6 literal is an address, without its zone`(host: String) {
        #expect(ReferenceIdentity(host) == .address(String(host.prefix { $0 != "%" })))
    }

    @Test(arguments: [
        "localhost": "localhost", "example.com": "example.com", "example.com.": "example.com",
        "1.2.3.four": "1.2.3.four", "1.2.3.-4": "1.2.3.-4",
        "xn--bcher-kva.example": "xn--bcher-kva.example", "_dmarc.a-b.example": "_dmarc.a-b.example",
    ]) func `a name is itself, without its trailing dot`(host: String, name: String) {
        #expect(ReferenceIdentity(host) == .name(name))
    }

    @Test(arguments: ["a b", "bücher.example", "a..b", "example.123", "*.example.com", "a/b", ":::", "::g"])
    func `what is neither is nothing`(host: String) {
        #expect(ReferenceIdentity(host) == nil)
    }
}
