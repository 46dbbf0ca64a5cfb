// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernHTTP1

@Suite struct SpanWordsTests {
    @Test func `field names are equal without regard to the case of ASCII letters`() {
        #expect("ETag".isFieldName("etag"))
        #expect(!"ETag".isFieldName("etags"))
        #expect(!"[".isFieldName("{"))
        #expect(!"K".isFieldName("\u{212A}"))
    }

    @Test(arguments: [(-1, false), (0, false), (1, true), (2, false), (3, false), (9, false)])
    func `a line end is CR and LF, both within the span`(position: Int, isEnd: Bool) {
        let found = "a\r\n".utf8.span.startsLineEnd(at: position)
        #expect(found == isEnd)
    }

    @Test func `a word is little-endian, and folding sets the bit of lower case`() {
        let (word, folded) = ("ABCDEFGH".utf8.span.word(at: 0), "ABCDEFGH".utf8.span.foldedWord(at: 0))
        #expect(word == 0x4847_4645_4443_4241)
        #expect(folded == 0x6867_6665_6463_6261)
    }
}
