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

struct ShortenedTextTests {
    @Test func `a text of up to a hundred bytes is left alone, and a longer one is cut and marked`() {
        let fits = String(repeating: "x", count: 100)
        #expect(ShortenedText.shortened(fits) == fits)
        #expect(ShortenedText.shortened(fits + "x") == fits.dropLast() + "…")
    }

    @Test func `a cut within a character does no harm`() {
        let cut = ShortenedText.shortened(String(repeating: "漢", count: 100))
        #expect(cut.hasPrefix("漢漢漢") && cut.hasSuffix("…") && cut.count < 40)
    }

    @Test func `of a list the first five are shown, and the rest is counted`() {
        let names = (1...7).map { "n\($0)" }
        #expect(ShortenedText.list(names) == "n1, n2, n3, n4, n5 and 2 more")
        #expect(ShortenedText.list(names.prefix(5)) == "n1, n2, n3, n4, n5")
        #expect(ShortenedText.list([]) == "")
    }
}
