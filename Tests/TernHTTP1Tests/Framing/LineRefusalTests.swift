// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernHTTP1

@Suite struct LineRefusalTests {
    private func verdict(_ text: String, wrong: Int?, limit: Int) -> String {
        switch LineRefusal(text.utf8.span, line: 0, wrong: wrong, limit: limit) {
        case .wait: "wait"
        case .refuse(let position, let isTooLong): "\(position)\(isTooLong ? " too long" : "")"
        }
    }

    @Test func `a line without its end waits, broken or not`() {
        #expect(verdict("ab", wrong: 1, limit: 4) == "wait")
        #expect(verdict("ab", wrong: nil, limit: 4) == "wait")
    }

    @Test func `a whole line is refused at its first error`() { #expect(verdict("ab\n", wrong: 1, limit: 4) == "1") }

    @Test func `an error behind the limit is one of length`() {
        #expect(verdict("abcdef\n", wrong: 5, limit: 4) == "4 too long")
    }

    @Test func `a line past its limit and a line end is refused before its end`() {
        #expect(verdict("abcde", wrong: nil, limit: 4) == "wait")
        #expect(verdict("abcdef", wrong: nil, limit: 4) == "4 too long")
    }
}
