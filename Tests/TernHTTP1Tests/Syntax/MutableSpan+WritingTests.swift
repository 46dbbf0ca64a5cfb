// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernHTTP1

@Suite struct MutableSpanWritingTests {
    private func written(_ count: Int, _ write: (inout MutableSpan<UInt8>) -> Int) -> (text: String, end: Int) {
        var bytes = [UInt8](repeating: UInt8(ascii: "."), count: count)
        var span = bytes.mutableSpan
        let end = write(&span)
        return (String(decoding: bytes, as: UTF8.self), end)
    }

    @Test func `text is written at the given position, and the end is returned`() {
        let (text, end) = written(5) { $0.write("ab", at: 1) }
        #expect(text == ".ab..")
        #expect(end == 3)
    }

    @Test func `text that does not fit writes only what does`() {
        let (text, _) = written(3) { $0.write("abc", at: 1) }
        #expect(text == ".ab")
    }

    @Test(arguments: [(0, "0..."), (9, "9..."), (10, "10.."), (4321, "4321")])
    func `a number is written in decimal`(number: Int, text: String) {
        let (found, _) = written(4) { $0.write(decimal: number, at: 0) }
        #expect(found == text)
    }

    @Test func `a line end is CR and LF`() {
        let (text, end) = written(3) { $0.writeLineEnd(at: 0) }
        #expect(Array(text.utf8) == [0x0D, 0x0A, 0x2E])
        #expect(end == 2)
    }
}
