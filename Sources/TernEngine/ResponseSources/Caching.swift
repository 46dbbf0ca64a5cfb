// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import TernLock

/// Answers hops with stored responses, has stale ones validated, and stores what may be stored (RFC 9111). It sees a hop as
/// policies have prepared it: they decide which response matches.
///
/// ``CacheRule`` decides about one request, one response and the time; ``CachedHop`` decides what follows for a hop.
final class Caching: ResponseSource {
    fileprivate let cache: URLCache
    private let policy: URLRequest.CachePolicy
    private let sensitiveFields: SensitiveFields
    fileprivate let validate: @Sendable (Validation) -> Void
    /// Stands for it with the requests whose queries it has made.
    private let mark = Mark()

    private final class Mark: Sendable {}

    /// A request whose response only the cache reads.
    struct Validation: Sendable {
        let request: URLRequest
        /// What led to the request: it carries no credentials where that left its origin.
        let chain: RedirectChain
        /// No other validation of the response begins as long as this is held.
        let flight: CacheFlight
    }

    /// Nil for a session without a cache.
    ///
    /// - Parameter validate: sends a request, later.
    init?(of configuration: SessionConfiguration, validate: @escaping @Sendable (Validation) -> Void) {
        guard let cache = configuration.urlCache else { return nil }
        (self.cache, self.validate) = (cache, validate)
        policy = configuration.requestCachePolicy
        sensitiveFields = configuration.sensitiveFields
    }

    func part(in sourced: SourcedHop) -> (any HopSource)? {
        let known = isPlain(sourced) ? sourced.hop.request.made(by: mark) { query(of: sourced) } : query(of: sourced)
        return known.map { CachedHop($0, sourced, self) }
    }

    /// Whether the request says all that the cache reads.
    private func isPlain(_ sourced: SourcedHop) -> Bool {
        sourced.hop.mayCarryCredentials && sourced.credentialIdentity == nil && sourced.chain.login == nil
            && sourced.routeKey?.isEmpty != false && sourced.hop.request.body == nil && !sourced.hop.request.isSigned
    }

    private func query(of sourced: SourcedHop) -> CacheQuery? {
        let hop = sourced.hop
        // Responses of different signers could not be kept apart.
        if hop.mayCarryCredentials, let signer = hop.request.signer, signer.credentialIdentity == nil { return nil }
        let scope = CacheScope(
            of: hop.request, mayCarryCredentials: hop.mayCarryCredentials, sensitiveFields,
            identity: sourced.credentialIdentity, login: sourced.chain.login, route: sourced.routeKey ?? [])
        let own = hop.request.cachePolicy
        return CacheQuery(hop.request, policy: own == .useProtocolCachePolicy ? policy : own, scope: scope)
    }
}

/// What a cache does for one hop.
private final class CachedHop: HopSource {
    private enum Stage {
        /// Nothing has been found yet, or nothing that is an answer.
        case asked
        /// A stored response answers.
        case answered
        /// The request is sent.
        case sent(Form)
    }

    private enum Form {
        case plain
        /// With the conditions of the stored response.
        case conditional
        /// With the demand that caches on the way ask the origin.
        case forced
    }

    /// What a lookup has found, from its queue; or how the wait for another request ended.
    private enum Finding: Sendable {
        case stored(entry: CacheEntry?, isAnythingStored: Bool)
        case wake(CacheFlights.Wake)
    }

    /// The maximum number of other requests that the hop waits for.
    private static let maximumWaitCount = 3

    private let query: CacheQuery
    private let hop: Hop
    /// The request of the hop without what policies added.
    private let request: URLRequest
    private let chain: RedirectChain
    private let caching: Caching
    /// When the request was sent, in seconds since 1970-01-01T00:00:00Z.
    private var requestTime: Int64
    /// The same, among the removals from the cache.
    private var moment: UInt64 = 0
    private var stage = Stage.asked
    /// The stored response that matches: the answer, or the one to validate.
    private var entry: CacheEntry?
    private var finding: LookupResult<Finding>?
    /// Others wait for the response.
    private var flight: CacheFlight?
    private var waitCount = 0
    private(set) var additions: [HeaderField] = []
    private(set) var status: CacheStatus?

    private var cache: URLCache { caching.cache }

    init(_ query: CacheQuery, _ sourced: borrowing SourcedHop, _ caching: Caching) {
        self.query = query
        self.caching = caching
        (hop, request, chain) = (sourced.hop, sourced.request, sourced.chain)
        requestTime = caching.cache.clock()
        // The hop is sent again: those that wait for its response go on waiting.
        if let earlier = sourced.earlier as? CachedHop, earlier.query.flight == query.flight {
            flight = earlier.flight.take()
        }
    }

    func paused() { release(.abandoned) }

    func ended() { release(.abandoned) }

    private func release(_ outcome: CacheFlights.Outcome) { flight.take()?.end(outcome) }
}

// Before the hop is sent
extension CachedHop {
    func answer() -> SourceAnswer {
        // Its own answer was damaged.
        if case .sent = stage { return .pass }
        guard query.isLookedUp else {
            let reason = query.isRead ? CacheStatus.Forward.bypass : .method
            return refusal(reason) ?? send(reason)
        }
        switch finding.take()?.take() {
        case .stored(let entry, let isAnythingStored)?: return answer(with: entry, isAnythingStored)
        case .wake(let wake)?: return proceed(after: wake)
        case nil: return find()
        }
    }

    private func find() -> SourceAnswer {
        // What is fresh in memory needs no lookup.
        if let entry = cache.entryInMemory(query),
            case .answer(let timeToLive) = CacheRule.use(entry.response, for: query, now: requestTime)
        {
            return answer(with: entry, timeToLive)
        }
        if let found = cache.entryWithoutLookup(query) { return answer(with: found.entry, found.isAnythingStored) }
        let result = LookupResult<Finding>()
        finding = result
        let (cache, query) = (cache, query)
        return .lookUp { completion in
            cache.lookUp(query) { found in
                result.put(.stored(entry: found.entry, isAnythingStored: found.isAnythingStored))
                completion(.ready)
            }
            return {}
        }
    }

    private func answer(with found: CacheEntry?, _ isAnythingStored: Bool) -> SourceAnswer {
        entry = found
        guard let entry else { return miss(isAnythingStored ? .varyMiss : .uriMiss) }
        switch CacheRule.use(entry.response, for: query, now: requestTime) {
        case .answer(let timeToLive): return answer(with: entry, timeToLive)
        case .answerAndValidate(let timeToLive):
            validate()
            return answer(with: entry, timeToLive)
        case .validate(let reason): return miss(reason)
        }
    }

    private func answer(with entry: CacheEntry, _ timeToLive: Int64) -> SourceAnswer {
        self.entry = entry
        var status = CacheStatus(timeToLive: timeToLive)
        status.isCollapsed = waitCount > 0
        self.status = status
        release(.stored)
        cache.used(entry.response)
        return .answer(source(entry, isValidated: false))
    }

    private func source(_ entry: CacheEntry, isValidated: Bool) -> StoredAnswer {
        stage = .answered
        let (head, range) = entry.response.answer(to: query, isValidated: isValidated, now: cache.clock())
        var answer = StoredAnswer(head: head, content: entry.content, range: range)
        if case .file = entry.content { answer.whenDamaged = { [cache] in cache.remove(entry.response) } }
        return answer
    }

    /// Has the whole of a stored response that is the answer validated, unless that is under way.
    private func validate() {
        var key = query.flight
        key.kind = .validation
        guard case .first(let flight) = cache.flights.join(key) else { return }
        var request = request
        request.cachePolicy = .reloadRevalidatingCacheData
        // What a stored redirect leads to is another question.
        request.redirectPolicy = .never
        for name in ["Range", "If-Range"] { request.headers.removeAll(named: name) }
        caching.validate(Caching.Validation(request: request, chain: chain, flight: flight))
    }

    /// The server must be asked: by this hop, or by another that is under way.
    private func miss(_ reason: CacheStatus.Forward) -> SourceAnswer {
        if let refusal = refusal(reason) { return refusal }
        if flight == nil, query.isShared, waitCount < Self.maximumWaitCount {
            switch cache.flights.join(query.flight) {
            case .first(let flight): self.flight = flight
            case .waits(let number) where query.policy != .reloadRevalidatingCacheData: return wait(for: number)
            case .waits, .alone: break
            }
        }
        return send(reason)
    }

    private func wait(for number: UInt64) -> SourceAnswer {
        waitCount += 1
        let result = LookupResult<Finding>()
        finding = result
        let (flights, key) = (cache.flights, query.flight)
        return .lookUp { completion in
            flights.wait(for: number, key) { wake in
                result.put(.wake(wake))
                completion(.ready)
            }
        }
    }

    /// What was stored meanwhile may answer, whatever the other request came to.
    private func proceed(after wake: CacheFlights.Wake) -> SourceAnswer {
        switch wake {
        case .lookUp, .alone: waitCount = Self.maximumWaitCount
        case .lead(let flight): self.flight = flight
        case .join: break
        }
        return find()
    }

    /// Of a request that must not be sent.
    private func refusal(_ reason: CacheStatus.Forward) -> SourceAnswer? {
        if query.policy == .returnCacheDataDontLoad {
            status = CacheStatus(forward: reason)
            return .fail(.request(.notCached))
        }
        // RFC 9111 §5.2.1.7; unsafe methods are written through (RFC 9111 §4).
        return query.isRead && query.control.isOnlyIfCached ? notCached : nil
    }

    private var notCached: SourceAnswer {
        status = CacheStatus(forward: .uriMiss)
        stage = .answered
        guard let head = try? ResponseHead(status: 504, reason: "Gateway Timeout", fields: ["Content-Length": "0"])
        else { return .fail(.request(.notCached)) }
        return .answer(StoredAnswer(head: head, content: .bytes([]), range: 0..<0))
    }

    private func send(_ reason: CacheStatus.Forward) -> SourceAnswer {
        status = CacheStatus(forward: reason)
        status?.isCollapsed = waitCount > 0
        moment = cache.flights.now
        // A range of a stored response that changes meanwhile would not fit.
        let conditions = query.range == nil ? entry?.response.conditions ?? [] : []
        stage = .sent(conditions.isEmpty ? .plain : .conditional)
        additions = conditions
        if query.isRead, query.policy == .reloadIgnoringLocalAndRemoteCacheData { force() }
        return .pass
    }

    /// In place of the conditions, if there are any. What the request itself says to caches stays.
    private func force() {
        stage = .sent(.forced)
        additions = ["Cache-Control", "Pragma"].filter { !hop.request.headers.contains($0) }
            .map { HeaderField(name: $0, value: "no-cache") }
    }
}

// After a response, or none
extension CachedHop {
    func received(_ head: ResponseHead, isStorable: Bool) -> SourceDecision {
        guard case .sent(let form) = stage else { return .pass }
        if !query.isRead {
            invalidate(after: head)
            return .pass
        }
        if head.status == 304, !query.isConditional {
            if case .conditional = form, let entry, entry.response.isConfirmed(by: head) {
                return validated(entry, by: head)
            }
            return unasked(form)
        }
        if CacheRule.errorStatusCodes.contains(head.status), let source = staleAnswer() {
            status?.forwardStatusCode = head.status
            return .answer(source)
        }
        if query.method == "HEAD" {
            if isStorable { revise(by: head) }
            return .pass
        }
        return receive(head, isStorable: isStorable)
    }

    private func validated(_ entry: CacheEntry, by head: ResponseHead) -> SourceDecision {
        let now = cache.clock()
        let response = cache.freshen(
            entry.response, by: head, answering: query, requestTime: requestTime, responseTime: now)
        release(outcome(of: response, now))
        status?.forwardStatusCode = 304
        status?.isStoredAnswer = true
        let answer = CacheEntry(response: response ?? entry.response, content: entry.content)
        return .answer(source(answer, isValidated: true))
    }

    /// A 304 confirms nothing that is stored: the hop is sent once more, as one that wants a response.
    private func unasked(_ form: Form) -> SourceDecision {
        if let entry = entry.take() { cache.remove(entry.response) }
        if case .forced = form {
            release(.unstorable)
            return .pass
        }
        requestTime = cache.clock()
        moment = cache.flights.now
        force()
        return .resend
    }

    /// Whether others go on with the response.
    private func outcome(of response: StoredResponse?, _ now: Int64) -> CacheFlights.Outcome {
        guard let response else { return .unstorable }
        return CacheRule.use(response, for: query.unprejudiced, now: now).isAnswer
            ? .stored : response.freshness.lifetime > 0 ? .unusable : .unstorable
    }

    /// The head of a response to GET freshens what is stored if it is about that, and has it removed otherwise (RFC 9111
    /// §4.3.5).
    private func revise(by head: ResponseHead) {
        guard head.status == 200 else { return }
        let (cache, query, requestTime, now) = (cache, query, requestTime, cache.clock())
        let revise = { @Sendable (response: StoredResponse) in
            switch response.isHeaded(by: head) {
            case true?:
                _ = cache.freshen(response, by: head, answering: query, requestTime: requestTime, responseTime: now)
            case false?: cache.remove(response)
            case nil: break
            }
        }
        if let entry = entry ?? cache.entryInMemory(query) {
            revise(entry.response)
        } else if cache.folder != nil {
            cache.lookUp(query) { if let entry = $0.entry { revise(entry.response) } }
        }
    }

    private func receive(_ head: ResponseHead, isStorable: Bool) -> SourceDecision {
        let now = cache.clock()
        guard isStorable, CacheRule.isStorable(head, answering: query),
            cache.admits(length: Int64(head.contentLength ?? 0)),
            let response = StoredResponse(
                head, answering: query, requestTime: requestTime, responseTime: now,
                contentLength: Int64(head.contentLength ?? 0))
        else {
            release(.unstorable)
            // What was stored is not what the server has now.
            if let entry, head.status < 300, query.range == nil { cache.remove(entry.response) }
            return .pass
        }
        let outcome = outcome(of: response, now)
        if case .stored = outcome {} else { release(outcome) }
        status?.isStored = true
        return .copy(
            to: CacheFill(cache, response, query, since: moment, url: hop.request.url, flight.take()))
    }

    /// RFC 9111 §4.4.
    private func invalidate(after head: ResponseHead) {
        guard (200..<400).contains(head.status), !["OPTIONS", "TRACE"].contains(hop.request.method),
            let destination = try? hop.request.destination.get(), let url = CacheQuery.url(of: hop.request)
        else { return }
        cache.remove(url: url)
        for name in ["Location", "Content-Location"] {
            guard let bytes = head.bytes(for: name).first, bytes.count <= RedirectPolicy.maximumLocationLength,
                let base = hop.request.url.map({ URIReference($0.absoluteString) }),
                let reference = URIReference(location: bytes, base: base.scheme),
                let other = try? URLRequest(string: reference.resolved(against: base).description),
                (try? other.destination.get().origin) == destination.origin, let url = CacheQuery.url(of: other)
            else { continue }
            cache.remove(url: url)
        }
    }

    func failed(_ failure: AttemptFailure, isOwn: Bool) -> SourceRecovery {
        if isOwn { return unreadable(failure) }
        guard failure.kind.isFailureOfServer, var source = staleAnswer() else { return .pass }
        if failure.kind == .timedOut(.total) { source.isUntimed = true }
        return .answer(source)
    }

    /// The content of the answer cannot be read, and nothing of it was delivered.
    private func unreadable(_ failure: AttemptFailure) -> SourceRecovery {
        guard failure.kind == .damaged else { return .pass }
        if query.policy == .returnCacheDataDontLoad { return .fail(.transfer(.damagedCache)) }
        entry = nil
        _ = send(.uriMiss)
        return .send
    }

    private func staleAnswer() -> StoredAnswer? {
        guard query.isRead, let entry, query.range == nil,
            let timeToLive = CacheRule.timeToLive(despiteErrorOf: entry.response, for: query, now: cache.clock())
        else { return nil }
        status?.timeToLive = timeToLive
        status?.isStoredAnswer = true
        release(.unusable)
        return source(entry, isValidated: false)
    }
}

extension CacheRule.Use {
    fileprivate var isAnswer: Bool { if case .answer = self { true } else { false } }
}
