// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TernHTTP1
import TernLock
import TernTLS
import TestProofs
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

private struct Line: Hashable, CustomStringConvertible {
    let name: String
    let value: String

    var description: String { "\(name): \(value)" }
}

/// A private cache in the plainest way: it remembers every exchange, and looks through them all. Written from the text of
/// RFC 9111, RFC 5861 and RFC 9110 §14; where they leave a choice, from what the guide Caching says.
private struct CacheModel {
    struct Request {
        var method = "GET"
        var resource = 0
        var lines: [Line] = []
        /// Whose request it is: the credentials, without what changes from one request to the next.
        var who = ""
        /// The trust policy that it is sent under.
        var place = 0
        var policy = TernEngine.URLRequest.CachePolicy.useProtocolCachePolicy

        func values(_ name: String) -> [String] { lines.filter { $0.name == name }.map(\.value) }
    }

    struct Response {
        let status: Int
        let lines: [Line]
        let body: String

        func values(_ name: String) -> [String] { lines.filter { $0.name == name }.map(\.value) }
    }

    struct Exchange {
        /// The request that the server answered, or confirmed the response for, most recently.
        var request: Request
        var response: Response
        var sent: Int64
        var received: Int64
        var order: Int
        var isStored = true
    }

    enum Plan: Equatable {
        /// By the exchange, at once; and whether it is validated in the background.
        case answer(Int, validating: Bool)
        /// The request goes to the server, with these conditions; the exchange that it may confirm, or stand in for.
        case send([Line], entry: Int?)
        /// A 504 of the cache.
        case refuse
        case fail
    }

    enum Outcome {
        /// The response of the server is the answer.
        case deliver(isStorable: Bool)
        case answer(Exchange)
        /// The server has confirmed something else.
        case sendAgain
        case fail
    }

    private(set) var exchanges: [Exchange] = []
    private var order = 0
    /// What every date means that the test has written.
    var dates: [String: Int64] = [:]
    /// A value of `Last-Modified` that a request may repeat.
    var latestModification: String? { exchanges.last?.response.values("Last-Modified").first }
    /// The part of a length that a value of `Range` asks for. What is not here is for the server.
    var ranges: [String: @Sendable (Int) -> Range<Int>?] = [:]
}

// Directives (RFC 9111 §5.2)
extension CacheModel {
    private static func isToken(_ text: some StringProtocol) -> Bool {
        text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "!#$%&'*+-.^_`|~".contains($0)) }
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        return String(
            decoding: text.utf8.drop(while: isBlank).reversed().drop(while: isBlank).reversed(), as: UTF8.self)
    }

    /// The elements of a list; commas in quoted strings part nothing.
    private static func elements(_ text: String) -> [String] {
        var (elements, isQuoted) = ([""], false)
        for character in text.unicodeScalars {
            if character == "\"" { isQuoted.toggle() }
            if character == ",", !isQuoted {
                elements.append("")
            } else {
                elements[elements.count - 1].unicodeScalars.append(character)
            }
        }
        return elements.map { trimmed($0) }.filter { !$0.isEmpty }
    }

    /// The names, in lower case, and the arguments of all directives; "?" for an argument that is neither a token nor a
    /// quoted string.
    private static func directives(_ field: String) -> [(name: String, argument: String?)] {
        elements(field).map { element in
            let name = String(element.prefix { isToken("\($0)") })
            let rest = trimmed(element.dropFirst(name.count))
            guard rest.first == "=" else { return (name.lowercased(), rest.isEmpty ? nil : "?") }
            let value = trimmed(rest.dropFirst())
            guard value.first == "\"" else { return (name.lowercased(), isToken(value) ? value : "?") }
            let inner = String(value.dropFirst().dropLast())
            return (name.lowercased(), value.count > 1 && value.last == "\"" && !inner.contains("\"") ? inner : "?")
        }
    }

    /// What has been read once.
    private static let known = Lock<[String: [(name: String, argument: String?)]]>([:])

    private static func arguments(_ name: String, _ fields: [String]) -> [String?] {
        if fields.isEmpty { return [] }
        var all: [(name: String, argument: String?)] = []
        for field in fields {
            let found = known.withLock { $0[field] } ?? directives(field)
            known.withLock { $0[field] = found }
            all += found
        }
        return all.filter { $0.name == name }.map(\.argument)
    }

    private static func number(_ text: String?) -> Int64? {
        guard let text, !text.isEmpty, text.allSatisfy({ "0123456789".contains($0) }) else { return nil }
        return min(Int64(text) ?? .max, 1 << 31)
    }

    /// §4.2.1: two that differ, and one that cannot be read, count as 0.
    private static func seconds(_ name: String, _ fields: [String]) -> Int64? {
        let numbers = Set(arguments(name, fields).map { number($0) ?? 0 })
        return numbers.isEmpty ? nil : numbers.count == 1 ? numbers.first : 0
    }

    /// §5.2.2.4: the names of the fields that need validation, and whether all of the response does.
    private static func uncached(_ response: Response) -> (names: Set<String>, all: Bool) {
        var uncached: (names: Set<String>, all: Bool) = ([], false)
        for argument in arguments("no-cache", response.values("Cache-Control")) {
            let names = (argument ?? "").split(separator: ",").map { trimmed($0).lowercased() }.filter { !$0.isEmpty }
            if names.isEmpty || !names.allSatisfy({ isToken($0) }) {
                uncached.all = true
            } else {
                uncached.names.formUnion(names)
            }
        }
        return uncached
    }

    private func has(_ directive: String, _ fields: [String]) -> Bool { !Self.arguments(directive, fields).isEmpty }

    private func has(_ directive: String, in response: Response) -> Bool {
        has(directive, response.values("Cache-Control"))
    }

    /// §5.4: `Pragma` counts where there is no `Cache-Control`.
    private func control(of request: Request) -> [String] {
        let own = request.values("Cache-Control")
        return own.isEmpty && has("no-cache", request.values("Pragma")) ? ["no-cache"] : own
    }
}

// Storing (§3), matching (§4.1), freshness (§4.2)
extension CacheModel {
    private static let heuristicStatusCodes = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]

    private func isStorable(_ response: Response, to request: Request) -> Bool {
        let (status, own) = (response.status, response.values("Cache-Control"))
        guard request.method == "GET", !has("no-store", control(of: request)) else { return false }
        // Nothing partial, nothing that confirms something else, no challenge, and nothing that speaks of a field of the
        // request: a range, a condition, an expectation.
        if [206, 304, 401, 407, 412, 416, 417].contains(status) { return false }
        if has("must-understand", own) {
            if status == 299 || status == 599 { return false }
        } else if has("no-store", own) {
            return false
        }
        if selectingNames(response).contains("*") { return false }
        return Self.heuristicStatusCodes.contains(status) || has("public", own) || has("private", own)
            || has("max-age", own) || !response.values("Expires").isEmpty
    }

    /// The fields of a request that select the response. What is coded is for those who accept it, whether the server says
    /// so or not.
    private func selectingNames(_ response: Response) -> Set<String> {
        let names = response.values("Vary").flatMap(Self.elements).map { $0.lowercased() }
        return Set(names + (response.values("Content-Encoding").isEmpty ? [] : ["accept-encoding"]))
    }

    private func selectingFields(_ names: Set<String>, _ request: Request) -> [String: [String]] {
        var fields: [String: [String]] = [:]
        for line in request.lines where names.contains(line.name.lowercased()) {
            fields[line.name.lowercased(), default: []] += Self.elements(line.value)
        }
        return fields
    }

    private func date(_ exchange: Exchange) -> Int64 {
        exchange.response.values("Date").compactMap { dates[$0] }.first ?? exchange.received
    }

    private func isSame(_ a: Request, _ b: Request) -> Bool {
        a.resource == b.resource && a.who == b.who && a.place == b.place
    }

    private func matches(_ exchange: Exchange, _ request: Request) -> Bool {
        let names = selectingNames(exchange.response)
        return exchange.isStored && isSame(exchange.request, request)
            && selectingFields(names, exchange.request) == selectingFields(names, request)
    }

    /// §4: of several that match, the most recent one by its date, and by its arrival where the dates are equal.
    private func match(_ request: Request) -> Int? {
        func recency(_ exchange: Exchange) -> (Int64, Int64, Int) {
            (date(exchange), exchange.received, exchange.order)
        }
        return exchanges.indices.filter { matches(exchanges[$0], request) }
            .max { recency(exchanges[$0]) < recency(exchanges[$1]) }
    }

    private func lifetime(_ exchange: Exchange) -> Int64 {
        let response = exchange.response
        if let maxAge = Self.seconds("max-age", response.values("Cache-Control")) { return maxAge }
        let (expires, modified) = (response.values("Expires"), response.values("Last-Modified"))
        if !expires.isEmpty {
            guard Set(expires).count == 1, let end = dates[expires[0]] else { return 0 }
            return max(0, end - date(exchange))
        }
        guard Self.heuristicStatusCodes.contains(response.status) || has("public", in: response), modified.count == 1,
            let start = dates[modified[0]], start < date(exchange)
        else { return 0 }
        return min((date(exchange) - start) / 10, 7 * 86400)
    }

    /// Nil where the clock has been set back.
    private func age(_ exchange: Exchange, _ now: Int64) -> Int64? {
        guard now >= exchange.received - 1, exchange.sent <= exchange.received else { return nil }
        let stated = exchange.response.values("Age").first?.split(separator: ",").first.map(String.init)
        let apparent = max(0, exchange.received - date(exchange))
        return max(apparent, (Self.number(stated) ?? 0) + exchange.received - exchange.sent)
            + max(0, now - exchange.received)
    }
}

// Use (§4, §5.2.1, RFC 5861)
extension CacheModel {
    func plan(_ request: Request, _ now: Int64) -> Plan {
        let control = control(of: request)
        let isRead = ["GET", "HEAD"].contains(request.method)
        let isOnlyIfCached = isRead && has("only-if-cached", control)
        let range = request.method == "GET" ? request.values("Range") : []
        func miss(_ entry: Int?) -> Plan {
            if request.policy == .returnCacheDataDontLoad { return .fail }
            if isOnlyIfCached { return .refuse }
            guard let entry, range.isEmpty else { return .send([], entry: entry) }
            return .send(conditions(exchanges[entry].response), entry: entry)
        }
        let isForServer =
            !isRead || ["If-None-Match", "If-Modified-Since", "Upgrade"].contains { !request.values($0).isEmpty }
            || has("no-store", control) && !isOnlyIfCached || !range.isEmpty && ranges[range[0]] == nil
            || [.reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData].contains(request.policy)
        guard !isForServer, let entry = match(request) else { return miss(nil) }
        switch request.policy {
        case .returnCacheDataElseLoad, .returnCacheDataDontLoad: return .answer(entry, validating: false)
        case .useProtocolCachePolicy: break
        default: return miss(entry)
        }
        guard let validating = answers(exchanges[entry], control, now) else { return miss(entry) }
        return .answer(entry, validating: validating)
    }

    /// Nil if the response does not answer without its server, else whether it is validated in the background.
    private func answers(_ exchange: Exchange, _ control: [String], _ now: Int64) -> Bool? {
        guard let age = age(exchange, now), !Self.uncached(exchange.response).all, !has("no-cache", control)
        else { return nil }
        let own = exchange.response.values("Cache-Control")
        let left = lifetime(exchange) - age
        let maxStale = Self.arguments("max-stale", control).first.map { $0 == nil ? .max : Self.number($0) ?? 0 }
        if let least = Self.arguments("min-fresh", control).first, left < Self.number(least) ?? .max { return nil }
        let maxAge = Self.seconds("max-age", control)
        // Staleness that is allowed is allowed beyond the age, too.
        if let maxAge, age - maxAge > maxStale ?? 0 { return nil }
        if left > 0 { return false }
        if has("must-revalidate", own) { return nil }
        if let maxStale, -left <= maxStale { return false }
        guard maxAge == nil, let window = Self.seconds("stale-while-revalidate", own), -left <= window else {
            return nil
        }
        return true
    }

    /// §4.3.1
    private func conditions(_ response: Response) -> [Line] {
        let (tags, modified) = (response.values("ETag"), response.values("Last-Modified"))
        return (tags.count == 1 ? [Line(name: "If-None-Match", value: tags[0])] : [])
            + (modified.count == 1 ? [Line(name: "If-Modified-Since", value: modified[0])] : [])
    }

    /// RFC 5861 §4
    private func standsIn(_ exchange: Exchange, _ request: Request, _ now: Int64) -> Bool {
        let (own, control) = (exchange.response.values("Cache-Control"), control(of: request))
        let windows = [own, control].compactMap { Self.seconds("stale-if-error", $0) }
        guard request.policy == .useProtocolCachePolicy, request.method != "GET" || request.values("Range").isEmpty,
            let age = age(exchange, now), let window = windows.max(), !Self.uncached(exchange.response).all
        else { return false }
        return !has("no-cache", control) && !has("must-revalidate", own) && age - lifetime(exchange) <= window
    }
}

// What follows from a response
extension CacheModel {
    mutating func receive(
        _ response: Response, to request: Request, by plan: Plan, sent: Int64, received: Int64, isComplete: Bool,
        isForced: Bool
    ) -> Outcome {
        guard case .send(let conditions, let entry) = plan else { return .fail }
        guard ["GET", "HEAD"].contains(request.method) else {
            // §4.4
            if (200..<400).contains(response.status), !["OPTIONS", "TRACE"].contains(request.method) {
                forget { $0.request.resource == request.resource }
            }
            return .deliver(isStorable: false)
        }
        let hasOwnConditions = ["If-None-Match", "If-Modified-Since"].contains { !request.values($0).isEmpty }
        if response.status == 304, !hasOwnConditions {
            if let entry, !conditions.isEmpty, confirms(response, exchanges[entry].response) {
                return .answer(freshen(entry, response, request, sent, received))
            }
            // It confirms nothing.
            if let entry { exchanges[entry].isStored = false }
            if !isForced { return .sendAgain }
        }
        if [500, 502, 503, 504].contains(response.status), let entry, standsIn(exchanges[entry], request, received) {
            return .answer(exchanges[entry])
        }
        if request.method == "HEAD" {
            revise(entry ?? match(request), response, request, sent, received)
            return .deliver(isStorable: false)
        }
        guard isStorable(response, to: request) else {
            // It is not what the server has now.
            if let entry, response.status < 300, request.values("Range").isEmpty {
                exchanges[entry].isStored = false
            }
            return .deliver(isStorable: false)
        }
        if isComplete { store(response, request, sent, received) }
        return .deliver(isStorable: true)
    }

    /// The connection was lost.
    func lose(_ request: Request, by plan: Plan, now: Int64) -> Outcome {
        guard case .send(_, let entry?) = plan, standsIn(exchanges[entry], request, now) else { return .fail }
        return .answer(exchanges[entry])
    }

    private mutating func forget(_ isForgotten: (Exchange) -> Bool) {
        for index in exchanges.indices where isForgotten(exchanges[index]) { exchanges[index].isStored = false }
    }

    /// §3.1, and RFC 9110 §6.6.1: what has no date gets that of its arrival.
    private func kept(_ lines: [Line], _ received: Int64) -> [Line] {
        let kept = lines.filter { !["Connection", "X-Hop", "Keep-Alive"].contains($0.name) }
        if kept.contains(where: { $0.name == "Date" }) { return kept }
        return kept + [Line(name: "Date", value: dates.first { $0.value == received }?.key ?? "")]
    }

    private mutating func store(_ response: Response, _ request: Request, _ sent: Int64, _ received: Int64) {
        let names = selectingNames(response)
        let fields = selectingFields(names, request)
        let replaced = exchanges.indices.filter { index in
            let other = exchanges[index]
            return isSame(other.request, request) && selectingNames(other.response) == names
                && selectingFields(names, other.request) == fields
        }
        for index in replaced { exchanges[index].isStored = false }
        order += 1
        let stored = Response(status: response.status, lines: kept(response.lines, received), body: response.body)
        exchanges.append(Exchange(request: request, response: stored, sent: sent, received: received, order: order))
    }

    /// §4.3.4, with the comparison of weak tags (RFC 9110 §8.8.3.2): nginx confirms a weak tag by the strong one that it
    /// has made it of.
    private func confirms(_ confirmation: Response, _ stored: Response) -> Bool {
        func opaque(_ tag: String) -> String { tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag }
        let (tags, own) = (confirmation.values("ETag"), stored.values("ETag"))
        if !tags.isEmpty { return tags.count == 1 && own.count == 1 && opaque(tags[0]) == opaque(own[0]) }
        let (modified, ownModified) = (confirmation.values("Last-Modified"), stored.values("Last-Modified"))
        return modified.isEmpty || ownModified.count != 1 || modified == ownModified
    }

    /// §4.3.5: a 200 to HEAD freshens what it has the validators and the length of, and has other responses removed. One
    /// that has none of these says nothing.
    private mutating func revise(
        _ entry: Int?, _ head: Response, _ request: Request, _ sent: Int64, _ received: Int64
    ) {
        guard let entry, head.status == 200 else { return }
        let stored = exchanges[entry].response
        let (tags, modified) = (head.values("ETag"), head.values("Last-Modified"))
        let length = head.values("Content-Length").first
        let isSame =
            stored.status == 200 && (tags.isEmpty || confirms(head, stored))
            && (modified.isEmpty || modified.count == 1 && modified == stored.values("Last-Modified"))
            && (length == nil || length == "\(stored.body.utf8.count)")
        if !isSame {
            exchanges[entry].isStored = false
        } else if !(tags.isEmpty && modified.isEmpty && length == nil) {
            _ = freshen(entry, head, request, sent, received)
        }
    }

    /// §3.2: the fields of the confirmation take the place of the stored ones, but for those about the content; a weak tag
    /// becomes no strong one. The age counts from the confirmation (§4.2.3).
    private mutating func freshen(
        _ entry: Int, _ confirmation: Response, _ request: Request, _ sent: Int64, _ received: Int64
    ) -> Exchange {
        let old = exchanges[entry]
        let ownTag = old.response.values("ETag").isEmpty ? [] : ["ETag"]
        let new = kept(confirmation.lines, received).filter {
            !(["Content-Length", "Content-Encoding"] + ownTag).contains($0.name)
        }
        let lines = old.response.lines.filter { line in line.name != "Age" && !new.contains { $0.name == line.name } }
        order += 1
        var updated = old
        updated.response = Response(status: old.response.status, lines: lines + new, body: old.response.body)
        (updated.request, updated.sent, updated.received, updated.order) = (request, sent, received, order)
        let isUsable = !selectingNames(updated.response).contains("*")
        exchanges[entry] = updated
        if !isUsable || has("no-store", in: confirmation) { exchanges[entry].isStored = false }
        return isUsable ? updated : old
    }
}

// The answer by a stored response
extension CacheModel {
    func answer(_ exchange: Exchange, to request: Request, isValidated: Bool, now: Int64) -> String {
        var (status, body) = (exchange.response.status, Array(exchange.response.body.utf8))
        var lines = exchange.response.lines
        let length = body.count
        if !isValidated {
            let uncached = Self.uncached(exchange.response).names
            lines = lines.filter { !uncached.contains($0.name.lowercased()) && $0.name != "Age" }
            lines.append(Line(name: "Age", value: "\(age(exchange, now) ?? 0)"))
        }
        if request.method == "GET", status == 200, let value = request.values("Range").first, let range = ranges[value],
            applies(request.values("If-Range").first, to: exchange)
        {
            let part = range(length)
            let text = part.map { "\($0.lowerBound)-\($0.upperBound - 1)" } ?? "*"
            lines.append(Line(name: "Content-Range", value: "bytes \(text)/\(length)"))
            (status, body) = (part == nil ? 416 : 206, part.map { Array(body[$0]) } ?? [])
        }
        if status != 204 { lines.append(Line(name: "Content-Length", value: "\(body.count)")) }
        return Self.text(status, lines, request.method == "HEAD" ? "" : String(decoding: body, as: UTF8.self))
    }

    /// RFC 9110 §13.1.5
    private func applies(_ condition: String?, to exchange: Exchange) -> Bool {
        guard let condition else { return true }
        let (tags, modified) = (exchange.response.values("ETag"), exchange.response.values("Last-Modified"))
        if condition.first == "\"" { return tags == [condition] }
        guard modified == [condition], let start = dates[condition] else { return false }
        return start <= date(exchange) - 60
    }

    static func text(_ status: Int, _ lines: [Line], _ body: String) -> String {
        "\(status) \(lines.map { "\($0.name): \($0.value)" }.sorted()) \(body)"
    }
}

/// Requests and responses at random, through the cache of the product and through the model.
private struct CacheTrial {
    private final class Shared: Sendable {
        let now = Atomic<Int64>(1_767_225_600)
        let validationCount = Atomic<Int>(0)
    }

    private var random: SeededGenerator
    private var model = CacheModel()
    private let shared: Shared
    private let caching: Caching
    /// What of the routes of each place distinguishes responses.
    private let routeKeys: [[[UInt8]]]
    private var log: [() -> String] = []
    private(set) var counts: [String: Int] = [:]
    private var number = 0

    init(seed: UInt64) throws {
        let shared = Shared()
        (random, self.shared) = (SeededGenerator(seed: seed), shared)
        var configuration = SessionConfiguration()
        configuration.urlCache = TernEngine.URLCache(
            memoryCapacity: 1 << 22, folder: nil, clock: { shared.now.load(ordering: .relaxed) })
        configuration.sensitiveFields = SensitiveFields(["X-Key"])
        routeKeys = [nil, ["a.test": ServerTrustPolicy.disableEvaluation]].map { trust in
            TrustSettings(tls: configuration.tls, policies: trust.map { ServerTrustPolicyManager(policies: $0) })
                .fingerprint(forHost: "a.test")
        }
        caching = try #require(
            Caching(of: configuration) { _ in shared.validationCount.add(1, ordering: .relaxed) })
        model.ranges = [
            "bytes=1-2": { $0 > 1 ? 1..<min(3, $0) : nil }, "bytes=2-": { $0 > 2 ? 2..<$0 : nil },
            "bytes=-2": { $0 > 0 ? max(0, $0 - 2)..<$0 : nil }, "Bytes=90-99": { _ in nil },
        ]
    }

    /// What has happened most recently.
    var story: String { log.suffix(24).map { $0() }.joined(separator: "\n") }

    private var now: Int64 { shared.now.load(ordering: .relaxed) }

    private func pass(_ seconds: Int64) { shared.now.add(seconds, ordering: .relaxed) }

    private mutating func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: 0..<choices.count, using: &random)] }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func count(_ name: String) { counts[name, default: 0] += 1 }

    private mutating func date(_ seconds: Int64) -> String {
        let text = HTTPDate.text(seconds) ?? ""
        model.dates[text] = seconds
        return text
    }
}

// What happens
extension CacheTrial {
    /// One request. Returns what the product does and the model does not.
    mutating func step() throws -> String? {
        pass(pick([0, 0, 1, 1, 2, 5, 10, 30, 61, 200]))
        if chance(2) { pass(pick([100_000, -1, -2, -100])) }
        var request = makeRequest()
        let due = shared.validationCount.load(ordering: .relaxed)
        if let difference = try ask(request) { return difference }
        guard shared.validationCount.load(ordering: .relaxed) > due else { return nil }
        count("background")
        request.policy = .reloadRevalidatingCacheData
        return try ask(request)
    }

    private mutating func ask(_ request: CacheModel.Request) throws -> String? {
        let sent = try makeURLRequest(request)
        let sourced = SourcedHop(
            hop: Hop(request: sent), request: sent, chain: RedirectChain(), routeKey: routeKeys[request.place],
            credentialIdentity: nil, task: caching)
        guard let part = caching.part(in: sourced) else { return "no part" }
        defer { part.ended() }
        var isForced = false
        while true {
            let started = now
            var plan = model.plan(request, started)
            // Nothing answers it meanwhile: not even what a clock that was set back had made unusable.
            if isForced { plan = .send([], entry: nil) }
            let (asked, planned) = (request, plan)
            log.append { "\(started) \(asked.method) \(asked.resource) \(asked.who) \(asked.lines) -> \(planned)" }
            if !isForced, let difference = prepare(part, request, plan) { return difference }
            guard case .send(let conditions, _) = plan else { return nil }
            if let difference = compare(sent, adding: part.additions, request, conditions, isForced: isForced) {
                return difference
            }
            count(conditions.isEmpty ? "requests" : "validations")
            pass(pick([0, 0, 0, 1, 3]))
            if chance(8) {
                let outcome = model.lose(request, by: plan, now: now)
                if case .answer = outcome { count("stand-ins") }
                let failure = AttemptFailure(reason: .transfer(.connectionLost(nil)), phase: .head)
                return compare(part.failed(failure, isOwn: false), request, outcome)
            }
            let response = makeResponse(to: request, conditions)
            let isComplete = !chance(5)
            let outcome = model.receive(
                response, to: request, by: plan, sent: started, received: now, isComplete: isComplete,
                isForced: isForced || request.policy == .reloadIgnoringLocalAndRemoteCacheData)
            log.append { "  \(response.status) \(response.lines)\(isComplete ? "" : " broken off")" }
            let head = try ResponseHead(status: response.status, fields: makeFields(response.lines))
            switch (part.received(head, isStorable: true), outcome) {
            case (.pass, .deliver(isStorable: false)): return nil
            case (.copy(let tee), .deliver(isStorable: true)):
                tee.received(Array(response.body.utf8).span)
                if let question = tee.ended(isComplete: isComplete) { question.answer(question.proposal) }
                return nil
            case (.answer(let source), .answer(let exchange)):
                let isValidated = response.status == 304
                count(isValidated ? "confirmations" : "stand-ins")
                return compare(source, model.answer(exchange, to: request, isValidated: isValidated, now: now))
            case (.resend, .sendAgain):
                if isForced { return "sent again twice" }
                count("mismatches")
                isForced = true
            case (let decision, _): return "after the response: \(decision) instead of \(outcome)"
            }
        }
    }

    private mutating func prepare(
        _ part: any HopSource, _ request: CacheModel.Request, _ plan: CacheModel.Plan
    ) -> String? {
        let due = shared.validationCount.load(ordering: .relaxed)
        let answer = part.answer()
        let isDue = shared.validationCount.load(ordering: .relaxed) > due
        switch (answer, plan) {
        case (.answer(let source), .answer(let entry, isDue)):
            count(request.method == "GET" && !request.values("Range").isEmpty ? "ranges" : "answers")
            return compare(
                source, model.answer(model.exchanges[entry], to: request, isValidated: false, now: now))
        case (.answer(let source), .refuse):
            count("refusals")
            return compare(source, CacheModel.text(504, [Line(name: "Content-Length", value: "0")], ""))
        case (.fail(.request(.notCached)), .fail):
            count("failures")
            return nil
        case (.pass, .send): return isDue ? "validated in the background" : nil
        default: return "\(answer) instead of \(plan)"
        }
    }

    private func compare(
        _ recovery: SourceRecovery, _ request: CacheModel.Request, _ outcome: CacheModel.Outcome
    ) -> String? {
        switch (recovery, outcome) {
        case (.pass, .fail): nil
        case (.answer(let source), .answer(let exchange)):
            compare(source, model.answer(exchange, to: request, isValidated: false, now: now))
        default: "after a loss: \(recovery) instead of \(outcome)"
        }
    }

    private func compare(_ source: any CarrierSource, _ expected: String) -> String? {
        guard let answer = source as? StoredAnswer, case .bytes(let bytes) = answer.content else { return "no answer" }
        let body = bytes[Int(answer.range.lowerBound)..<Int(answer.range.upperBound)]
        let lines = answer.head.fields.map { Line(name: $0.name, value: $0.value) }
        let given = CacheModel.text(answer.head.status, lines, String(decoding: body, as: UTF8.self))
        return given == expected ? nil : "answered\n  \(given) instead of\n  \(expected)"
    }

    /// The request as it is sent: its own fields, and the conditions.
    private func compare(
        _ plain: TernEngine.URLRequest, adding fields: [HeaderField], _ request: CacheModel.Request,
        _ conditions: [Line], isForced: Bool
    ) -> String? {
        var sent = plain
        for field in fields { sent.headers.replace(with: field) }
        var expected = request.lines + conditions
        let reloads = request.policy == .reloadIgnoringLocalAndRemoteCacheData
        if isForced || reloads && ["GET", "HEAD"].contains(request.method) {
            for name in ["Cache-Control", "Pragma"] where request.values(name).isEmpty {
                expected.append(Line(name: name, value: "no-cache"))
            }
        }
        let given = sent.headers.map { "\($0.name): \($0.value)" }.sorted()
        let wanted = expected.map { "\($0.name): \($0.value)" }.sorted()
        return given == wanted ? nil : "sent \(given) instead of \(wanted)"
    }
}

// What is sent
extension CacheTrial {
    private func makeFields(_ lines: [Line]) -> HeaderFields {
        HeaderFields(lines.map { HeaderField(name: $0.name, value: $0.value) })
    }

    private mutating func makeURLRequest(_ request: CacheModel.Request) throws -> TernEngine.URLRequest {
        let urls = [
            ["http://a.test/1", "http://a.test:80/1#part", "HTTP://A.test/1"],
            ["https://a.test/1", "https://a.test:443/1"],
            ["http://a.test/1?", "http://a.test:80/1?#x"],
        ]
        var made = try TernEngine.URLRequest(string: pick(urls[request.resource]))
        made.httpMethod = request.method
        made.headers = makeFields(request.lines)
        made.cachePolicy = request.policy
        return made
    }

    private static let credentials = [
        ("Bearer a", "a"), ("Bearer b", "b"), ("bearer a", "c"),
        (#"Digest username="d", realm="r", nonce="1", nc=1"#, "d"),
        (#"Digest nonce="2", nc=7, realm="r", username="d""#, "d"),
        (#"Digest username="d", realm="R", nonce="1", nc=1"#, "e"),
    ]

    private static let requestDirectives = [
        "no-cache", "no-store", "max-age=0", "max-age=10", "min-fresh=20", "min-fresh=x", "max-stale", "max-stale=30",
        "max-stale=x", "only-if-cached", "stale-if-error=60", "max-age=10, max-stale=30", "x, Max-Age=\"5\"",
        "max-age=1x", "min-fresh=5, max-stale=60", "only-if-cached, no-store", "no-cache, only-if-cached",
    ]

    private mutating func makeRequest() -> CacheModel.Request {
        var request = CacheModel.Request()
        func add(_ name: String, _ value: String) { request.lines.append(Line(name: name, value: value)) }
        if chance(15) { request.method = pick(["HEAD", "HEAD", "HEAD", "POST", "DELETE", "OPTIONS"]) }
        request.resource = pick([0, 0, 0, 0, 0, 1, 1, 2])
        // Trust is a matter of https.
        request.place = request.resource == 1 && chance(50) ? 1 : 0
        if chance(20) {
            let (value, who) = pick(Self.credentials)
            add("Authorization", value)
            request.who = who
        }
        if chance(5) {
            let key = pick(["1", "2"])
            add("X-Key", key)
            request.who += " key \(key)"
        }
        if chance(30) {
            let values = [["en"], ["en, de"], ["en ,\tde"], ["en", "de"], ["\"en, de\""], ["\"en,de\""], [""]]
            for value in pick(values) { add("X-L", value) }
        }
        if chance(20) { add("X-V", pick(["1", "2"])) }
        if chance(90) { add("Accept-Encoding", pick(["gzip", "gzip", "gzip", "gzip", "identity"])) }
        if chance(25) { add("Cache-Control", pick(Self.requestDirectives)) }
        if chance(4) { add("Pragma", "no-cache") }
        if chance(12) {
            let values = ["bytes=1-2", "bytes=2-", "bytes=-2", "Bytes=90-99", "bytes=0-0,2-3", "bytes=5-2", "x=1-2"]
            add("Range", pick(values))
            if chance(40) {
                add(
                    "If-Range",
                    pick(["\"1\"", "\"2\"", "W/\"1\"", date(1_767_224_600), model.latestModification ?? "x"]))
            }
        }
        if chance(3) { add("If-None-Match", "\"1\"") }
        if chance(2) { add("If-Modified-Since", date(1_767_224_600)) }
        if chance(1) { add("Upgrade", "x") }
        if chance(12) {
            request.policy = pick([
                .reloadIgnoringLocalCacheData, .returnCacheDataElseLoad, .returnCacheDataDontLoad,
                .reloadIgnoringLocalAndRemoteCacheData, .reloadRevalidatingCacheData,
            ])
        }
        return request
    }

    private static let statusCodes =
        Array(repeating: 200, count: 24) + [
            203, 204, 206, 299, 301, 304, 401, 403, 404, 410, 412, 416, 500, 503, 503, 503, 504, 599,
        ]

    private mutating func makeResponse(to request: CacheModel.Request, _ conditions: [Line]) -> CacheModel.Response {
        number += 1
        let isConfirmation = !conditions.isEmpty && chance(60)
        let status = isConfirmation ? 304 : pick(Self.statusCodes)
        // The date of its arrival has a text.
        _ = date(now)
        var lines = [Line(name: status == 304 ? "X-Update" : "X-Id", value: "\(number)")] + makeFreshness()
        func add(_ name: String, _ value: String) { lines.append(Line(name: name, value: value)) }
        if isConfirmation, chance(60) {
            for condition in conditions where chance(80) {
                add(condition.name == "If-None-Match" ? "ETag" : "Last-Modified", condition.value)
            }
        } else {
            if chance(60) { add("ETag", pick(["\"1\"", "\"2\"", "W/\"1\"", "W/\"2\"", "3"])) }
            if chance(3) { add("ETag", "\"4\"") }
            let modified = [date(1_767_224_600), date(1_767_125_600), date(1_700_000_000), date(now - 9), "x"]
            if chance(50) { add("Last-Modified", pick(modified)) }
        }
        if chance(35) { add("Vary", pick(["X-L", "x-v", "X-L, X-V", "Accept-Encoding", "Authorization", "X-Absent"])) }
        if chance(2) { add("Vary", "*") }
        if chance(10) { add("Content-Encoding", "gzip") }
        if chance(10) { add("X-Secret", "\(number)") }
        if chance(10) {
            for (name, value) in [("Connection", "x-hop"), ("X-Hop", "1"), ("Keep-Alive", "x")] { add(name, value) }
        }
        if request.method == "HEAD", chance(40) { add("Content-Length", pick(["10", "11"])) }
        let hasBody = request.method != "HEAD" && status != 304 && status != 204
        return CacheModel.Response(status: status, lines: lines, body: hasBody ? "\(number):abcdefgh" : "")
    }

    private static let responseDirectives = [
        "max-age=60", "max-age=60", "max-age=60", "max-age=60", "max-age=60", "max-age=600", "max-age=600",
        "MAX-AGE=\"60\"", "max-age=5", "max-age=0", "max-age=x",
        "max-age=-1", "max-age = 60", "max-age=60 s", "max-age", "max-age=99999999999999999999", "no-cache",
        "no-cache=\"x-secret\"", "no-cache=\"X-Secret, y\"", "no-cache x", "no-cache=X-Secret y", "no-cache=\"\"",
        "no-store", "must-revalidate", "public", "private", "private=\"X-Secret\"", "must-understand", "s-maxage=600",
        "stale-while-revalidate=30", "stale-while-revalidate=600", "stale-if-error=60", "stale-if-error=600",
        "stale-if-error=600", "stale-if-error=600", "x=\"a,no-store\"", "immutable", "=", "\"no-store\"",
    ]

    private mutating func makeFreshness() -> [Line] {
        var lines: [Line] = []
        func add(_ name: String, _ value: String) { lines.append(Line(name: name, value: value)) }
        let controls = (0..<pick([0, 1, 1, 1, 2, 2, 3])).map { _ in pick(Self.responseDirectives) }
        if chance(50) {
            for control in controls { add("Cache-Control", control) }
        } else if !controls.isEmpty {
            add("Cache-Control", controls.joined(separator: pick([",", ", ", " ,, "])))
        }
        // A quotation mark that is not closed.
        if chance(3) { add("Cache-Control", "max-age=\"60") }
        if chance(80) {
            add("Date", date(now - pick([0, 0, 0, 0, 0, 0, 5, 100, -500])))
        } else if chance(30) {
            add("Date", "x")
        }
        if chance(20) { add("Expires", pick([date(now + 50), date(now + 50), date(now - 1), "0"])) }
        if chance(4) { add("Expires", date(now + 90)) }
        if chance(12) { add("Age", pick(["0", "4", "30", "61, 2", "x", "-1"])) }
        return lines
    }
}

@Suite(.timeLimit(.minutes(1))) struct CacheModelTests {
    /// `TERN_CACHE_SEED` repeats one sequence.
    private static let seeds: Range<UInt64> = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["TERN_CACHE_SEED"].flatMap({ UInt64($0) }) { return seed..<(seed &+ 1) }
        return 0..<UInt64(Rounds.of(50))
    }()

    @Test func `the cache does what a model of RFC 9111 does, whatever is requested and answered`() throws {
        var counts: [String: Int] = [:]
        for seed in Self.seeds {
            var trial = try CacheTrial(seed: seed)
            for _ in 0..<60 {
                guard let difference = try trial.step() else { continue }
                Issue.record("seed \(seed): \(difference)\n\(trial.story)")
                break
            }
            counts.merge(trial.counts, uniquingKeysWith: +)
        }
        // Each kind of decision was met.
        let kinds = [
            "answers", "ranges", "refusals", "failures", "validations", "confirmations", "mismatches", "stand-ins",
            "background",
        ]
        for kind in kinds where Self.seeds.count > 1 {
            #expect(counts[kind, default: 0] > 5, "\(kind): \(counts)")
        }
    }
}
