// SPDX-License-Identifier: Apache-2.0

/// The value of a `Content-Range` field that counts bytes (RFC 9110 §14.4).
enum ContentRange: Sendable, Hashable {
    /// These bytes; `total` is nil if the length of the whole is unknown.
    case part(first: Int64, last: Int64, total: Int64?)
    /// None of the requested bytes: the whole has this many.
    case unsatisfied(total: Int64)

    /// Nil for anything else, such as another unit, and for an impossible part.
    init?(_ value: String) {
        let parts = value.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, String(decoding: parts[0], as: UTF8.self).lowercased() == "bytes" else { return nil }
        let range = parts[1].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard range.count == 2 else { return nil }
        let total = Self.number(range[1])
        guard total != nil || range[1].elementsEqual("*".utf8) else { return nil }
        if range[0].elementsEqual("*".utf8) {
            guard let total else { return nil }
            self = .unsatisfied(total: total)
            return
        }
        let ends = range[0].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last,
            last < total ?? .max
        else { return nil }
        self = .part(first: first, last: last, total: total)
    }

    private static func number(_ digits: Substring.UTF8View) -> Int64? {
        let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        guard digits.allSatisfy(isDigit) else { return nil }
        // An empty text is not a number.
        return Int64(String(decoding: digits, as: UTF8.self))
    }
}
