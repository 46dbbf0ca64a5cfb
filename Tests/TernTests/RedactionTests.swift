// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Tern

@Suite struct RedactionTests {
    @Test(arguments: [
        ("https://joe:secret@example.com/p?q", "https://example.com/p?q"),
        ("https://joe@example.com", "https://example.com"),
        ("https://a@b:secret@example.com/", "https://example.com/"),
        ("//joe:secret@example.com", "//example.com"),
        ("https://example.com/~joe@home?mail=a@b#c@d", "https://example.com/~joe@home?mail=a@b#c@d"),
        ("https://example.com?user=a@b", "https://example.com?user=a@b"),
        // A combining mark makes one character of itself and the delimiter before it.
        ("https://joe:secret@\u{301}example.com/", "https://\u{301}example.com/"),
        ("https://\u{301}joe:secret@example.com/", "https://example.com/"),
        ("https://example.com/\u{301}@home", "https://example.com/\u{301}@home"),
        ("https://example.com?\u{301}user=a@b", "https://example.com?\u{301}user=a@b"),
        ("no url at all", "no url at all"), ("", ""),
    ])
    func `userinfo is left out of URLs, and nothing else`(url: String, shown: String) {
        #expect(Redaction.url(url) == shown)
    }
}
