// SPDX-License-Identifier: Apache-2.0

/// The parameters of a `Content-Disposition` field (RFC 6266 §4.1).
///
/// Lenient: common errors of servers are read as browsers read them, and unreadable parts count as absent. The values
/// are the peer's proposals, and not yet safe file names; see ``FileName``.
struct ContentDisposition {
    /// `filename`; nil if it is absent.
    private(set) var name: String?
    /// `filename*` (RFC 8187), decoded; nil if it is absent, or in a character set that a client need not know.
    private(set) var extendedName: String?

    /// The file name that the server proposes.
    var fileName: String? { extendedName ?? name }

    /// The maximum length of a value, in bytes, and the maximum number of its parameters: no more is read.
    private static let (maximumLength, maximumCount) = (8 * 1024, 64)

    init(_ value: String) {
        if value.utf8.count > Self.maximumLength { return }
        var reader = Reader(rest: Array(value.utf8)[...])
        // The type, such as `attachment`; a field that begins with a parameter has none.
        let type = reader.token()
        if reader.take("=") { keep(type, reader.value()) }
        for _ in 0..<Self.maximumCount where reader.skipToParameter() {
            let parameter = reader.token()
            if reader.take("=") { keep(parameter, reader.value()) }
        }
    }

    /// Of several with one name the first counts.
    private mutating func keep(_ parameter: [UInt8], _ value: [UInt8]) {
        switch String(decoding: parameter, as: UTF8.self).lowercased() {
        case "filename" where name == nil: name = String(decoding: value, as: UTF8.self)
        case "filename*" where extendedName == nil: extendedName = Self.extended(value)
        default: break
        }
    }

    /// `UTF-8'language'percent-encoded`, or the same in ISO-8859-1 (RFC 8187 §3.2).
    private static func extended(_ value: [UInt8]) -> String? {
        let parts = value.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = PercentEncoding.decoded(parts[2]) else { return nil }
        switch String(decoding: parts[0], as: UTF8.self).lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        private mutating func skipBlanks() { rest = rest.drop { $0 == 0x20 || $0 == 0x09 } }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            skipBlanks()
            guard rest.first == UInt8(character.value) else { return false }
            rest.removeFirst()
            return true
        }

        /// Everything up to a terminator.
        mutating func token() -> [UInt8] {
            skipBlanks()
            let bytes = rest.prefix { !Self.delimiters.contains($0) }
            rest = rest.dropFirst(bytes.count)
            return Array(bytes)
        }

        private static let delimiters: Set<UInt8> = [0x20, 0x09, UInt8(ascii: ";"), UInt8(ascii: "=")]

        /// A quoted string, or the text up to the next parameter: spaces in an unquoted name are common, and invalid.
        mutating func value() -> [UInt8] {
            if take("\"") { return quoted() }
            let bytes = rest.prefix { $0 != UInt8(ascii: ";") }
            rest = rest.dropFirst(bytes.count)
            return Array(bytes.reversed().drop { $0 == 0x20 || $0 == 0x09 }.reversed())
        }

        private mutating func quoted() -> [UInt8] {
            var bytes: [UInt8] = []
            while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
                // A backslash escapes a special character. Before any other it is part of a Windows path.
                if byte == UInt8(ascii: "\\"), let next = rest.first, [UInt8(ascii: "\""), byte].contains(next) {
                    bytes.append(next)
                    rest.removeFirst()
                } else {
                    bytes.append(byte)
                }
            }
            return bytes
        }

        /// False at the end.
        mutating func skipToParameter() -> Bool {
            rest = rest.drop { $0 != UInt8(ascii: ";") }.drop { $0 == UInt8(ascii: ";") }
            return !rest.isEmpty
        }
    }
}
