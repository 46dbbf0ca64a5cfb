// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernSystem

@Suite struct ByteTextTests {
    @Test(
        "bytes are read from their text again",
        arguments: [
            [], Array("plain".utf8), Array("é 語 🐦".utf8), [0xE9], Array("caf".utf8) + [0xE9], Array(0x80...0xFF),
            // Truncated, overlong, surrogates, beyond U+10FFFF.
            [0xE2, 0x82], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF0, 0x9F, 0x90],
            // The UTF-8 of the scalars that stand for bytes, and of their neighbours.
            [0xF4, 0x8F, 0x9E, 0x80], [0xF4, 0x8F, 0x9F, 0xA9], [0xF4, 0x8F, 0x9F, 0xBF], [0xF4, 0x8F, 0x9D, 0xBF],
            [0xF4, 0x8F, 0xA0, 0x80], [0xF4, 0x8F, 0x9F, 0xA9, 0xE9],
        ] as [[UInt8]])
    func reversible(bytes: [UInt8]) {
        #expect(ByteText.bytes(of: ByteText.text(of: bytes)) == bytes)
    }

    @Test func `random bytes are read from their text again`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            // Mostly bytes from which UTF-8 is made.
            let bytes = (0..<Int.random(in: 0...12, using: &random)).map { _ -> UInt8 in
                Bool.random() ? [0xF4, 0x8F, 0x9E, 0x9F, 0xA9, 0xC3, 0x41].randomElement() ?? 0 : .random(in: 1...255)
            }
            #expect(ByteText.bytes(of: ByteText.text(of: bytes)) == bytes, "\(bytes)")
        }
    }

    @Test func `UTF-8 is itself, and two byte sequences have two texts`() {
        #expect(ByteText.text(of: Array("é🐦".utf8)) == "é🐦")
        let typed = Array("\u{10F7E9}".utf8)
        #expect(ByteText.text(of: typed) != ByteText.text(of: [0xE9]))
        #expect(ByteText.text(of: [0xC3, 0xA9]) != ByteText.text(of: [0xE9]))
    }

    @Test func `the bytes that are not UTF-8 are replaced, and nothing else`() {
        #expect(ByteText.replacing(in: ByteText.text(of: [0x61, 0xE9, 0xC3, 0xA9])) { "<\($0)>" } == "a<233>é")
    }

    @Test func `a path is UTF-8 unless the process says otherwise`() {
        #expect(ByteText.bytes(ofPath: "\u{10F7E9}") == Array("\u{10F7E9}".utf8))
        #expect(ByteText.text(ofPath: [0x61, 0xE9]) == "a\u{FFFD}")
        #expect(unsafe ByteText.withPath("é") { unsafe String(cString: $0) } == "é")
    }
}
