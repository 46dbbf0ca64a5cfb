// SPDX-License-Identifier: Apache-2.0

/// `1*DIGIT`: no sign, no space, no overflow.
enum Decimal {
    case value(Int)
    case malformed(at: Int)
    case overflow(at: Int)

    /// Reads the whole of `bytes[range]`.
    @inline(__always)
    static func read(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Decimal {
        var value = 0
        var index = range.lowerBound
        guard index < range.upperBound else { return .malformed(at: index) }
        while index < range.upperBound {
            let digit = bytes[index] &- .zero
            guard digit < 10 else { return .malformed(at: index) }
            let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tenfold.addingReportingOverflow(Int(digit))
            guard !overflow, !carry else { return .overflow(at: index) }
            value = sum
            index &+= 1
        }
        return .value(value)
    }

    /// The number of digits of a number that is not negative.
    static func digits(_ number: Int) -> Int {
        var digits = 1
        var rest = number / 10
        while rest > 0 {
            digits &+= 1
            rest /= 10
        }
        return digits
    }
}
