// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// A response that a cache has stored, without its content.
struct StoredResponse: Sendable {
    /// The value of a request field that `Vary` names (RFC 9111 §4.1).
    struct VaryingField: Sendable, Hashable {
        /// In lower case.
        let name: String
        /// The values of the request's fields of that name, in order and normalized; nil if it had none.
        let value: [UInt8]?
    }

    /// The URL of the request, absolute, without fragment and userinfo: with the method GET the cache key (RFC 9111 §2).
    let url: String
    /// What else a request must share to be answered with the response: a digest of its credentials and of the trust
    /// policy of its server, in letters and digits.
    let scope: String
    /// The fields of the request that `Vary` names.
    let varyingFields: [VaryingField]
    /// Without the fields that are of one connection (RFC 9111 §3.1).
    var head: ResponseHead
    /// When the request was sent that the response, or the last validation of it, answers; in seconds since
    /// 1970-01-01T00:00:00Z.
    var requestTime: Int64
    /// When the response, or the last validation of it, was received.
    var responseTime: Int64
    /// The number of bytes of the content, as received without the framing and before they are decoded.
    let contentLength: Int64
    /// The name of the content in its store, which is unique: in letters and digits.
    let contentName: String

    /// A name for content that cannot be guessed.
    static func makeContentName() -> String {
        String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
    }

    /// Whether the other answers the same requests: it takes the place of this one in a store.
    func isReplaced(by other: StoredResponse) -> Bool {
        url == other.url && scope == other.scope && varyingFields == other.varyingFields
    }
}
