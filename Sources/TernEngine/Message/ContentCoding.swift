// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// A coding that Tern can decode (RFC 9110 §8.4.1), as far as it is built with the libraries for it.
package enum ContentCoding: String, CaseIterable, Sendable {
    /// RFC 1952: members, each a deflated stream with its checksum.
    case gzip
    /// RFC 1950; and raw RFC 1951, which servers send under the same name.
    case deflate
    #if Brotli
        /// RFC 7932.
        case brotli = "br"
    #endif
    #if Zstd
        /// RFC 8878, with windows of 8 MB or less (RFC 9659).
        case zstd
    #endif

    /// The value of an `Accept-Encoding` field for these codings.
    static let acceptEncoding = allCases.map(\.rawValue).joined(separator: ", ")
}

/// The codings that a message's `Content-Encoding` fields name. Those that change nothing are left out: empty elements (RFC
/// 9110 §5.6.1.2) and `identity`.
package struct AppliedCodings: Sendable {
    /// In the order applied: the last is decoded first. Empty if one of all is unknown: then the body is delivered undecoded,
    /// as the fields describe it.
    var decodable: [ContentCoding] { unknown.isEmpty ? known : [] }
    private var known: [ContentCoding] = []
    /// Those that are not decoded, in lower case.
    package private(set) var unknown: [String] = []
    /// Whether there are more than any server applies: they are not read.
    private(set) var areTooMany = false

    /// Whether a body is not coded.
    package var areIdentity: Bool { known.isEmpty && unknown.isEmpty && !areTooMany }

    /// - Parameter values: of the fields, in order.
    init(in values: [[UInt8]]) { areTooMany = !ListRules.codings.read(values) { add($0) } }

    package init(of head: ResponseHead) { areTooMany = !head.readList("Content-Encoding", .codings) { add($0) } }

    private mutating func add(_ name: Span<UInt8>) {
        if let coding = ContentCoding.allCases.first(where: { name.isName($0.rawValue) }) {
            known.append(coding)
        } else if name.isName("x-gzip") {
            // RFC 9110 §8.4.1.3: the old name is equivalent.
            known.append(.gzip)
        } else if !name.isName("identity") {
            unknown.append(name.lowercasedName)
        }
    }
}
