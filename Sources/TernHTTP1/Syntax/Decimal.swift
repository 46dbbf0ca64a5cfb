// SPDX-License-Identifier: Apache-2.0

/// `1*DIGIT`, and nothing else: no sign, no space, no wrap-around.
enum Decimal {
    case value(Int)
    case malformed(at: Int)
    case overflow(at: Int)

    static func read(_ bytes: Span<UInt8>) -> Decimal {
        var value = 0
        guard !bytes.isEmpty else { return .malformed(at: 0) }
        for index in bytes.indices {
            guard bytes[index].isDigit else { return .malformed(at: index) }
            let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tenfold.addingReportingOverflow(Int(bytes[index] &- .zero))
            guard !overflow, !carry else { return .overflow(at: index) }
            value = sum
        }
        return .value(value)
    }
}
