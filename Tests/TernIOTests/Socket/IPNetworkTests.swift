// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernIO

@Suite struct IPNetworkTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.0.0.0/8"), ("192.0.2.1", "192.0.2.1/32"), ("0.0.0.0/0", "0.0.0.0/0"), ("::/0", "::/0"),
        ("2001:DB8::/32", "2001:db8::/32"), ("::1", "::1/128"), ("2001:db8::8000:0:0:0/65", "2001:db8:0:0:8000::/65"),
        ("::ffff:10.0.0.0/104", "10.0.0.0/8"), ("::ffff:0:0/96", "0.0.0.0/0"),
    ])
    func `a network reads back in its shortest form`(text: String, description: String) throws {
        let network = try IPNetwork(text)
        #expect(network.description == description)
        #expect(try IPNetwork(description) == network)
        #expect(try IPNetwork(description).hashValue == network.hashValue)
    }

    @Test(arguments: [
        ("", InvalidIPNetwork.address("")), ("/8", .address("/8")), ("a.test/8", .address("a.test/8")),
        ("10.0/8", .address("10.0/8")), ("0x7f.1", .address("0x7f.1")), ("[::1]/128", .address("[::1]/128")),
        ("fe80::%lo/10", .address("fe80::%lo/10")), ("10.0.0.0\0/8", .address("10.0.0.0\0/8")),
        ("10.0.0.0/", .prefixLength("10.0.0.0/")), ("10.0.0.0/33", .prefixLength("10.0.0.0/33")),
        ("10.0.0.0/-1", .prefixLength("10.0.0.0/-1")), ("10.0.0.0/+8", .prefixLength("10.0.0.0/+8")),
        ("10.0.0.0/08", .prefixLength("10.0.0.0/08")), ("10.0.0.0/8/8", .prefixLength("10.0.0.0/8/8")),
        ("10.0.0.0/255.0.0.0", .prefixLength("10.0.0.0/255.0.0.0")), ("::/129", .prefixLength("::/129")),
        ("::/99999999999999999999", .prefixLength("::/99999999999999999999")),
        ("10.1.2.3/8", .hostBits("10.1.2.3/8", network: "10.0.0.0/8")),
        ("2001:db8::1/32", .hostBits("2001:db8::1/32", network: "2001:db8::/32")),
        ("0.0.0.1/0", .hostBits("0.0.0.1/0", network: "0.0.0.0/0")),
    ])
    func `a text that is no network is refused with the reason`(text: String, reason: InvalidIPNetwork) {
        #expect(throws: reason) { try IPNetwork(text) }
        #expect(!"\(reason)".contains("\n"))
    }

    @Test(arguments: [
        ("10.0.0.0/8", ["10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3"], ["9.255.255.255", "11.0.0.0", "::a00:1"]),
        ("0.0.0.0/0", ["0.0.0.0", "255.255.255.255", "::ffff:0:0"], ["::", "2001:db8::1"]),
        ("::/0", ["::", "2001:db8::1", "::ffff:1.2.3.4"], ["0.0.0.0", "1.2.3.4"]),
        ("192.0.2.1", ["192.0.2.1"], ["192.0.2.0", "192.0.2.2"]),
        ("2001:db8::/63", ["2001:db8::", "2001:db8:0:1:ffff::"], ["2001:db8:0:2::", "2001:db7:ffff::"]),
        ("2001:db8::/65", ["2001:db8::7fff:0:0:0"], ["2001:db8::8000:0:0:0"]),
        ("::1/128", ["::1"], ["::", "::2", "127.0.0.1"]),
        ("fe80::/10", ["fe80::1%lo", "febf::"], ["fec0::", "fe7f::"]),
    ])
    func `a network contains the addresses with its prefix`(text: String, inside: [String], outside: [String]) throws {
        let network = try IPNetwork(text)
        for literal in inside { #expect(network.contains(try #require(IPAddress(literal: literal))), "\(literal)") }
        for literal in outside { #expect(!network.contains(try #require(IPAddress(literal: literal))), "\(literal)") }
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("0x7f.1", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("0", "0.0.0.0"),
        ("017700000001", "127.0.0.1"), ("127.1", "127.0.0.1"), ("0x7F000001", "127.0.0.1"), ("::1", "::1"),
    ])
    func `an address is read in every spelling that the system's look-up takes`(text: String, literal: String) {
        #expect(IPAddress(anySpelling: text) == IPAddress(literal: literal))
    }

    @Test(arguments: ["", "localhost", "1.2.3.4.5", "256.1.1.1", "127.0.0.1 x", "127.0.0.1\0x", "0x", "4294967296"])
    func `what the system's look-up takes for a name is no address`(text: String) {
        #expect(IPAddress(anySpelling: text) == nil)
    }
}
