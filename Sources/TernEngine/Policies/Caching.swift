// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import TernTLS

/// Answers hops with stored responses, has stale ones validated, and stores what may be stored (RFC 9111). Prepares a hop
/// after the policies that add fields and credentials: they decide which response matches.
///
/// ``CacheRule`` decides about one request, one response and the time; this policy decides what follows for the task.
struct Caching: HopPolicy {
    private struct Memory: PolicyMemory {
        /// The hop that it is about.
        var hopNumber = -1
        /// The request of the hop; nil if the cache has no part in it.
        var query: CacheQuery?
        /// What is stored for it, once that has been looked up.
        var found: [CacheEntry]?
        /// When the request was sent, in seconds since 1970-01-01T00:00:00Z.
        var requestTime: Int64 = 0
        /// The stored response that matches: the answer, or the one to validate.
        var entry: CacheEntry?
        var isConditional = false
        var isAnswered = false
        /// Whether the policy is asked about the same hop again, after a lookup.
        var isResumed = false
        /// Whether the hop has waited for another request.
        var hasWaited = false
        /// The hop that is sent without conditions: its server confirmed another response than the stored one.
        var unconditionalHop: Int?
    }

    private let cache: URLCache
    private let policy: URLRequest.CachePolicy
    private let sensitiveFields: SensitiveFields
    private let dialer: ConnectionDialer?
    private let socket: UnixSocketName?
    private let names: NameRules?
    private let trust: TrustSettings
    private let credentials: CredentialStorage?
    private let validate: @Sendable (URLRequest) -> Void
    let interests: HopInterests = [.preparation, .allHeads, .failures]

    /// Nil for a session without a cache.
    ///
    /// - Parameter validate: sends a request whose response only the cache reads.
    init?(
        of configuration: SessionConfiguration, trust: TrustSettings, validate: @escaping @Sendable (URLRequest) -> Void
    ) {
        guard let cache = configuration.urlCache else { return nil }
        (self.cache, self.trust, self.validate) = (cache, trust, validate)
        policy = configuration.requestCachePolicy
        sensitiveFields = configuration.sensitiveFields
        (dialer, socket) = (configuration.dialer, configuration.unixSocket)
        names = configuration.nameRules
        credentials = configuration.urlCredentialStorage
    }

    private func query(of hop: Hop) -> CacheQuery? {
        guard let origin = try? hop.request.destination.get().origin else { return nil }
        var trust = origin.scheme == .https ? trust.fingerprint(forHost: origin.host) : []
        if origin.scheme == .https, let leaf = credentials?.identity(for: origin)?.certificates.first {
            trust += [Array("stored identity".utf8), leaf.der]
        }
        if let dialer = hop.request.dialer ?? (hop.request.unixSocket == nil ? dialer : nil) {
            trust += [Array("dialer".utf8), Array("\(dialer.number)".utf8)]
        } else if let socket = hop.request.unixSocket ?? socket {
            trust += [Array("socket".utf8), Array("\(socket)".utf8)]
        }
        if let text = NameRules.joined(hop.request.routeSettings?.names, names)?.text(about: origin) {
            trust += [Array("endpoint".utf8), Array(text.utf8)]
        }
        let scope = CacheScope(
            of: hop.request, mayCarryCredentials: hop.mayCarryCredentials, sensitiveFields,
            trust: trust.isEmpty ? CacheScope.plain : CacheScope.digest(of: trust))
        let own = hop.request.cachePolicy
        return CacheQuery(hop.request, policy: own == .useProtocolCachePolicy ? policy : own, scope: scope)
    }
}

// Before a hop
extension Caching {
    func prepare(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation {
        var memory = history[Memory.self]
        if memory.isResumed {
            memory.isResumed = false
        } else {
            memory = Memory(
                hopNumber: hop.number, query: query(of: hop), requestTime: cache.clock(),
                unconditionalHop: memory.unconditionalHop)
            (history.cacheStatus, history.flight) = (nil, nil)
        }
        let preparation = prepare(hop, &memory, &history)
        history[Memory.self] = memory
        return preparation
    }

    private func prepare(_ hop: Hop, _ memory: inout Memory, _ history: inout TaskHistory) -> HopPreparation {
        guard let query = memory.query else { return .ready }
        guard query.isLookedUp, memory.unconditionalHop != hop.number else {
            if let refusal = refusal(query, &memory, &history) { return refusal }
            history.cacheStatus = CacheStatus(forward: query.isRead ? .bypass : .method)
            return forward(hop, query, nil)
        }
        // What is fresh in memory needs no lookup.
        if memory.found == nil, let entry = cache.entryInMemory(query.url, where: { query.matches($0) }),
            case .answer(let timeToLive) = CacheRule.use(entry.response, for: query, now: memory.requestTime)
        {
            return answer(with: entry, timeToLive, &memory, &history)
        }
        guard let found = memory.found ?? cache.entriesWithoutLookup(query.url) else { return lookUp(query, memory) }
        memory.entry = found.first { query.matches($0.response) }
        guard let entry = memory.entry else {
            return miss(hop, found.isEmpty ? .uriMiss : .varyMiss, query, &memory, &history)
        }
        switch CacheRule.use(entry.response, for: query, now: memory.requestTime) {
        case .answer(let timeToLive): return answer(with: entry, timeToLive, &memory, &history)
        case .answerAndValidate(let timeToLive):
            if !cache.flights.contains(query.flight) {
                var request = history.request
                request.cachePolicy = .reloadRevalidatingCacheData
                validate(request)
            }
            return answer(with: entry, timeToLive, &memory, &history)
        case .validate(let reason): return miss(hop, reason, query, &memory, &history)
        }
    }

    private func lookUp(_ query: CacheQuery, _ memory: Memory) -> HopPreparation {
        .lookUp { completion in
            cache.lookUp(query.url) { found in
                var memory = memory
                (memory.found, memory.isResumed) = (found, true)
                completion(.again(remembering: memory))
            }
            return {}
        }
    }

    private func answer(
        with entry: CacheEntry, _ timeToLive: Int64, _ memory: inout Memory, _ history: inout TaskHistory
    ) -> HopPreparation {
        guard let query = memory.query else { return .ready }
        memory.entry = entry
        memory.isAnswered = true
        history.cacheStatus = CacheStatus(timeToLive: timeToLive)
        history.cacheStatus?.isCollapsed = memory.hasWaited
        cache.used(entry.response)
        return .answer(source(entry, query, isValidated: false))
    }

    private func source(_ entry: CacheEntry, _ query: CacheQuery, isValidated: Bool) -> StoredAnswer {
        let (head, range) = entry.response.answer(to: query, isValidated: isValidated, now: cache.clock())
        var answer = StoredAnswer(head: head, content: entry.content, range: range)
        if case .file = entry.content { answer.whenDamaged = { [cache] in cache.remove(entry.response) } }
        return answer
    }

    /// The server must be asked: by this hop, or by another that is under way.
    private func miss(
        _ hop: Hop, _ reason: CacheStatus.Forward, _ query: CacheQuery, _ memory: inout Memory,
        _ history: inout TaskHistory
    ) -> HopPreparation {
        if let refusal = refusal(query, &memory, &history) { return refusal }
        if query.isShared, !memory.hasWaited {
            switch cache.flights.join(query.flight) {
            case .first(let flight): history.flight = flight
            case .waits(let number): return wait(for: number, query, memory)
            case .alone: break
            }
        }
        history.cacheStatus = CacheStatus(forward: reason)
        history.cacheStatus?.isCollapsed = memory.hasWaited
        let conditions = memory.entry?.response.conditions ?? []
        // A range of a stored response that changes meanwhile would not fit.
        memory.isConditional = !conditions.isEmpty && query.range == nil
        return forward(hop, query, memory.isConditional ? conditions : nil)
    }

    private func wait(for number: UInt64, _ query: CacheQuery, _ memory: Memory) -> HopPreparation {
        .lookUp { completion in
            cache.flights.wait(for: number, query.flight) {
                var memory = memory
                (memory.found, memory.hasWaited, memory.isResumed) = (nil, true, true)
                completion(.again(remembering: memory))
            }
            return {}
        }
    }

    /// Of a request that must not be sent.
    private func refusal(
        _ query: CacheQuery, _ memory: inout Memory, _ history: inout TaskHistory
    ) -> HopPreparation? {
        if query.policy == .returnCacheDataDontLoad { return .fail(.request(.notCached)) }
        // RFC 9111 §5.2.1.7; unsafe methods are written through (RFC 9111 §4).
        return query.isRead && query.control.isOnlyIfCached ? notCached(&memory, &history) : nil
    }

    private func notCached(_ memory: inout Memory, _ history: inout TaskHistory) -> HopPreparation {
        guard let head = try? ResponseHead(status: 504, reason: "Gateway Timeout", fields: ["Content-Length": "0"])
        else { return .fail(.request(.notCached)) }
        memory.isAnswered = true
        history.cacheStatus = CacheStatus(forward: .uriMiss)
        return .answer(StoredAnswer(head: head, content: .bytes([]), range: 0..<0))
    }

    private func forward(_ hop: Hop, _ query: CacheQuery, _ conditions: [HeaderField]?) -> HopPreparation {
        var request = hop.request
        for condition in conditions ?? [] { request.headers.replace(with: condition) }
        if query.isRead, query.policy == .reloadIgnoringLocalAndRemoteCacheData {
            if !request.headers.contains("Cache-Control") { request.headers.append("Cache-Control", "no-cache") }
            if !request.headers.contains("Pragma") { request.headers.append("Pragma", "no-cache") }
        } else if conditions == nil {
            return .ready
        }
        return .change(request)
    }
}

// After a response
extension Caching {
    func decide(on head: ResponseHead, _ history: inout TaskHistory) -> HopDecision {
        let memory = history[Memory.self]
        guard let query = memory.query, memory.hopNumber == history.hop.number, !memory.isAnswered else { return .pass }
        if !query.isRead {
            invalidate(after: head, history.hop)
            return .pass
        }
        if head.status == 304, let entry = memory.entry, memory.isConditional {
            return validated(entry, by: head, query, memory, &history)
        }
        if CacheRule.errorStatusCodes.contains(head.status), let source = staleAnswer(query, memory, &history) {
            history.cacheStatus?.forwardStatusCode = head.status
            return .answer(source)
        }
        return receive(head, query, memory, &history)
    }

    private func validated(
        _ entry: CacheEntry, by head: ResponseHead, _ query: CacheQuery, _ memory: Memory, _ history: inout TaskHistory
    ) -> HopDecision {
        guard entry.response.isConfirmed(by: head) else {
            history[Memory.self].unconditionalHop = history.hop.number
            return .resend(history.request)
        }
        let now = cache.clock()
        let response = entry.response.freshened(
            by: head, answering: query, requestTime: memory.requestTime, responseTime: now)
        if let response, !CacheControl(of: head).isNoStore {
            cache.update(response)
        } else {
            cache.remove(entry.response)
        }
        endFlight(response, query, now, &history)
        history[Memory.self].isAnswered = true
        history.cacheStatus?.forwardStatusCode = 304
        history.cacheStatus?.isStoredAnswer = true
        let answer = CacheEntry(response: response ?? entry.response, content: entry.content)
        return .answer(source(answer, query, isValidated: true))
    }

    /// Others go on: with the response, if it answers them.
    private func endFlight(
        _ response: StoredResponse?, _ query: CacheQuery, _ now: Int64, _ history: inout TaskHistory
    ) {
        let isShared = response.map { CacheRule.use($0, for: query, now: now).isAnswer } ?? false
        history.flight?.end(isShared: isShared)
        history.flight = nil
    }

    private func receive(
        _ head: ResponseHead, _ query: CacheQuery, _ memory: Memory, _ history: inout TaskHistory
    ) -> HopDecision {
        let now = cache.clock()
        let isTrusted = history.connection.map { $0.overriddenTrustFailure == nil } ?? true
        guard isTrusted, CacheRule.isStorable(head, answering: query),
            let response = StoredResponse(
                head, answering: query, requestTime: memory.requestTime, responseTime: now, contentLength: 0)
        else {
            endFlight(nil, query, now, &history)
            // What was stored is not what the server has now.
            if let entry = memory.entry, head.status < 300, query.method == "GET", query.range == nil {
                cache.remove(entry.response)
            }
            return .pass
        }
        if !CacheRule.use(response, for: query, now: now).isAnswer { endFlight(nil, query, now, &history) }
        history.cacheStatus?.isStored = true
        let flight = history.flight
        history.flight = nil
        return .copy(
            to: CacheFill(
                cache, head, query, requestTime: memory.requestTime, responseTime: now, url: history.hop.request.url,
                flight))
    }

    /// RFC 9111 §4.4.
    private func invalidate(after head: ResponseHead, _ hop: Hop) {
        guard (200..<400).contains(head.status), !["OPTIONS", "TRACE"].contains(hop.request.method),
            let destination = try? hop.request.destination.get(), let url = CacheQuery.url(of: hop.request)
        else { return }
        cache.remove(url: url)
        for name in ["Location", "Content-Location"] {
            guard let bytes = head.bytes(for: name).first, let reference = URIReference(location: bytes),
                let base = hop.request.url.map({ URIReference($0.absoluteString) }),
                let other = try? URLRequest(string: reference.resolved(against: base).description),
                (try? other.destination.get().origin) == destination.origin, let url = CacheQuery.url(of: other)
            else { continue }
            cache.remove(url: url)
        }
    }

    func decide(on failure: HopFailure, _ history: inout TaskHistory) -> HopRecovery {
        let memory = history[Memory.self]
        guard let query = memory.query, memory.hopNumber == history.hop.number else { return .pass }
        if memory.isAnswered {
            // Its content cannot be read, and nothing of it was delivered.
            if memory.isConditional || query.policy == .returnCacheDataDontLoad {
                return .fail(.transfer(.damagedCache))
            }
            history[Memory.self].isAnswered = false
            history.cacheStatus = CacheStatus(forward: .uriMiss)
            return .again
        }
        // A connection that was kept alive too long says nothing of the server.
        if case .lost(let evidence) = failure, evidence.wasReused, history.repeatCount == 0 { return .pass }
        return staleAnswer(query, memory, &history).map { .answer($0) } ?? .pass
    }

    private func staleAnswer(_ query: CacheQuery, _ memory: Memory, _ history: inout TaskHistory) -> StoredAnswer? {
        guard let entry = memory.entry, query.range == nil,
            let timeToLive = CacheRule.timeToLive(despiteErrorOf: entry.response, for: query, now: cache.clock())
        else { return nil }
        history[Memory.self].isAnswered = true
        history.cacheStatus?.timeToLive = timeToLive
        history.cacheStatus?.isStoredAnswer = true
        history.flight?.end()
        history.flight = nil
        return source(entry, query, isValidated: false)
    }
}

extension CacheRule.Use {
    fileprivate var isAnswer: Bool { if case .answer = self { true } else { false } }
}
