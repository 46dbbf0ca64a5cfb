// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import TernCLI

@Suite struct DecimalTextTests {
    @Test(arguments: [0, 0.1, 1.25, 12.3456784, 999.9999996, 1e-9, -2.5004, 86_400, 123_456_789.125])
    func `a number has the digits that printf writes`(value: Double) {
        for digits in [0, 1, 3, 6] where digits > 0 || value.rounded() == value {
            #expect(DecimalText.fixed(value, digits: digits) == String(format: "%.\(digits)f", value))
        }
    }

    @Test func `what has too many digits is not cut`() {
        #expect(DecimalText.fixed(1e300, digits: 6) == "1e+300")
        #expect(DecimalText.fixed(.infinity, digits: 1) == "inf")
        #expect(DecimalText.fixed(.nan, digits: 1) == "nan")
    }

    @Test(arguments: [(0.01, "0.01"), (5, "5"), (1000, "1000"), (0.3, "0.3"), (1.5, "1.5"), (100, "100"), (0, "0")])
    func `a short number has no zeros behind the point`(value: Double, text: String) {
        #expect(DecimalText.short(value) == text)
    }
}
