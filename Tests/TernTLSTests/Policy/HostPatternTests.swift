// SPDX-License-Identifier: Apache-2.0
import TernTLS
import Testing

struct HostPatternTests {
    @Test(arguments: [
        ("example.com", "example.com", true), ("example.com", "EXAMPLE.com.", true),
        ("example.com", "a.example.com", false),
        ("*.example.com", "a.example.com", true), ("*.example.com", "example.com", false),
        ("*.example.com", "a.b.example.com", false), ("*.example.com", "aexample.com", false),
        ("*.example.com", ".example.com", false), ("**.example.com", "example.com", true),
        ("**.example.com", "a.b.example.com", true), ("**.example.com", "notexample.com", false),
        ("**.example.com", "a..example.com", false), ("Example.COM.", "example.com", true),
        ("127.0.0.1", "127.0.0.1", true), ("::1", "::1", true), ("2001:DB8::0:1", "2001:db8::1", true),
        ("2001:db8::1", "2001:db8:0::1%eth0", true), ("127.0.0.1", "::ffff:127.0.0.1", true),
        ("::FFFF:7f00:1", "127.0.0.1", true), ("127.0.0.1", "::127.0.0.1", false), ("*.0.0.1", "127.0.0.1", false),
        ("*.example.com", "*.example.com", false), ("*.localhost", "a.localhost", true),
        ("*.b\u{fc}cher.test", "a.xn--bcher-kva.test", true), ("\u{270c}.test", "xn--7bi.test", true),
    ])
    func `a pattern stands for its hosts`(pattern: String, host: String, matches: Bool) {
        #expect((try? HostPattern(pattern))?.matches(host) ?? false == matches)
    }

    @Test(arguments: [
        "", "*", "**", "*.", "**.", "***.example.com", "a.*.example.com", "*example.com", "a*.example.com",
        "exa mple.com", "https://example.com", "example.com:443", "ex\u{ff0f}mple.com", "[::1]", "*.127.0.0.1", "a..b",
        ".",
        "*.*.example.com", "**.::1", "example.com/",
    ])
    func `what stands for no host is refused`(text: String) {
        #expect(throws: HostPatternError.self) { try HostPattern(text) }
    }

    @Test func `a pattern is written as it was read, in canonical form`() throws {
        for text in ["example.com", "*.example.com", "**.example.com"] {
            #expect("\(try HostPattern(text))" == text)
        }
        #expect("\(try HostPattern("*.EXAMPLE.com."))" == "*.example.com")
        #expect(try HostPattern("A.example") == HostPattern("a.EXAMPLE."))
    }
}

struct HostPatternErrorTests {
    @Test(arguments: [
        ("a.*.example.com", HostPatternError.misplacedWildcard("a.*.example.com")),
        ("*example.com", .misplacedWildcard("*example.com")), ("***.a.b", .misplacedWildcard("***.a.b")),
        ("[::1]", .invalidHost("[::1]")), ("exa mple.com", .invalidHost("exa mple.com")), ("", .invalidHost("")),
    ])
    func `a misplaced asterisk and a bad host are distinguished`(text: String, error: HostPatternError) {
        #expect(throws: error) { try HostPattern(text) }
        #expect(error.description.contains("\"\(text)\""))
    }
}
