// SPDX-License-Identifier: Apache-2.0
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

    @Test(arguments: ["", "localhost", "127.1", "[::1]", "127.0.0.1\0", "127.0.0.1:80"])
    func `what is no literal is nil`(text: String) {
        #expect(IPAddress(literal: text) == nil)
    }
}
