// SPDX-License-Identifier: Apache-2.0
import TernTLS
import Testing

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
