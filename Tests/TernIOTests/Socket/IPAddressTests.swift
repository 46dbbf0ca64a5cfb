// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import TernIO

@Suite struct IPAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("::ffff:1.2.3.4", "::ffff:1.2.3.4"),
    ])
    func `a literal reads back in its shortest form`(literal: String, description: String) throws {
        let address = try #require(IPAddress(literal: literal))
        #expect(address.description == description)
        #expect(address.isIPv6 == literal.contains(":"))
        #expect(IPAddress(literal: address.description) == address)
    }

    @Test func `a zone names an interface, by its name or number, and makes another address`() throws {
        let plain = try #require(IPAddress(literal: "fe80::1"))
        let named = try #require(IPAddress(literal: "fe80::1%lo"))
        #expect(named != plain && named.description == "fe80::1")
        let number = unsafe if_nametoindex("lo")
        #expect(IPAddress(literal: "fe80::1%\(number)") == named)
        for text in [
            "fe80::1%", "fe80::1%no-such-one", "fe80::1%0", "fe80::1%-1", "127.0.0.1%lo", "%lo", "fe80::1%lo%lo",
        ] {
            #expect(IPAddress(literal: text) == nil, "\(text)")
        }
    }

    @Test(arguments: ["", "localhost", "127.1", "[::1]", "127.0.0.1\0", "127.0.0.1:80"])
    func `what is no literal is nil`(text: String) {
        #expect(IPAddress(literal: text) == nil)
    }
}
