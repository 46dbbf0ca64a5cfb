// SPDX-License-Identifier: Apache-2.0

/// The elements of a comma-separated list, without surrounding whitespace. Empty ones are skipped, as RFC 9110 §5.6.1.2
/// requires of recipients. For lists of tokens: quoted strings are not supported.
struct ListElements {
    private var rest: Range<Int>

    init(_ value: Range<Int>) {
        rest = value
    }

    mutating func next(in bytes: Span<UInt8>) -> Range<Int>? {
        while !rest.isEmpty {
            var comma = rest.lowerBound
            while comma < rest.upperBound, bytes[comma] != .comma { comma &+= 1 }
            var start = rest.lowerBound
            var end = comma
            while start < end, bytes[start].isBlankOrFold { start &+= 1 }
            while end > start, bytes[end &- 1].isBlankOrFold { end &-= 1 }
            rest = min(comma &+ 1, rest.upperBound)..<rest.upperBound
            if start < end { return start..<end }
        }
        return nil
    }
}

extension UInt8 {
    /// A blank, or part of a line end: within a value that is a fold (RFC 9112 §5.2), which stands for spaces.
    fileprivate var isBlankOrFold: Bool { isBlank || self == .carriageReturn || self == .lineFeed }
}
