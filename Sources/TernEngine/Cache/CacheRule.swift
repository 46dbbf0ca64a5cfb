// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// What a private cache may store, and when it may use what it has stored (RFC 9111): pure functions of a request, a
/// response, and the time.
enum CacheRule {
    /// How long a response stays fresh that does not say so, as a part of the time since it was modified, and at most
    /// (RFC 9111 §4.2.2).
    static let heuristicFraction: Int64 = 10
    static let maximumHeuristicLifetime: Int64 = 7 * 86400

    /// The status codes of responses that are stored without being told to (RFC 9110 §15.1), but for 206.
    private static let heuristicStatusCodes: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]

    /// The final status codes of RFC 9110: what they mean for a cache is known (RFC 9111 §5.2.2.3).
    private static func isUnderstood(_ status: Int) -> Bool {
        [200...205, 300...305, 307...308, 400...417, 421...422, 426...426, 500...505].contains { $0.contains(status) }
    }

    // Storing (RFC 9111 §3)

    /// The status codes of parts, of confirmations, of challenges, and of answers to a condition, a range or an expectation
    /// of the request: a later request without it should not get them. A response after which the request is sent again
    /// does not come here, whatever its status.
    private static let unstoredStatusCodes: Set<Int> = [206, 304, 401, 407, 412, 416, 417]

    /// Whether the response to this request may be stored.
    static func isStorable(_ head: ResponseHead, answering query: CacheQuery) -> Bool {
        guard query.isStored, head.status >= 200, !unstoredStatusCodes.contains(head.status) else { return false }
        let control = CacheControl(of: head)
        let isUnderstood = isUnderstood(head.status)
        if control.isMustUnderstand, !isUnderstood { return false }
        if control.isNoStore, !control.isMustUnderstand { return false }
        guard query.varyingFields(of: head) != nil else { return false }
        return heuristicStatusCodes.contains(head.status) || control.isPublic || control.isPrivate
            || control.maxAge != nil || head.contains("Expires")
    }

    // Freshness (RFC 9111 §4.2)

    /// How long a response is fresh from the time it was made, in seconds.
    static func lifetime(of head: ResponseHead, _ control: CacheControl, date: Int64) -> Int64 {
        if let maxAge = control.maxAge { return maxAge }
        let expires = head.values(for: "Expires")
        if !expires.isEmpty {
            guard Set(expires).count == 1, let end = HTTPDate.seconds(expires[0]) else { return 0 }
            return max(0, end - date)
        }
        guard heuristicStatusCodes.contains(head.status) || control.isPublic else { return 0 }
        let modified = head.values(for: "Last-Modified")
        guard modified.count == 1, let start = HTTPDate.seconds(modified[0]), start < date else { return 0 }
        return min((date - start) / heuristicFraction, maximumHeuristicLifetime)
    }

    /// The age of the response in seconds (RFC 9111 §4.2.3); nil if it cannot be known because the clock was set back.
    static func age(of response: StoredResponse, now: Int64) -> Int64? {
        let residentTime = now - response.responseTime
        guard residentTime >= -1, response.requestTime <= response.responseTime else { return nil }
        let apparentAge = max(0, response.responseTime - response.freshness.date)
        let delay = response.responseTime - response.requestTime
        return max(apparentAge, response.freshness.statedAge + delay) + max(0, residentTime)
    }

    // Use (RFC 9111 §4)

    enum Use: Equatable {
        /// It is the answer.
        case answer(timeToLive: Int64)
        /// It is the answer, and is validated for later ones (RFC 5861 §3).
        case answerAndValidate(timeToLive: Int64)
        /// The server says whether it is the answer.
        case validate(CacheStatus.Forward)
    }

    /// How a stored response that matches the request is used.
    static func use(_ response: StoredResponse, for query: CacheQuery, now: Int64) -> Use {
        let control = response.freshness.control
        let age = age(of: response, now: now)
        let timeToLive = response.freshness.lifetime - (age ?? CacheControl.maximumSeconds)
        switch query.policy {
        case .returnCacheDataElseLoad, .returnCacheDataDontLoad: return .answer(timeToLive: timeToLive)
        case .reloadRevalidatingCacheData, .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData:
            return .validate(.request)
        case .useProtocolCachePolicy: break
        }
        guard let age, !control.isNoCache else { return .validate(.stale) }
        let request = query.control
        if request.isNoCache || timeToLive < request.minFresh ?? .min { return .validate(.request) }
        // Staleness that is allowed is allowed beyond the age, too.
        if let maxAge = request.maxAge, age - maxAge > request.maxStale ?? 0 { return .validate(.request) }
        if timeToLive > 0 { return .answer(timeToLive: timeToLive) }
        if control.isMustRevalidate { return .validate(.stale) }
        if let maxStale = request.maxStale, -timeToLive <= maxStale { return .answer(timeToLive: timeToLive) }
        guard let window = control.staleWhileRevalidate, -timeToLive <= window, request.maxAge == nil else {
            return .validate(.stale)
        }
        return .answerAndValidate(timeToLive: timeToLive)
    }

    /// Whether the stale response may be the answer where the server fails (RFC 5861 §4): for how many seconds it is
    /// fresh then; nil if it may not.
    static func timeToLive(despiteErrorOf response: StoredResponse, for query: CacheQuery, now: Int64) -> Int64? {
        let control = response.freshness.control
        guard query.policy == .useProtocolCachePolicy, let age = age(of: response, now: now), !control.isNoCache,
            !control.isMustRevalidate, !query.control.isNoCache,
            let window = [control.staleIfError, query.control.staleIfError].compactMap({ $0 }).max()
        else { return nil }
        let timeToLive = response.freshness.lifetime - age
        return -timeToLive <= window ? timeToLive : nil
    }

    /// The status codes that count as a failure of the server (RFC 5861 §4).
    static let errorStatusCodes: Set<Int> = [500, 502, 503, 504]
}

// What is sent, and what is stored
extension StoredResponse {
    /// Nil if no later request may be answered with it.
    convenience init?(
        _ head: ResponseHead, answering query: CacheQuery, requestTime: Int64, responseTime: Int64,
        contentLength: Int64, given: GivenResponse? = nil
    ) {
        guard let varyingFields = query.varyingFields(of: head),
            let kept = Self.kept(head, contentLength, responseTime)?.head
        else {
            return nil
        }
        self.init(
            url: query.url, scope: query.scope.text, varyingFields: varyingFields, head: kept, requestTime: requestTime,
            responseTime: responseTime, contentLength: contentLength, contentName: Self.makeContentName(), given: given)
    }

    /// The same of what a program stores.
    convenience init?(
        _ given: GivenResponse, answering query: CacheQuery, requestTime: Int64, responseTime: Int64,
        contentLength: Int64
    ) {
        guard let head = given.head(ofContent: contentLength) else { return nil }
        self.init(
            head, answering: query, requestTime: requestTime, responseTime: responseTime, contentLength: contentLength,
            given: given)
    }

    /// The head that answers requests for what a program has stored; nil if no server could send it.
    static func head(answeringWith given: GivenResponse, contentLength: Int64, responseTime: Int64) -> ResponseHead? {
        given.head(ofContent: contentLength).flatMap { kept($0, contentLength, responseTime)?.head }
    }

    /// The same with content of this length. Nil if it has no head then.
    func containing(_ length: Int64) -> StoredResponse? {
        if length == contentLength { return self }
        var lines = HeadLines(head)
        if head.status != 204 { lines.set("Content-Length", "\(length)") }
        return lines.head.map { head in
            StoredResponse(
                url: url, scope: scope, varyingFields: varyingFields, head: head, requestTime: requestTime,
                responseTime: responseTime, contentLength: length, contentName: contentName)
        }
    }

    /// RFC 9111 §3.1, and RFC 9110 §7.6.1.
    private static let unstoredNames: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// The names of the fields that are of one connection, in lower case; nil if there are more than a cache looks for.
    private static func connectionNames(in head: ResponseHead) -> Set<String>? {
        var names = unstoredNames
        return head.readList("Connection", .tokens) { names.insert($0.lowercasedName) } ? names : nil
    }

    /// The head without the fields that are of one connection, with the length of the content, and with the date of its
    /// arrival if it has none (RFC 9110 §6.6.1).
    private static func kept(_ head: ResponseHead, _ contentLength: Int64, _ responseTime: Int64) -> HeadLines? {
        guard let names = connectionNames(in: head) else { return nil }
        var lines = HeadLines(head)
        lines.remove(names)
        if head.status != 204 { lines.set("Content-Length", "\(contentLength)") }
        if !head.contains("Date"), let date = HTTPDate.text(responseTime) { lines.set("Date", date) }
        return lines
    }

    /// The `ETag`, as received; nil without one, or with several.
    var entityTag: [UInt8]? {
        let tags = head.bytes(for: "ETag")
        return tags.count == 1 ? tags[0] : nil
    }

    private var lastModified: [UInt8]? {
        let dates = head.bytes(for: "Last-Modified")
        return dates.count == 1 ? dates[0] : nil
    }

    /// The fields of a request that has the response validated (RFC 9111 §4.3.1); empty if it has no validator.
    var conditions: [HeaderField] {
        var conditions: [HeaderField] = []
        if let entityTag { conditions.append(HeaderField(name: "If-None-Match", bytes: entityTag)) }
        if let lastModified { conditions.append(HeaderField(name: "If-Modified-Since", bytes: lastModified)) }
        return conditions
    }

    /// Whether a 304 is about this response (RFC 9111 §4.3.4): it repeats one of the validators, or has none.
    func isConfirmed(by head: ResponseHead) -> Bool {
        let tags = head.bytes(for: "ETag")
        if !tags.isEmpty { return tags.count == 1 && entityTag.map { Self.opaque($0) == Self.opaque(tags[0]) } == true }
        let dates = head.bytes(for: "Last-Modified")
        return dates.isEmpty || lastModified == nil || dates == [lastModified ?? []]
    }

    /// Whether the head of a 200 to HEAD is that of this response (RFC 9111 §4.3.5): all of its validators, and its length,
    /// are the same. Nil if it has none of them.
    func isHeaded(by head: ResponseHead) -> Bool? {
        let (tags, dates) = (head.bytes(for: "ETag"), head.bytes(for: "Last-Modified"))
        if self.head.status != head.status { return false }
        if tags.isEmpty, dates.isEmpty, head.contentLength == nil { return nil }
        if !tags.isEmpty, !isConfirmed(by: head) { return false }
        if !dates.isEmpty, lastModified.map({ [$0] }) != dates { return false }
        return head.contentLength.map { Int64($0) == contentLength } ?? true
    }

    /// The tag without the mark of weakness (RFC 9110 §8.8.3.2).
    private static func opaque(_ tag: [UInt8]) -> ArraySlice<UInt8> {
        tag.starts(with: Array("W/".utf8)) ? tag[2...] : tag[...]
    }

    /// Fields that are about the content, which a 304 does not bring (RFC 9111 §3.2).
    private static let contentNames: Set<String> = [
        "content-length", "content-encoding", "content-range", "content-md5", "content-digest",
    ]

    /// The response after a 304 that confirms it (RFC 9111 §3.2). Its age counts from there (RFC 9111 §4.2.3), and its tag
    /// stays as strong or weak as it is. Nil if no later request may be answered with it.
    func freshened(
        by head: ResponseHead, answering query: CacheQuery, requestTime: Int64, responseTime: Int64
    ) -> StoredResponse? {
        guard var update = Self.kept(head, contentLength, responseTime) else { return nil }
        update.remove(self.head.contains("ETag") ? Self.contentNames.union(["etag"]) : Self.contentNames)
        var lines = HeadLines(self.head)
        lines.remove(update.names.union(["age"]))
        lines.append(update)
        guard let head = lines.head,
            let varyingFields = query.varyingFields(of: head)
        else { return nil }
        return StoredResponse(
            url: url, scope: scope, varyingFields: varyingFields, head: head, requestTime: requestTime,
            responseTime: responseTime, contentLength: contentLength, contentName: contentName)
    }

    /// The head of the answer to a request, and the bytes of the content that follow it.
    func answer(to query: CacheQuery, isValidated: Bool, now: Int64) -> (head: ResponseHead, range: Range<Int64>) {
        let uncached = isValidated ? [] : freshness.control.uncachedFields
        let age = isValidated ? nil : String(CacheRule.age(of: self, now: now) ?? 0)
        if let age, uncached.isEmpty, query.range == nil, query.method == "GET", !freshness.hasAge {
            return (head.appending("Age", age), 0..<contentLength)
        }
        var lines = HeadLines(head)
        lines.remove(uncached)
        if let age { lines.set("Age", age) }
        var range = 0..<contentLength
        if let requested = query.range, requested.bounds != nil, head.status == 200, permits(requested) {
            if let part = requested.range(of: contentLength) {
                lines.setStatus(206, "Partial Content", version: head.version)
                range = part
                lines.set("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(contentLength)")
            } else {
                lines.setStatus(416, "Range Not Satisfiable", version: head.version)
                range = 0..<0
                lines.set("Content-Range", "bytes */\(contentLength)")
            }
            lines.changeContent(length: Int64(range.count), isPart: !range.isEmpty)
        }
        if query.method == "HEAD" { range = 0..<0 }
        return (lines.head ?? head, range)
    }

    /// Whether `If-Range` lets the range apply (RFC 9110 §13.1.5): strong tags that are equal, or the same
    /// date, if it is a strong validator.
    private func permits(_ range: RangeRequest) -> Bool {
        guard let condition = range.condition else { return true }
        if condition.first == UInt8(ascii: "\"") { return entityTag == condition }
        guard lastModified == condition, let date = HTTPDate.exactSeconds(String(decoding: condition, as: UTF8.self))
        else {
            return false
        }
        return StrongValidator.isStrong(lastModified: date, at: freshness.date)
    }
}
