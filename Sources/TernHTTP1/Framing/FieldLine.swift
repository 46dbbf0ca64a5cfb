// SPDX-License-Identifier: Apache-2.0

/// One line of a header or trailer section (RFC 9112 §5).
enum FieldLine {
    /// `field-name ":" OWS field-value OWS`
    case field(name: Range<Int>, value: Range<Int>, next: Int)
    /// `obs-fold`: the last field's value continues (§5.2).
    case continuation(value: Range<Int>, next: Int)
    /// The empty line after the section.
    case end(next: Int)
    case incomplete
    case malformed(HTTPProtocolError.Field, at: Int)

    /// Reads the line that begins at `start`. Positions are positions in `bytes`.
    static func read(_ bytes: Span<UInt8>, at start: Int, bareLineFeed: Bool) -> FieldLine {
        let nameEnd = bytes.firstNonToken(from: start)
        guard nameEnd < bytes.count else { return .incomplete }
        guard bytes[nameEnd] == .colon, nameEnd > start else {
            return readSlowPath(bytes, at: start, nameEnd: nameEnd, bareLineFeed: bareLineFeed)
        }
        switch readValue(bytes, from: nameEnd &+ 1, bareLineFeed: bareLineFeed) {
        case .value(let value, let next): return .field(name: start..<nameEnd, value: value, next: next)
        case .incomplete: return .incomplete
        case .malformed(let reason, let position): return .malformed(reason, at: position)
        }
    }

    /// A line that does not begin with a name and a colon: the empty line, a continuation, or an error.
    private static func readSlowPath(
        _ bytes: Span<UInt8>, at start: Int, nameEnd: Int, bareLineFeed: Bool
    ) -> FieldLine {
        let byte = bytes[nameEnd]
        if nameEnd > start {
            switch byte {
            case .carriageReturn, .lineFeed: return .malformed(.missingColon, at: nameEnd)
            case .space, .horizontalTab: return readSpaceInName(bytes, from: nameEnd)
            case _: return .malformed(.name, at: nameEnd)
            }
        }
        switch byte {
        case .carriageReturn:
            guard start &+ 1 < bytes.count else { return .incomplete }
            guard bytes[start &+ 1] == .lineFeed else { return .malformed(.bareCarriageReturn, at: start) }
            return .end(next: start &+ 2)
        case .lineFeed:
            return bareLineFeed ? .end(next: start &+ 1) : .malformed(.bareLineFeed, at: start)
        case .space, .horizontalTab:
            switch readValue(bytes, from: start, bareLineFeed: bareLineFeed) {
            case .value(let value, let next): return .continuation(value: value, next: next)
            case .incomplete: return .incomplete
            case .malformed(let reason, let position): return .malformed(reason, at: position)
            }
        case .colon: return .malformed(.emptyName, at: start)
        case _: return .malformed(.name, at: start)
        }
    }

    /// Whitespace after a name: RFC 9112 §5.1 forbids it before a colon, because it has been used to hide framing
    /// fields.
    private static func readSpaceInName(_ bytes: Span<UInt8>, from blank: Int) -> FieldLine {
        var position = blank
        while position < bytes.count, bytes[position].isBlank { position &+= 1 }
        guard position < bytes.count else { return .incomplete }
        switch bytes[position] {
        case .colon: return .malformed(.spaceBeforeColon, at: position)
        case .carriageReturn, .lineFeed: return .malformed(.missingColon, at: position)
        case _: return .malformed(.name, at: position)
        }
    }

    private enum Value {
        case value(Range<Int>, next: Int)
        case incomplete
        case malformed(HTTPProtocolError.Field, at: Int)
    }

    /// Reads `OWS field-value OWS` and the line end. CR, LF and NUL are dangerous and refused; other control
    /// characters are invalid but harmless, and RFC 9110 §5.5 lets a recipient keep them: a cookie with a stray 0x01
    /// must not cost its user the response.
    private static func readValue(_ bytes: Span<UInt8>, from start: Int, bareLineFeed: Bool) -> Value {
        var first = start
        while first < bytes.count, bytes[first].isBlank { first &+= 1 }
        var end = bytes.firstControl(from: first)
        while end < bytes.count {
            let byte = bytes[end]
            if byte == .carriageReturn {
                guard end &+ 1 < bytes.count else { return .incomplete }
                guard bytes[end &+ 1] == .lineFeed else { return .malformed(.bareCarriageReturn, at: end) }
                return .value(trimmed(bytes, first, end), next: end &+ 2)
            }
            if byte == .lineFeed {
                guard bareLineFeed else { return .malformed(.bareLineFeed, at: end) }
                return .value(trimmed(bytes, first, end), next: end &+ 1)
            }
            if byte == 0 { return .malformed(.value, at: end) }
            end = bytes.firstControl(from: end &+ 1)
        }
        return .incomplete
    }

    @inline(__always)
    private static func trimmed(_ bytes: Span<UInt8>, _ first: Int, _ last: Int) -> Range<Int> {
        var end = last
        while end > first, bytes[end &- 1].isBlank { end &-= 1 }
        return first..<end
    }
}

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
