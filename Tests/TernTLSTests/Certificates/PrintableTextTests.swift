// SPDX-License-Identifier: Apache-2.0
import TernTLS
import Testing

struct PrintableTextTests {
    @Test(arguments: [
        ("plain text, äöü 漢字 🙂", "plain text, äöü 漢字 🙂"), ("a\u{1b}[31mb", "a?[31mb"), ("a\r\nb", "a??b"),
        ("a\u{202e}b", "a?b"), ("a\u{200b}b", "a?b"), ("a\u{2028}b\u{2029}c", "a?b?c"), ("a\u{9b}b", "a?b"), ("", ""),
        ("\u{0}", "?"),
    ])
    func `what controls a terminal or ends a line is replaced, and nothing else`(text: String, shown: String) {
        #expect(PrintableText.replacing(text) { _ in "?" } == shown)
    }

    @Test func `the replacement may depend on the character`() {
        #expect(PrintableText.replacing("a\u{7}b\u{8}") { "<\($0.value)>" } == "a<7>b<8>")
    }
}
