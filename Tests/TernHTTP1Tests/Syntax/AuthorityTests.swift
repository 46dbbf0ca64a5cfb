// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernHTTP1

@Suite struct AuthorityTests {
    private func isValid(_ text: String) -> Bool { Authority.isValid(text.utf8.span) }
    private func isHostAndPort(_ text: String) -> Bool { Authority.isHostAndPort(text.utf8.span) }

    @Test(arguments: ["a", "a:", "a:80", "127.0.0.1:65535", "[::1]", "[::1]:443", "[v1.a]", "a%20b", "a_b.c"])
    func `a host, with or without a port, is valid`(text: String) { #expect(isValid(text)) }

    @Test(arguments: [
        "", ":80", "user@host", "a b", "a/b", "a:8o", "a:655360", "[::1", "[]", "[1]", "[::1%25eth0]", "a^",
    ])
    func `userinfo, paths, blanks, zones and unclosed brackets are refused`(text: String) { #expect(!isValid(text)) }

    @Test func `CONNECT needs the port`() {
        #expect(isHostAndPort("a:80"))
        #expect(isHostAndPort("[::1]:443"))
        for text in ["a", "a:", "[::1]", ":80"] { #expect(!isHostAndPort(text), "\(text)") }
    }
}
