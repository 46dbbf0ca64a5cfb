// SPDX-License-Identifier: Apache-2.0

/// The value of a `Content-Range` field that counts bytes (RFC 9110 §14.4).
package enum ContentRange: Sendable, Hashable {
    /// These bytes; `total` is nil if the length of the whole is unknown.
    case part(first: Int64, last: Int64, total: Int64?)
    /// None of the requested bytes: the whole has this many.
    case unsatisfied(total: Int64)

    /// The maximum length of a value, in bytes: more than three numbers need.
    private static let maximumLength = 128

    /// Nil for anything else, such as another unit, and for an impossible part.
    package init?(_ value: String) {
        if value.utf8.count > Self.maximumLength { return nil }
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

/// What is wrong with a partial response (RFC 9110 §15.3.7).
public enum ContentRangeError: Error, Sendable, Hashable {
    /// It has no `Content-Range`.
    case missing
    /// Its `Content-Range` is not in bytes (RFC 9110 §14.4), or contradicts itself.
    case malformed
    /// It brings several parts, and one was requested.
    case multipart
    /// It brings a part, and the whole was requested.
    case unasked
    /// It begins at another byte than requested.
    case start(Int64, asked: Int64)
    /// The whole is longer or shorter than before.
    case total(Int64, before: Int64)
    /// The announced length of the body differs from that of the part.
    case length(Int64, ofPart: Int64)
}

extension ContentRangeError: CustomStringConvertible {
    /// One line for a log.
    public var description: String {
        switch self {
        case .missing: "it does not say which (Content-Range)"
        case .malformed: "its Content-Range cannot be read"
        case .multipart: "it brings several"
        case .unasked: "it brings a part, and the whole was requested"
        case .start(let first, let asked): "it begins at byte \(first), and was to begin at \(asked)"
        case .total(let total, let before): "the whole has \(total) bytes now, and had \(before)"
        case .length(let length, let part): "its body has \(length) bytes, and the part \(part)"
        }
    }

    var rule: String { description }
}

/// The first byte that a `Range` field requests (RFC 9110 §14.2).
struct RequestedRange {
    /// Nil if the server decides: the last bytes, several parts, or not a range in bytes.
    let first: Int64?

    init(_ value: String) {
        let words = value.split(separator: "=", omittingEmptySubsequences: false)
        let ends = words.last?.split(separator: "-", omittingEmptySubsequences: false) ?? []
        guard words.count == 2, words[0].lowercased() == "bytes", ends.count == 2 else {
            first = nil
            return
        }
        first = Int64(ends[0])
    }
}
