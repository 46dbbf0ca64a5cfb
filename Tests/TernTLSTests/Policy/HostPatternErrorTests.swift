// SPDX-License-Identifier: Apache-2.0
import TernTLS
import Testing

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
