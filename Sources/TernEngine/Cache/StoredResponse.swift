// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// A response that a cache has stored, without its content. One reference: every lookup copies it.
final class StoredResponse: Sendable {
    /// The value of a request field that `Vary` names (RFC 9111 §4.1).
    struct VaryingField: Sendable {
        /// A value may be a secret, and is only compared: a store on a disk has a digest of it.
        enum Value: Sendable {
            case clear([UInt8])
            case digest(String)
        }

        /// In lower case.
        let name: String
        /// The values of the request's fields of that name, in order and normalized; nil if it had none.
        let value: Value?
    }

    /// The URL of the request, absolute, without fragment and userinfo: with the method GET the cache key (RFC 9111 §2).
    let url: String
    /// What else a request must share to be answered with the response: a digest of its credentials and of the trust
    /// policy of its server, in letters and digits.
    let scope: String
    /// The fields of the request that `Vary` names.
    let varyingFields: [VaryingField]
    /// Without the fields that are of one connection (RFC 9111 §3.1).
    let head: ResponseHead
    /// What a program has stored; nil for a response that a session has received.
    let given: GivenResponse?
    /// When the request was sent that the response, or the last validation of it, answers; in seconds since
    /// 1970-01-01T00:00:00Z.
    let requestTime: Int64
    /// When the response, or the last validation of it, was received.
    let responseTime: Int64
    /// The number of bytes of the content, as received without the framing and before they are decoded.
    let contentLength: Int64
    /// The name of the content in its store, which is unique: in letters and digits.
    let contentName: String
    /// What the head says of its use, read once.
    let freshness: StoredFreshness

    init(
        url: String, scope: String, varyingFields: [VaryingField], head: ResponseHead, requestTime: Int64,
        responseTime: Int64, contentLength: Int64, contentName: String, given: GivenResponse? = nil
    ) {
        (self.url, self.scope, self.varyingFields, self.head) = (url, scope, varyingFields, head)
        (self.requestTime, self.responseTime) = (requestTime, responseTime)
        (self.contentLength, self.contentName, self.given) = (contentLength, contentName, given)
        freshness = StoredFreshness(of: head, responseTime: responseTime)
    }

    /// The maximum number of responses of one URL in a store. A server makes as many as it likes, and each request is
    /// compared with them all.
    static let maximumVariantCount = 32

    /// A name for content that cannot be guessed.
    static func makeContentName() -> String {
        String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
    }

    /// Whether it is the one to use of two that match (RFC 9111 §4): by its date, and then by its arrival.
    func isMoreRecent(than other: StoredResponse) -> Bool {
        (freshness.date, responseTime) > (other.freshness.date, other.responseTime)
    }

    /// Whether the other answers the same requests: it takes the place of this one in a store.
    func isReplaced(by other: StoredResponse) -> Bool {
        url == other.url && scope == other.scope && varyingFields == other.varyingFields
    }
}

extension StoredResponse.VaryingField {
    /// The digest of the value, which depends on the name; nil if the request had no such field.
    var digest: String? {
        switch value {
        case .clear(let bytes): CacheScope.digest(of: [Array(name.utf8), bytes])
        case .digest(let digest): digest
        case nil: nil
        }
    }
}

extension StoredResponse.VaryingField: Equatable {
    /// A value is equal to its digest.
    static func == (one: Self, other: Self) -> Bool {
        guard one.name == other.name else { return false }
        return switch (one.value, other.value) {
        case (.clear(let value), .clear(let otherValue)): value == otherValue
        case (nil, nil): true
        case (nil, _?), (_?, nil): false
        case (.digest, _), (_, .digest): one.digest == other.digest
        }
    }
}

/// What the head of a stored response says of when it may be used (RFC 9111 §4.2).
struct StoredFreshness: Sendable {
    let control: CacheControl
    /// When the response was made: by the earliest of its dates, or when it arrived.
    let date: Int64
    /// How long the response is fresh from the time it was made, in seconds.
    let lifetime: Int64
    /// The value of `Age`: its first member, if that is a number (RFC 9111 §5.1).
    let statedAge: Int64
    /// Whether there is an `Age`.
    let hasAge: Bool
    /// The size of the head as its server would send it, in bytes.
    let headSize: Int

    init(of head: ResponseHead, responseTime: Int64) {
        control = CacheControl(of: head)
        headSize = head.encoded.count
        // A server that does not write it as HTTP has it has no clock to go by (RFC 9110 §6.6.1): a response would be as old
        // as that clock is wrong, or count as a strong validator's.
        date = head.values(for: "Date").compactMap(HTTPDate.exactSeconds).min() ?? responseTime
        lifetime = CacheRule.lifetime(of: head, control, date: date)
        hasAge = head.contains("Age")
        let member = head.bytes(for: "Age").first?.prefix(64).prefix { $0 != UInt8(ascii: ",") }.filter { !$0.isBlank }
        statedAge = member.flatMap { CacheControl.seconds($0) } ?? 0
    }
}
