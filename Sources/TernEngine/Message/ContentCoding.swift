// SPDX-License-Identifier: Apache-2.0

/// A coding that a body can be received in and decoded from (RFC 9110 §8.4.1).
enum ContentCoding: Sendable, Hashable {
    /// RFC 1952: members, each a deflated stream with its checksum.
    case gzip
    /// RFC 1950; and bare RFC 1951, which servers send under the same name.
    case deflate

    /// What an `Accept-Encoding` field says of these.
    static let acceptEncoding = "gzip, deflate"

    /// What the values of a message's `Content-Encoding` fields name, in the order applied: the last is the first to be
    /// taken off. None, if one of them is unknown: then the body is delivered as it is, and the fields still tell the
    /// truth about it.
    static func applied(in values: some Sequence<String>) -> [ContentCoding] {
        var codings: [ContentCoding] = []
        for value in values {
            // Empty elements are passed over (RFC 9110 §5.6.1.2).
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

    /// Without the blanks around it, and in lower case, for the case of names of codings is ignored (RFC 9110 §8.4.1).
    static func name(in element: Substring.UTF8View) -> String {
        let isBlank = { (octet: UInt8) in octet == UInt8(ascii: " ") || octet == UInt8(ascii: "\t") }
        let octets = element.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
        return String(decoding: octets, as: UTF8.self).lowercased()
    }
}
