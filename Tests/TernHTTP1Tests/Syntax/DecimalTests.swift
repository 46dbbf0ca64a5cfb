// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernHTTP1

@Suite struct DecimalTests {
    private func read(_ text: String) -> Decimal { Decimal.read(text.utf8.span, 0..<text.utf8.count) }

    @Test(arguments: [("0", 0), ("007", 7), ("9223372036854775807", Int.max)])
    func `digits are a number`(text: String, number: Int) {
        guard case .value(let value) = read(text) else {
            Issue.record("\(text) is not read")
            return
        }
        #expect(value == number)
    }

    @Test(arguments: [("", 0), ("-1", 0), ("+1", 0), ("1 ", 1), ("12a", 2)])
    func `everything else is malformed, at its first other byte`(text: String, position: Int) {
        guard case .malformed(let found) = read(text) else {
            Issue.record("\(text) is read")
            return
        }
        #expect(found == position)
    }

    @Test func `a number past Int.max overflows at its last digit`() {
        guard case .overflow(let position) = read("9223372036854775808") else {
            Issue.record("the number is read")
            return
        }
        #expect(position == 18)
    }

    @Test(arguments: [(0, 1), (9, 1), (10, 2), (Int.max, 19)])
    func `the digits of a number are counted`(number: Int, count: Int) {
        #expect(Decimal.digits(number) == count)
    }
}
