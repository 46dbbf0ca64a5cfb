// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernHTTP1

@Suite struct SpanSearchTests {
    /// Fillers of up to 40 bytes before the byte that is looked for: fewer than a block, whole blocks, and overlaps.
    @Test func `a byte is found at every distance, or the end`() {
        for length in 0...40 {
            let filler = [UInt8](repeating: 0x61, count: length)
            for start in [0, length / 2] {
                let found = [
                    (filler + [0x1F]).span.firstControl(from: start),
                    (filler + [0x20]).span.firstNonToken(from: start),
                    (filler + [0x7F]).span.firstForbiddenInValue(from: start),
                    (filler + [0x23]).span.firstForbiddenInTarget(from: start),
                    (filler + [0x0A, 0x61]).span.firstLineFeed(from: start),
                    filler.span.firstLineFeed(from: start),
                ]
                #expect(found == [Int](repeating: length, count: found.count), "\(length), \(start)")
            }
        }
    }

    @Test func `each search finds its class of bytes and no other`() {
        for byte in UInt8.min...UInt8.max {
            // After sixteen bytes of filler the block search finds it, without them the search byte by byte.
            for filler in [[], [UInt8](repeating: 0x61, count: 16)] {
                let bytes = filler + [byte]
                let end = filler.count
                let found = [
                    bytes.span.firstControl(from: 0) == end, bytes.span.firstNonToken(from: 0) == end,
                    bytes.span.firstForbiddenInValue(from: 0) == end,
                    bytes.span.firstForbiddenInTarget(from: 0) == end, bytes.span.firstLineFeed(from: 0) == end,
                ]
                let expected = [
                    byte < 0x20, !byte.isToken, byte < 0x20 && byte != 0x09 || byte == 0x7F,
                    !byte.isVisible || byte == 0x23, byte == 0x0A,
                ]
                #expect(found == expected, "\(byte)")
            }
        }
    }
}

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
