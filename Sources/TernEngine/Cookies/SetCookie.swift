// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// The value of a `Set-Cookie` field, as RFC 6265bis §5.6 has it read. What it sets depends on the URL it came from:
/// ``HTTPCookie/init(_:from:now:)``.
///
/// A server chooses how much there is to read. So each byte is looked at once, nothing is made of an attribute that
/// counts for nothing, and a field beyond the limits is ignored as a whole: a cookie that lost its `Secure` to a limit
/// would be another one.
struct SetCookie: Equatable {
    /// The most fields of a response that are read, as in curl.
    static let maximumCount = 50
    /// The most bytes of a field.
    static let maximumFieldSize = 8 * 1024
    /// The most attributes of a field, but for such of semicolons and blanks alone.
    static let maximumAttributeCount = 16
    /// The most bytes of a name and its value together.
    static let maximumSize = 4096
    /// The most bytes of an attribute's value; longer ones are left out.
    static let maximumAttributeSize = 1024

    /// Empty for a cookie without a name.
    let name: FieldValue
    let value: FieldValue
    /// Without a dot at its beginning, in lower case; nil if there is none or it is empty.
    private(set) var domain: String?
    /// Begins with a slash; nil for the default.
    private(set) var path: FieldValue?
    /// Seconds since 1970.
    private(set) var expires: Int64?
    /// In seconds; comes before `expires`.
    private(set) var maximumAge: Int64?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    private(set) var sameSite: HTTPCookie.SameSitePolicy?
    /// Nil for a field without any.
    private(set) var notes: CookieNotes?

    /// The same for a text, as UTF-8.
    init?(_ field: String) { self.init(Array(field.utf8)) }

    /// Nil for a field that is to be ignored.
    init?(_ field: [UInt8]) {
        guard field.count <= Self.maximumFieldSize else { return nil }
        var position = 0
        guard let first = Self.pair(field.span, &position) else { return nil }
        let size = first.name.count + (first.value?.count ?? 0)
        guard size > 0, size <= Self.maximumSize else { return nil }
        name = FieldValue(first.value == nil ? [] : Array(field[first.name]))
        value = FieldValue(Array(field[first.value ?? first.name]))
        var count = 0
        while true {
            Self.skipEmpty(field.span, &position)
            if position >= field.count { return }
            count += 1
            guard count <= Self.maximumAttributeCount, let pair = Self.pair(field.span, &position) else { return nil }
            take(field[pair.name], field[pair.value ?? 0..<0])
        }
    }

    /// Skips semicolons and blanks.
    private static func skipEmpty(_ field: Span<UInt8>, _ position: inout Int) {
        while position < field.count, field[position] == UInt8(ascii: ";") || field[position].isBlank { position += 1 }
    }

    /// Where both sides of the first equals sign before the next semicolon are, without the blanks around them; without
    /// such a sign there is no second one. Nil for a control character. Moves `position` behind the semicolon.
    private static func pair(
        _ field: Span<UInt8>, _ position: inout Int
    ) -> (name: Range<Int>, value: Range<Int>?)? {
        let start = position
        var sign = -1
        while position < field.count {
            let byte = field[position]
            if byte == UInt8(ascii: ";") { break }
            guard byte >= 0x20 && byte != 0x7F || byte == 0x09 else { return nil }
            if byte == UInt8(ascii: "="), sign < 0 { sign = position }
            position += 1
        }
        let end = position
        position = min(position + 1, field.count)
        if sign < 0 { return (trimmed(start..<end, of: field), nil) }
        return (trimmed(start..<sign, of: field), trimmed(sign + 1..<end, of: field))
    }

    private static func trimmed(_ range: Range<Int>, of field: Span<UInt8>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, field[start].isBlank { start += 1 }
        while start < end, field[end - 1].isBlank { end -= 1 }
        return start..<end
    }

    /// The last attribute of a name counts.
    private mutating func take(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
        guard value.count <= Self.maximumAttributeSize else { return }
        if name.isWord("expires") {
            expires = CookieDate.seconds(value) ?? expires
        } else if name.isWord("max-age") {
            maximumAge = Self.age(value) ?? maximumAge
        } else if name.isWord("domain") {
            let domain = value.first == UInt8(ascii: ".") ? value.dropFirst() : value
            self.domain = domain.isEmpty ? nil : String(decoding: domain.map(\.lowercasedLetter), as: UTF8.self)
        } else if name.isWord("path") {
            path = value.first == UInt8(ascii: "/") ? FieldValue(Array(value)) : nil
        } else if name.isWord("secure") {
            isSecure = true
        } else if name.isWord("httponly") {
            isHTTPOnly = true
        } else if name.isWord("samesite") {
            sameSite = Self.policies.first { value.isWord($0.rawValue) }
        } else if let attribute = CookieNotes.Attribute.allCases.first(where: { name.isWord($0.rawValue) }) {
            notes = CookieNotes(notes, attribute, FieldValue(Array(value)).text)
        }
    }

    private static let policies: [HTTPCookie.SameSitePolicy] = [.strict, .lax, .none]

    /// A number that no integer holds is as good as the largest one, or the smallest.
    private static func age(_ text: ArraySlice<UInt8>) -> Int64? {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = isNegative ? text.dropFirst() : text
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        var age: Int64 = 0
        for digit in digits {
            let (tens, isLarge) = age.multipliedReportingOverflow(by: 10)
            let (sum, isLarger) = tens.addingReportingOverflow(Int64(digit - 0x30))
            if isLarge || isLarger { return isNegative ? .min : .max }
            age = sum
        }
        return isNegative ? -age : age
    }
}
