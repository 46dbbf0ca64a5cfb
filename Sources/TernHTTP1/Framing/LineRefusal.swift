// SPDX-License-Identifier: Apache-2.0

/// When a line that cannot be read is refused.
///
/// A line is refused when it is complete, or too long to become valid. So the verdict depends on the bytes alone, not
/// on how they were split: it is the first broken rule within the limit, else the limit.
enum LineRefusal {
    case wait
    case refuse(at: Int, isTooLong: Bool)

    /// - Parameters:
    ///   - wrong: where the line breaks a rule, or `nil` if it only lacks its end.
    ///   - limit: the maximum length of the line without its end; not negative.
    init(_ bytes: Span<UInt8>, line: Int, wrong: Int?, limit: Int) {
        let isComplete = bytes.firstLineFeed(from: line) < bytes.count
        let exceedsLimit = bytes.count &- line >= limit.addingSaturating(2)
        guard isComplete || exceedsLimit else {
            self = .wait
            return
        }
        if let wrong, wrong &- line <= limit {
            self = .refuse(at: wrong, isTooLong: false)
        } else {
            self = .refuse(at: line &+ limit, isTooLong: true)
        }
    }
}

extension Int {
    /// The sum of two numbers that are not negative, at most `Int.max`.
    func addingSaturating(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    /// The product of two numbers that are not negative, at most `Int.max`.
    func multipliedSaturating(by other: Int) -> Int {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }
}
