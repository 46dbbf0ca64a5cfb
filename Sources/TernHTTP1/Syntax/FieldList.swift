// SPDX-License-Identifier: Apache-2.0

/// What a list in the fields of a message may be. A peer chooses how long its lists are, and an element costs more than its
/// bytes: so nothing reads a list without limits. They hold for all fields of one name together (RFC 9110 §5.3).
package struct ListRules: Sendable {
    /// The maximum number of elements.
    package let maximumCount: Int
    /// The maximum number of bytes.
    package let maximumLength: Int
    /// Whether a comma in a quoted string is a part of its element (RFC 9110 §5.6.4).
    let hasQuotedStrings: Bool
    /// Whether an empty element is one. Otherwise it is skipped, as RFC 9110 §5.6.1.2 requires of recipients.
    let keepsEmpty: Bool

    private init(
        maximumCount: Int = 64, maximumLength: Int = 8 * 1024, hasQuotedStrings: Bool = false, keepsEmpty: Bool = false
    ) {
        (self.maximumCount, self.maximumLength) = (maximumCount, maximumLength)
        (self.hasQuotedStrings, self.keepsEmpty) = (hasQuotedStrings, keepsEmpty)
    }

    /// Names, such as those in `Connection` and `Vary`, or anything else without quoted strings.
    package static var tokens: ListRules { ListRules() }
    /// Names with arguments, such as those in `Cache-Control`.
    package static var directives: ListRules { ListRules(hasQuotedStrings: true) }
    /// The names in `Content-Encoding`: no server applies more than a few codings.
    package static var codings: ListRules { ListRules(maximumCount: 16, maximumLength: 1024) }
    /// Members of a structured field (RFC 9651 §4.2): none may be empty.
    package static var members: ListRules { ListRules(hasQuotedStrings: true, keepsEmpty: true) }
    /// The numbers of a repeated `Content-Length`: none may be empty.
    static var lengths: ListRules { ListRules(keepsEmpty: true) }

    /// Calls `body` with each element, in order and in place. Returns false if there is more than the rules allow: then some
    /// or all elements are missing, and the caller must not trust the others.
    package func read(_ values: [[UInt8]], _ body: (Span<UInt8>) -> Void) -> Bool {
        var reader = ListReader(self)
        for value in values {
            reader.begin(value.indices)
            while let element = reader.next(in: value.span) { body(value.span.extracting(element)) }
        }
        return !reader.isTooLong
    }
}

/// Reads the elements of a list from left to right, in place, and without the whitespace around them.
///
/// What is beyond the limits has no elements, and `isTooLong` says so: each caller has an answer to that.
struct ListReader {
    private let rules: ListRules
    private var rest = 0..<0
    /// Whether there is an element in `rest`, which may be empty.
    private var hasNext = false
    private var countLeft: Int
    private var lengthLeft: Int
    /// Whether the list has more than the rules allow.
    private(set) var isTooLong = false

    @inline(__always)
    init(_ rules: ListRules) {
        self.rules = rules
        (countLeft, lengthLeft) = (rules.maximumCount, rules.maximumLength)
    }

    /// Continues with the value of the first or of a further field.
    @inline(__always)
    mutating func begin(_ value: Range<Int>) {
        lengthLeft &-= min(value.count, lengthLeft &+ 1)
        if lengthLeft < 0 { isTooLong = true }
        (rest, hasNext) = (value, !isTooLong)
    }

    /// The next element of the value; nil behind the last.
    mutating func next(in bytes: Span<UInt8>) -> Range<Int>? {
        while hasNext {
            var start = rest.lowerBound
            let separator = firstSeparator(in: bytes)
            var end = separator
            while start < end, bytes[start].isBlankOrFold { start &+= 1 }
            while end > start, bytes[end &- 1].isBlankOrFold { end &-= 1 }
            hasNext = separator < rest.upperBound
            rest = min(separator &+ 1, rest.upperBound)..<rest.upperBound
            if start == end, !rules.keepsEmpty { continue }
            countLeft &-= 1
            if countLeft >= 0 { return start..<end }
            (isTooLong, hasNext, lengthLeft) = (true, false, -1)
        }
        return nil
    }

    /// The first separator, or the end of the value.
    private func firstSeparator(in bytes: Span<UInt8>) -> Int {
        var index = rest.lowerBound
        var isQuoted = false
        while index < rest.upperBound {
            let byte = bytes[index]
            if byte == UInt8(ascii: ","), !isQuoted { return index }
            if rules.hasQuotedStrings {
                if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
                if byte == UInt8(ascii: "\\"), isQuoted { index &+= 1 }
            }
            index &+= 1
        }
        return rest.upperBound
    }
}

extension UInt8 {
    /// A blank, or part of a line end: within a value that is a fold (RFC 9112 §5.2), which stands for spaces.
    fileprivate var isBlankOrFold: Bool { self == 0x20 || self == 0x09 || self == 0x0D || self == 0x0A }

    /// In lower case, if it is an ASCII letter.
    fileprivate var folded: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}

extension Span<UInt8> {
    /// Whether these bytes are this name, whatever their case.
    ///
    /// - Parameter name: in lower case, in ASCII.
    package func isName(_ name: String) -> Bool {
        let name = name.utf8.span
        guard count == name.count else { return false }
        for index in indices where self[index].folded != name[index] { return false }
        return true
    }

    /// The bytes as the name of something, in lower case.
    package var lowercasedName: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for index in indices { bytes.append(self[index].folded) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A copy of some of the bytes.
    package func copy(_ range: Range<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        for index in range.clamped(to: indices) { bytes.append(self[index]) }
        return bytes
    }
}
