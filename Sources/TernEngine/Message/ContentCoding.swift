// SPDX-License-Identifier: Apache-2.0

/// A coding that Tern can decode (RFC 9110 §8.4.1).
package enum ContentCoding: String, CaseIterable, Sendable {
    /// RFC 1952: members, each a deflated stream with its checksum.
    case gzip
    /// RFC 1950; and raw RFC 1951, which servers send under the same name.
    case deflate

    /// The value of an `Accept-Encoding` field for these codings.
    static let acceptEncoding = allCases.map(\.rawValue).joined(separator: ", ")

    /// The codings in the values of a message's `Content-Encoding` fields, in the order applied: the last is decoded
    /// first. Empty if one of them is unknown: then the body is delivered undecoded, as the fields describe it.
    static func applied(in values: some Sequence<String>) -> [ContentCoding] {
        var codings: [ContentCoding] = []
        for name in names(in: values) {
            guard let coding = ContentCoding(name: name) else { return [] }
            codings.append(coding)
        }
        return codings
    }

    /// The codings in the values of a message's `Content-Encoding` fields that are not decoded, in lower case.
    package static func unknown(in values: some Sequence<String>) -> [String] {
        names(in: values).filter { ContentCoding(name: $0) == nil }
    }

    private init?(name: String) {
        // RFC 9110 §8.4.1.3: the old name is equivalent.
        self.init(rawValue: name == "x-gzip" ? "gzip" : name)
    }

    /// Without those that change nothing: empty elements (RFC 9110 §5.6.1.2) and `identity`.
    private static func names(in values: some Sequence<String>) -> some Sequence<String> {
        values.lazy.flatMap { $0.utf8.split(separator: UInt8(ascii: ",")).lazy.map(name) }
            .filter { !$0.isEmpty && $0 != "identity" }
    }

    /// Without surrounding whitespace, and in lower case, because the names of codings are case-insensitive (RFC 9110
    /// §8.4.1).
    static func name(in element: Substring.UTF8View) -> String {
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let bytes = element.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
        return String(decoding: bytes, as: UTF8.self).lowercased()
    }
}
