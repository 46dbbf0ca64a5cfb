// SPDX-License-Identifier: Apache-2.0

/// A coding that Tern can decode (RFC 9110 §8.4.1).
enum ContentCoding: Sendable, Hashable {
    /// RFC 1952: members, each a deflated stream with its checksum.
    case gzip
    /// RFC 1950; and raw RFC 1951, which servers send under the same name.
    case deflate

    /// The value of an `Accept-Encoding` field for these codings.
    static let acceptEncoding = "gzip, deflate"

    /// The codings in the values of a message's `Content-Encoding` fields, in the order applied: the last is decoded
    /// first. Empty if one of them is unknown: then the body is delivered undecoded, as the fields describe it.
    static func applied(in values: some Sequence<String>) -> [ContentCoding] {
        var codings: [ContentCoding] = []
        for value in values {
            // Empty elements are skipped (RFC 9110 §5.6.1.2).
            for element in value.utf8.split(separator: UInt8(ascii: ",")) {
                switch Self.name(in: element) {
                case "", "identity": continue
                case "gzip", "x-gzip": codings.append(.gzip)
                case "deflate": codings.append(.deflate)
                default: return []
                }
            }
        }
        return codings
    }

    /// Without surrounding whitespace, and in lower case, because the names of codings are case-insensitive (RFC 9110
    /// §8.4.1).
    static func name(in element: Substring.UTF8View) -> String {
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let bytes = element.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
        return String(decoding: bytes, as: UTF8.self).lowercased()
    }
}
