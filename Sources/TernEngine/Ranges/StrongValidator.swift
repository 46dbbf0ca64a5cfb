// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Distinguishes one state of a resource from every other, byte for byte (RFC 9110 §8.8).
package enum StrongValidator: Sendable, Hashable {
    /// An `ETag` that is not weak, as received: with quotation marks, or without, as some servers send it.
    case entityTag(FieldValue)
    /// A `Last-Modified` without an `ETag`.
    case lastModified(String)

    /// A server's clock has a resolution of one second, and a resource that has just changed may change again within
    /// it. So the date must be this much older than the response (RFC 9110 §8.8.2.2).
    private static let leastAge: Int64 = 60

    /// The maximum length of a tag, in bytes of its text: it is read for each response, and sent back.
    private static let maximumTagLength = 8 * 1024

    /// Nil if the response has none. A weak entity tag does not count, and prevents the date from counting (RFC 9110
    /// §13.1.5).
    package init?(of head: ResponseHead) {
        let tags = head.bytes(for: "ETag").map(FieldValue.init)
        if !tags.isEmpty {
            guard tags.count == 1, Self.isStrongTag(tags[0]) else { return nil }
            self = .entityTag(tags[0])
            return
        }
        let dates = (head.values(for: "Last-Modified"), head.values(for: "Date"))
        guard dates.0.count == 1, dates.1.count == 1, let modified = HTTPDate.exactSeconds(dates.0[0]),
            let now = HTTPDate.exactSeconds(dates.1[0]), Self.isStrong(lastModified: modified, at: now)
        else { return nil }
        self = .lastModified(dates.0[0])
    }

    /// Whether a date distinguishes the states of a resource, in a response that was made at another one; both in seconds.
    static func isStrong(lastModified: Int64, at date: Int64) -> Bool { lastModified <= date - leastAge }

    /// Reads a stored value, if it could have come from a response.
    init?(entityTag: FieldValue?, lastModified: String?) {
        switch (entityTag, lastModified) {
        case (let tag?, nil) where Self.isStrongTag(tag): self = .entityTag(tag)
        case (nil, let date?) where HTTPDate.exactSeconds(date) != nil: self = .lastModified(date)
        default: return nil
        }
    }

    /// For `If-Range`.
    package var fieldValue: FieldValue {
        switch self {
        case .entityTag(let tag): tag
        case .lastModified(let date): FieldValue(date)
        }
    }

    /// Whether the response shows that its resource has changed. A server that sent a tag without quotation marks may
    /// not have understood the condition: it must repeat the tag.
    package func isContradicted(by head: ResponseHead) -> Bool {
        switch self {
        case .entityTag(let tag):
            head.contains("ETag") ? head.bytes(for: "ETag") != [tag.bytes] : !Self.isQuoted(tag.bytes)
        case .lastModified(let date): head.contains("Last-Modified") && head.values(for: "Last-Modified") != [date]
        }
    }

    /// RFC 9110 §8.8.3, except for the quotation marks.
    private static func isStrongTag(_ tag: FieldValue) -> Bool {
        if tag.text.utf8.count > maximumTagLength { return false }
        let bytes = tag.bytes
        if isQuoted(bytes) { return bytes.dropFirst().dropLast().allSatisfy(isTagByte) }
        // Neither a weak one without quotation marks, nor a list.
        return !bytes.isEmpty && !tag.text.lowercased().hasPrefix("w/")
            && bytes.allSatisfy { isTagByte($0) && $0 != UInt8(ascii: ",") }
    }

    private static func isQuoted(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 2 && bytes.first == UInt8(ascii: "\"") && bytes.last == UInt8(ascii: "\"")
    }

    private static func isTagByte(_ byte: UInt8) -> Bool { byte >= 0x21 && byte != 0x22 && byte != 0x7F }
}
