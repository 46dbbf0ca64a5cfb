// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

@Suite struct LineSplitterTests {
    @Test(arguments: [
        ("", []), ("a", ["a"]), ("a\n", ["a"]), ("\n", [""]), ("a\nb", ["a", "b"]), ("a\r\nb\r\n", ["a", "b"]),
        ("a\rb\r", ["a", "b"]), ("a\n\rb", ["a", "", "b"]), ("a\r\r\nb", ["a", "", "b"]), ("\r\n\r\n", ["", ""]),
        ("\u{FEFF}a\n\u{FEFF}b", ["a", "\u{FEFF}b"]), ("\u{FEFF}", []), ("\u{FEFF}\n", [""]),
        ("a\u{85}b\u{2028}c\n", ["a\u{85}b\u{2028}c"]),
    ])
    func `a line ends with LF, CRLF or CR, however it comes`(text: String, lines: [String]) {
        for pieces in Cuts.all(Array(text.utf8)) {
            let delivery = LineDelivery(pieces)
            #expect(delivery.lines == lines.map { Array($0.utf8) }, "\(pieces)")
        }
    }

    @Test(arguments: [("a\rb\r\nc", ["a\rb\r", "c"]), ("\r\r", ["\r\r"]), ("\n\n", ["", ""])])
    func `where LF alone ends a line a CR is part of it`(text: String, lines: [String]) {
        for pieces in Cuts.all(Array(text.utf8)) {
            #expect(LineDelivery(pieces, .lineFeed).lines == lines.map { Array($0.utf8) }, "\(pieces)")
        }
    }

    @Test(arguments: [
        "1234\n", "1234", "12345\n", "12345", "\u{FEFF}1234\n", "\u{FEFF}12345", "a\n12345678\nb\n", "1234\r\n123456",
    ])
    func `a line of the limit's length is one, and a longer one an error, however it comes`(text: String) {
        let bytes = Array(text.utf8)
        let whole = LineDelivery([bytes], limit: 4)
        let longest = text.drop { $0 == "\u{FEFF}" }.split { $0.isNewline }.map(\.utf8.count).max() ?? 0
        #expect(whole.isTooLong == (longest > 4))
        for pieces in Cuts.all(bytes) { #expect(LineDelivery(pieces, limit: 4) == whole, "\(pieces)") }
    }

    @Test func `a line that never ends is not kept beyond the limit, and the error stays`() throws {
        var splitter = LineSplitter(limit: 10)
        let bytes = [UInt8](repeating: 1, count: 8)
        var offset = 0
        #expect(try splitter.next(in: bytes.span, from: &offset) == nil)
        for _ in 0..<2 {
            #expect(throws: LineSplitter.TooLong(limit: 10)) {
                var offset = 0
                return try splitter.next(in: bytes.span, from: &offset)
            }
        }
        #expect(throws: LineSplitter.TooLong(limit: 10)) { try splitter.finish() }
    }
}

@Suite struct StringBytesTests {
    @Test(
        arguments: [
            (Array("grün".utf8), "grün"), ([], ""), ([0x61, 0xff, 0x62], "a\u{fffd}b"), ([0, 0x0a], "\u{0}\n"),
        ] as [([UInt8], String)])
    func `bytes that are no UTF-8 are replaced`(bytes: [UInt8], text: String) {
        #expect(String(decoding: bytes.span) == text)
    }
}
