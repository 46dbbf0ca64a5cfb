// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernHTTP1

@Suite struct ListElementsTests {
    private func elements(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        var list = ListElements(bytes.indices)
        var found: [String] = []
        while let element = list.next(in: bytes.span) { found.append(String(decoding: bytes[element], as: UTF8.self)) }
        return found
    }

    @Test func `elements lose the blanks around them and keep those within`() {
        #expect(elements("a,\tb c ,d") == ["a", "b c", "d"])
    }

    @Test(arguments: ["", ",", " , ,\t"])
    func `empty elements are passed over`(text: String) {
        #expect(elements(text).isEmpty)
        #expect(elements(text + ",a," + text) == ["a"])
    }

    @Test func `a fold counts as a blank`() { #expect(elements("a,\r\n b") == ["a", "b"]) }
}
