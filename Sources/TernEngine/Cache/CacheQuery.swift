// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// A request as a cache reads it.
final class CacheQuery: Sendable {
    /// The URL without fragment and userinfo: with the method GET the cache key (RFC 9111 §2).
    let url: String
    let scope: CacheScope
    let method: String
    let fields: HeaderFields
    let policy: URLRequest.CachePolicy
    let control: CacheControl
    /// Whether the program has set conditions of its own, whose answers it reads.
    let isConditional: Bool
    let range: RangeRequest?

    /// Nil for a request without a valid URL.
    convenience init?(_ request: URLRequest, policy: URLRequest.CachePolicy, scope: CacheScope) {
        guard let url = Self.url(of: request) else { return nil }
        self.init(url, request, policy, scope)
    }

    private init(_ url: String, _ request: URLRequest, _ policy: URLRequest.CachePolicy, _ scope: CacheScope) {
        self.url = url
        self.scope = scope
        self.policy = policy
        let fields = request.headers
        (method, self.fields) = (request.method, fields)
        let lengths = fields.nameLengths
        func has(_ name: String) -> Bool { lengths.contain(name) && fields.contains(name) }
        control = has("Cache-Control") || has("Pragma") ? CacheControl(of: fields) : CacheControl()
        isConditional = Self.conditions.contains { has($0) }
        // RFC 9110 §14.2
        range = method == "GET" && has("Range") ? RangeRequest(fields) : nil
    }

    /// The query of a program that stores a response for the request, or looks one up.
    convenience init?(storing request: URLRequest) {
        self.init(request, policy: .useProtocolCachePolicy, scope: CacheScope(storing: request))
    }

    private static let conditions = ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since"]

    static func url(of request: URLRequest) -> String? {
        guard let destination = try? request.destination.get() else { return nil }
        let origin = destination.origin
        return switch destination.target {
        case .origin(let target): joined(origin.scheme == .https ? "https://" : "http://", origin.hostField, target)
        case .absolute(let url): url
        case .authority, .asterisk: nil
        }
    }

    /// In one allocation, because every request has one.
    private static func joined(_ scheme: String, _ host: String, _ target: String) -> String {
        let (scheme, host, target) = (scheme.utf8.span, host.utf8.span, target.utf8.span)
        let start = scheme.count + host.count
        return unsafe String(unsafeUninitializedCapacity: start + target.count) { buffer in
            let url = UnsafeMutableRawBufferPointer(buffer)
            unsafe scheme.withUnsafeBytes { unsafe url.copyMemory(from: $0) }
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: url[scheme.count...])
            unsafe host.withUnsafeBytes { unsafe rest.copyMemory(from: $0) }
            let end = unsafe UnsafeMutableRawBufferPointer(rebasing: url[start...])
            unsafe target.withUnsafeBytes { unsafe end.copyMemory(from: $0) }
            return start + target.count
        }
    }

    /// Whether it reads the resource with a method that a stored response may answer.
    var isRead: Bool { method == "GET" || method == "HEAD" }

    var flight: CacheFlights.Key { CacheFlights.Key(url: url, scope: scope) }

    /// The same request, as one that demands no validation.
    var unprejudiced: CacheQuery { CacheQuery(self, policy: .useProtocolCachePolicy) }

    private init(_ other: CacheQuery, policy: URLRequest.CachePolicy) {
        (url, scope, method, fields) = (other.url, other.scope, other.method, other.fields)
        (control, isConditional, range) = (other.control, other.isConditional, other.range)
        self.policy = policy
    }

    /// Whether stored responses may answer.
    var isLookedUp: Bool {
        if let range, range.bounds == nil { return false }
        // What follows a switch of protocols is no response.
        guard isRead, !isConditional, !fields.contains("Upgrade"), !control.isNoStore || control.isOnlyIfCached else {
            return false
        }
        switch policy {
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: return false
        case .useProtocolCachePolicy, .returnCacheDataElseLoad, .returnCacheDataDontLoad,
            .reloadRevalidatingCacheData:
            return true
        }
    }

    /// Whether a response to it may be stored, as far as the request says.
    var isStored: Bool { method == "GET" && !control.isNoStore }

    /// Whether another request may wait for the response to this one.
    var isShared: Bool { method == "GET" && range == nil && isLookedUp && !control.isOnlyIfCached }

    /// The fields of the request that a response's `Vary` names, and `Accept-Encoding` for one in a coding: servers omit a
    /// `Vary` for it. Nil if it matches no other request, or names more than a cache compares.
    func varyingFields(of head: ResponseHead) -> [StoredResponse.VaryingField]? {
        var names: Set<String> = head.contains("Content-Encoding") ? ["accept-encoding"] : []
        // A server chooses the names, and each request compares them with those of each variant.
        let isWhole = head.readList("Vary", .tokens) { names.insert($0.lowercasedName) }
        return isWhole && !names.contains("*") ? names.sorted().map { Self.varyingField($0, of: fields) } : nil
    }

    fileprivate static func varyingField(_ name: String, of fields: HeaderFields) -> StoredResponse.VaryingField {
        StoredResponse.VaryingField(name: name, value: normalized(name, of: fields).map { .clear($0) })
    }

    /// The values of a field as one list, without the whitespace around its members (RFC 9111 §4.1).
    private static func normalized(_ name: String, of fields: HeaderFields) -> [UInt8]? {
        let values = fields.bytes(for: name)
        if values.isEmpty { return nil }
        return Array(values.flatMap(members).joined(separator: [UInt8(ascii: ",")]))
    }

    /// Commas and whitespace in quoted strings are part of their member (RFC 9110 §5.6.4).
    private static func members(_ value: [UInt8]) -> [[UInt8]] {
        var (isQuoted, isEscaped) = (false, false)
        let members = value.split { byte in
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else {
                isEscaped = isQuoted && byte == UInt8(ascii: "\\")
            }
            return byte == UInt8(ascii: ",") && !isQuoted
        }
        return members.map { $0.drop(while: \.isBlank).reversed().drop(while: \.isBlank).reversed() }
            .filter { !$0.isEmpty }
    }

    /// Compares stored responses with this request.
    func matcher(underAnyTrustPolicy: Bool = false) -> Matcher {
        Matcher(self, underAnyTrustPolicy: underAnyTrustPolicy)
    }

    /// Compares stored responses with a request: each of its fields is read once, and has one digest, however many responses
    /// vary by it.
    struct Matcher {
        private let scope: CacheScope
        private let fields: HeaderFields
        private let underAnyTrustPolicy: Bool
        private var clear: [String: StoredResponse.VaryingField] = [:]
        private var digested: [String: StoredResponse.VaryingField] = [:]

        fileprivate init(_ query: CacheQuery, underAnyTrustPolicy: Bool) {
            (scope, fields) = (query.scope, query.fields)
            self.underAnyTrustPolicy = underAnyTrustPolicy
        }

        /// Whether the response answers this request, as far as its fields, credentials and trust policies say (RFC 9111
        /// §4.1).
        mutating func matches(_ scope: String, _ varyingFields: [StoredResponse.VaryingField]) -> Bool {
            self.scope.includes(scope, underAnyTrustPolicy: underAnyTrustPolicy)
                && varyingFields.allSatisfy { field($0) == $0 }
        }

        /// The field of the request, in the form that the other has.
        private mutating func field(_ other: StoredResponse.VaryingField) -> StoredResponse.VaryingField {
            let name = other.name
            guard case .digest = other.value else {
                if let field = clear[name] { return field }
                let field = CacheQuery.varyingField(name, of: fields)
                clear[name] = field
                return field
            }
            if let field = digested[name] { return field }
            let digest = CacheQuery.varyingField(name, of: fields).digest
            let field = StoredResponse.VaryingField(name: name, value: digest.map { .digest($0) })
            digested[name] = field
            return field
        }
    }
}

/// A request for one range of bytes (RFC 9110 §14.2).
struct RangeRequest: Sendable {
    enum Bounds: Sendable, Equatable {
        /// From this byte to that one, or to the end.
        case from(Int64, to: Int64?)
        case last(Int64)
    }

    /// Nil for several ranges, other units, and what cannot be read: the server answers.
    let bounds: Bounds?
    /// The value of `If-Range`.
    let condition: [UInt8]?

    init(_ fields: HeaderFields) {
        let values = fields.bytes(for: "Range")
        bounds = values.count == 1 ? Self.bounds(values[0]) : nil
        condition = fields.bytes(for: "If-Range").first
    }

    private static func bounds(_ value: [UInt8]) -> Bounds? {
        let text = String(decoding: value, as: UTF8.self)
        guard text.lowercased().hasPrefix("bytes=") else { return nil }
        let ends = text.dropFirst(6).trimmingBlanks.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        let numbers = ends.map { number($0) }
        switch (numbers[0], numbers[1]) {
        case (let first?, let last?): return first <= last ? .from(first, to: last) : nil
        case (let first?, nil): return ends[1].isEmpty ? .from(first, to: nil) : nil
        case (nil, let count?): return ends[0].isEmpty ? .last(count) : nil
        case (nil, nil): return nil
        }
    }

    private static func number(_ digits: Substring) -> Int64? {
        digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(digits) : nil
    }

    /// The bytes of content of this length; nil if it has none of them.
    func range(of length: Int64) -> Range<Int64>? {
        switch bounds {
        case .from(let first, let last): first < length ? first..<(min(last ?? .max, length - 1) + 1) : nil
        case .last(let count): count > 0 && length > 0 ? max(0, length - count)..<length : nil
        case nil: nil
        }
    }
}

extension StringProtocol {
    package var trimmingBlanks: SubSequence {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        guard let last = lastIndex(where: { !isBlank($0) }) else { return self[startIndex..<startIndex] }
        return self[...last].drop(while: isBlank)
    }
}
