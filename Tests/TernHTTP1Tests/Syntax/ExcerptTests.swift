// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernHTTP1

@Suite struct ExcerptTests {
    private func excerpt(_ text: String, line: Int = 0, upTo position: Int) -> String {
        Excerpt.ofLine(text.utf8.span, line, upTo: position)
    }

    @Test func `bytes that are not printable are escaped`() {
        let text = Excerpt.of("\r\n\t\"\\\u{1}é".utf8.span, 0..<8)
        #expect(text == #"\r\n\t\"\\\x01\xC3\xA9"#)
    }

    @Test func `only the last 32 bytes are shown`() {
        let text = Excerpt.of(String(repeating: "a", count: 40).utf8.span, 0..<40)
        #expect(text.count == 32)
    }

    @Test func `the value of a field is left out, but for the byte that is refused`() {
        #expect(excerpt("Cookie: secret\u{1}", upTo: 14) == #"Cookie:…\x01"#)
    }

    @Test func `a line that is refused in its name is shown up to there`() {
        #expect(excerpt("Coo kie: secret", upTo: 3) == "Coo ")
    }
}
