// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Whether two field names are equal: ASCII letters without regard to case (RFC 9110 §5.1).
    func isFieldName(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return utf8.span.isEqualIgnoringCase(to: other.utf8.span)
    }
}

extension String {
    /// The text with ASCII letters in lower case and all else unchanged: Unicode case folding would turn the Kelvin
    /// sign into a "k".
    var asciiLowercased: String {
        guard utf8.span.hasCapital else { return self }
        return String(decoding: utf8.map(\.lowercased), as: UTF8.self)
    }
}

extension Span<UInt8> {
    fileprivate var hasCapital: Bool {
        for index in indices where self[index] != self[index].lowercased { return true }
        return false
    }

    func contains(_ byte: UInt8) -> Bool {
        for index in indices where self[index] == byte { return true }
        return false
    }

    func isEqualIgnoringCase(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index].lowercased != other[index].lowercased { return false }
        return true
    }
}
