// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Synchronization
import TernHTTP1
import TernLock
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// One request of a dialogue with a cache, and what is expected of it.
struct CacheStep: Sendable {
    /// A response of the origin. `{date}`, `{date-10}` in a value stand for a time relative to the present one.
    struct Answer: Sendable {
        var status = 200
        var fields: [(String, String)] = []
        var body = ""
    }

    /// Seconds that pass before the request.
    var after: Int64 = 0
    var method = "GET"
    var path = "/"
    var fields: [(String, String)] = []
    var policy = URLRequest.CachePolicy.useProtocolCachePolicy
    /// What the origin answers; nil if it must not be asked.
    var answer: Answer?
    /// The body, or the status code of an answer that is none of 200 and 206, and the cache's status.
    var expected: String
    /// Fields that the origin must have received, with their values; "" for an absent field.
    var received: [String: String] = [:]
    /// Fields that the answer must have; "" for an absent field.
    var delivered: [String: String] = [:]

    /// A request that the origin answers.
    static func sent(
        _ body: String, _ answered: [(String, String)], status: Int = 200, after: Int64 = 0, method: String = "GET",
        path: String = "/", fields: [(String, String)] = [], policy: URLRequest.CachePolicy = .useProtocolCachePolicy,
        as expected: String, received: [String: String] = [:], delivered: [String: String] = [:]
    ) -> CacheStep {
        CacheStep(
            after: after, method: method, path: path, fields: fields, policy: policy,
            answer: Answer(status: status, fields: answered, body: body), expected: expected, received: received,
            delivered: delivered)
    }

    /// A request that the cache answers.
    static func stored(
        _ expected: String, after: Int64 = 0, method: String = "GET", path: String = "/",
        fields: [(String, String)] = [], policy: URLRequest.CachePolicy = .useProtocolCachePolicy,
        delivered: [String: String] = [:]
    ) -> CacheStep {
        CacheStep(
            after: after, method: method, path: path, fields: fields, policy: policy, answer: nil, expected: expected,
            delivered: delivered)
    }
}

/// A clause of RFC 9111, 9110 or 5861 and the dialogue that shows it.
struct CacheRow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let steps: [CacheStep]

    init(_ name: String, _ steps: CacheStep...) { (testDescription, self.steps) = (name, steps) }
}

/// A cache whose time the test sets, a session with it, and an origin whose responses the test chooses.
final class CacheDialogue: Sendable {
    private final class Time: Sendable {
        // 2026-01-01T00:00:00Z
        let seconds = Atomic<Int64>(1_767_225_600)
    }

    private let time: Time
    private let answer: AnswerBox
    let cache: URLCache
    let origin: ScriptedOrigin
    let session: Session

    init(
        capacity: Int = 1 << 20, folder: CacheFolder? = nil, tls identity: Identity? = nil,
        _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) throws {
        let (time, answer) = (Time(), AnswerBox())
        cache = URLCache(
            memoryCapacity: capacity, folder: folder, clock: { time.seconds.load(ordering: .relaxed) })
        self.time = time
        self.answer = answer
        origin = try ScriptedOrigin(tls: identity) { _, request in
            guard let answer = answer.answer.withLock({ $0 }) else { return [.respond(status: 599)] }
            let fields = answer.fields.map { (name: $0.0, value: $0.1) }
            // Without content, and with the length that GET would bring.
            if request.method == "HEAD" || answer.status == 304 {
                let lines = fields.map { "\($0.name): \($0.value)\r\n" }.joined()
                return [.send(Array("HTTP/1.1 \(answer.status) X\r\n\(lines)\r\n".utf8))]
            }
            return [.respond(status: answer.status, fields: fields, body: answer.body)]
        }
        session = Session.limited(to: 4) { [cache] in
            $0.urlCache = cache
            change(&$0)
        }
    }

    private final class AnswerBox: Sendable {
        let answer = Lock<CacheStep.Answer?>(nil)
    }

    func advance(by seconds: Int64) { _ = time.seconds.add(seconds, ordering: .relaxed) }

    private func dated(_ value: String) -> String {
        guard let start = value.firstIndex(of: "{"), let end = value.firstIndex(of: "}") else { return value }
        let offset = Int64(value[start..<end].dropFirst("{date".count)) ?? 0
        let date = HTTPDate.text(time.seconds.load(ordering: .relaxed) + offset) ?? ""
        return value[..<start] + date + value[value.index(after: end)...]
    }

    /// Does what the step says, and compares.
    func run(_ step: CacheStep, _ location: SourceLocation = #_sourceLocation) async throws {
        advance(by: step.after)
        let answer = step.answer.map { answer in
            CacheStep.Answer(
                status: answer.status, fields: answer.fields.map { ($0.0, dated($0.1)) }, body: answer.body)
        }
        self.answer.answer.withLock { $0 = answer }
        let before = origin.requests.count
        var request = try URLRequest(origin, step.path, method: step.method)
        for (name, value) in step.fields { request.headers.append(name, dated(value)) }
        request.cachePolicy = step.policy
        let (outcome, response) = try await outcome(of: request)
        #expect(outcome == step.expected, sourceLocation: location)
        let received = origin.requests.dropFirst(before)
        #expect(received.isEmpty == (answer == nil), "the origin was asked", sourceLocation: location)
        for (name, value) in step.received {
            #expect((received.last?.value(of: name) ?? "") == dated(value), "\(name)", sourceLocation: location)
        }
        for (name, value) in step.delivered {
            #expect((response?.head[name] ?? "") == dated(value), "\(name)", sourceLocation: location)
        }
    }

    func outcome(of request: URLRequest) async throws -> (String, HTTPURLResponse?) {
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: request, delegate: delegate)
        task.resume()
        let record = await delegate.end()
        let status = task.metrics?.cacheStatus.map { "\($0)".dropFirst("Tern; ".count) } ?? "none"
        if let error = record.error { return ("\(error.reason.kind) | \(status)", nil) }
        let code = task.response?.statusCode ?? 0
        let body = String(decoding: record.body, as: UTF8.self)
        return ("\(code == 200 || code == 206 ? body : "\(code)") | \(status)", task.response)
    }
}

@Suite(.timeLimit(.minutes(1))) struct CacheRuleTests {
    @Test(arguments: storing + freshness + validation + directives + varying + ranges + heads + invalidation + failures)
    func `RFC 9111`(_ row: CacheRow) async throws {
        let dialogue = try CacheDialogue()
        for step in row.steps { try await dialogue.run(step) }
    }

    private static let miss = "fwd=uri-miss; stored"
    private static let fresh = ("Cache-Control", "max-age=60")
    private static let tag = ("ETag", "\"1\"")

    // §3
    private static let storing = [
        CacheRow(
            "§3: a fresh response answers, and its server is not asked; §4: with its age",
            .sent("a", [fresh], as: "a | \(miss)"),
            .stored("a | hit; ttl=40", after: 20, delivered: ["Age": "20", "Content-Length": "1"]),
            .sent("b", [fresh], after: 40, as: "b | fwd=stale; stored")),
        CacheRow(
            "§3: other methods are not stored",
            .sent("a", [fresh], method: "POST", as: "a | fwd=method"), .sent("b", [], as: "b | \(miss)")),
        CacheRow(
            "§5.2.2.5: no-store stores nothing, whatever stands beside it",
            .sent("a", [("Cache-Control", "max-age=60, no-store")], as: "a | fwd=uri-miss"),
            .sent("b", [fresh], as: "b | \(miss)")),
        CacheRow(
            "§5.2.1.5: a request with no-store is not stored",
            .sent("a", [fresh], fields: [("Cache-Control", "no-store")], as: "a | fwd=bypass"),
            .sent("b", [fresh], as: "b | \(miss)")),
        CacheRow(
            "§3: a status code that is not cacheable needs an explicit lifetime",
            .sent("", [("Last-Modified", "{date-1000}")], status: 403, as: "403 | fwd=uri-miss"),
            .sent("", [fresh], status: 403, as: "403 | \(miss)"), .stored("403 | hit; ttl=60")),
        CacheRow(
            "§4.2.2: 404, 410 and 501 are cacheable",
            .sent("", [("Last-Modified", "{date-1000}")], status: 404, path: "/4", as: "404 | \(miss)"),
            .stored("404 | hit; ttl=90", after: 10, path: "/4"),
            .sent(
                "", [("Cache-Control", "public"), ("Last-Modified", "{date-1000}")], status: 410, path: "/10",
                as: "410 | \(miss)"),
            .stored("410 | hit; ttl=100", path: "/10")),
        CacheRow(
            "RFC 9110 §11: a challenge is not stored",
            .sent("", [fresh], status: 401, as: "401 | fwd=uri-miss"), .sent("b", [fresh], as: "b | \(miss)")),
        CacheRow(
            "§5.2.2.3: must-understand stores what is understood, in spite of no-store",
            .sent("a", [("Cache-Control", "must-understand, no-store, max-age=60")], as: "a | \(miss)"),
            .stored("a | hit; ttl=60"),
            .sent(
                "", [("Cache-Control", "must-understand, max-age=60")], status: 599, path: "/u",
                as: "599 | fwd=uri-miss")),
        CacheRow(
            "§3.1: fields of the connection are not stored",
            .sent(
                "a", [fresh, ("Connection", "X-Hop"), ("X-Hop", "1"), ("Keep-Alive", "timeout=5"), ("X-End", "2")],
                as: "a | \(miss)"),
            .stored(
                "a | hit; ttl=60",
                delivered: ["X-Hop": "", "Connection": "", "Keep-Alive": "", "X-End": "2"])),
        CacheRow(
            "§3.3: a part is not stored",
            .sent(
                "ab", [fresh, ("Content-Range", "bytes 0-1/9")], status: 206, fields: [("Range", "bytes=0-1")],
                as: "ab | fwd=uri-miss"),
            .sent("whole", [fresh], as: "whole | \(miss)")),
        CacheRow(
            "an answer to a range, a condition or an expectation is for no request without it",
            .sent("", [fresh], status: 416, fields: [("Range", "bytes=9-")], as: "416 | fwd=uri-miss"),
            .sent("", [fresh], status: 412, fields: [("If-Match", "\"1\"")], as: "412 | fwd=bypass"),
            .sent("", [fresh], status: 417, as: "417 | fwd=uri-miss"), .sent("b", [fresh], as: "b | \(miss)")),
        CacheRow(
            "RFC 9110 §6.6.1: what has no date is stored with that of its arrival",
            .sent("a", [fresh], as: "a | \(miss)", delivered: ["Date": ""]),
            .stored("a | hit; ttl=50", after: 10, delivered: ["Date": "{date-10}"])),
        CacheRow(
            "a redirect is stored, and followed from the cache",
            .sent("b", [fresh], path: "/b", as: "b | \(miss)"),
            .sent("moved", [fresh, ("Location", "/b")], status: 301, path: "/a", as: "b | hit; ttl=60"),
            .stored("b | hit; ttl=59", after: 1, path: "/a")),
    ]

    // §4.2
    private static let freshness = [
        CacheRow(
            "§4.2.1: max-age counts before Expires",
            .sent("a", [("Expires", "{date-100}"), fresh], as: "a | \(miss)"), .stored("a | hit; ttl=60")),
        CacheRow(
            "§5.3: Expires counts from Date",
            .sent("a", [("Date", "{date-10}"), ("Expires", "{date+50}")], as: "a | \(miss)"),
            .stored("a | hit; ttl=50")),
        CacheRow(
            "§5.3: an Expires that is no date has passed",
            .sent("a", [("Expires", "0"), ("Last-Modified", "{date-1000}")], as: "a | \(miss)"),
            .sent("b", [("Expires", "{date+9}"), ("Expires", "{date+10}")], as: "b | fwd=stale; stored"),
            .sent("c", [], as: "c | fwd=stale; stored")),
        CacheRow(
            "RFC 9110 §5.6.7: obsolete dates are read",
            .sent(
                "a", [("Date", "Thursday, 01-Jan-26 00:00:00 GMT"), ("Expires", "Thu Jan  1 00:00:30 2026")],
                as: "a | \(miss)"),
            .stored("a | hit; ttl=30")),
        CacheRow(
            "RFC 9110 §5.6.7: other dates are read, too, and a Date in another form is none",
            .sent(
                "a", [("Date", "Sat, 01 Oct 2022 7:19:16 GMT"), ("Expires", "1-jan-2026 0:00:30 UTC")],
                as: "a | \(miss)"),
            .stored("a | hit; ttl=30")),
        CacheRow(
            "§4.2.2: without a lifetime, a tenth of the time since it was modified, at most a week",
            .sent("a", [("Last-Modified", "{date-1000}")], as: "a | \(miss)"),
            .stored("a | hit; ttl=1", after: 99),
            .sent(
                "b", [("Last-Modified", "{date-99999999}")], after: 1, as: "b | fwd=stale; stored",
                received: ["If-Modified-Since": "{date-1100}"]),
            .stored("b | hit; ttl=604800")),
        CacheRow(
            "§4.2.1: contradicting lifetimes make it stale",
            .sent("a", [("Cache-Control", "max-age=60, max-age=90")], as: "a | \(miss)"),
            .sent("b", [("Cache-Control", "max-age=90"), fresh], as: "b | fwd=stale; stored"),
            .sent("c", [("Cache-Control", "max-age=60, max-age=\"60\"")], as: "c | fwd=stale; stored"),
            .stored("c | hit; ttl=60")),
        CacheRow(
            "§4.2.1: a lifetime that cannot be read makes it stale",
            .sent("a", [("Cache-Control", "max-age=1h")], as: "a | \(miss)"),
            .sent("b", [("Cache-Control", "max-age=-1")], as: "b | fwd=stale; stored"),
            .sent("c", [("Cache-Control", "max-age")], as: "c | fwd=stale; stored"),
            .sent("d", [("Cache-Control", "max-age=60 seconds")], as: "d | fwd=stale; stored"),
            .sent("d", [("Cache-Control", "max-age=\"60")], as: "d | fwd=stale; stored"),
            .sent("e", [("Cache-Control", "max-age=99999999999999999999")], as: "e | fwd=stale; stored"),
            .stored("e | hit; ttl=2147483648")),
        CacheRow(
            "§5.2: names are case-insensitive, arguments may be quoted, unknown directives are ignored",
            .sent("a", [("cache-control", ",, x=\"a,no-store\" , Max-Age=\"60\",")], as: "a | \(miss)"),
            .stored("a | hit; ttl=60")),
        CacheRow(
            "§4.2.3: the age that a cache before has stated counts",
            .sent("a", [fresh, ("Age", "30")], as: "a | \(miss)"), .stored("a | hit; ttl=20", after: 10),
            .sent("b", [fresh, ("Age", "61, 2"), ("Age", "3")], after: 30, as: "b | fwd=stale; stored"),
            .sent("c", [fresh, ("Age", "x")], as: "c | fwd=stale; stored"), .stored("c | hit; ttl=60")),
        CacheRow(
            "§4.2.3: a response that was old when it arrived is as old as its date",
            .sent("a", [fresh, ("Date", "{date-50}")], as: "a | \(miss)"), .stored("a | hit; ttl=10"),
            .sent("b", [fresh, ("Date", "{date+500}")], after: 10, as: "b | fwd=stale; stored"),
            .stored("b | hit; ttl=60")),
        CacheRow(
            "a clock that is set back makes nothing fresh, and one that is set forward makes it stale",
            .sent("a", [fresh, tag], as: "a | \(miss)"),
            .sent("", [tag, fresh], status: 304, after: -1000, as: "a | fwd=stale; fwd-status=304"),
            .stored("a | hit; ttl=60"),
            .sent("", [tag, fresh], status: 304, after: 400_000_000, as: "a | fwd=stale; fwd-status=304")),
    ]

    // §4.3
    private static let validation = [
        CacheRow(
            "§4.3.1: validators are sent, §4.3.4: and the confirmation updates the stored fields",
            .sent("a", [fresh, tag, ("Last-Modified", "{date-9}"), ("X-Old", "1"), ("X-New", "1")], as: "a | \(miss)"),
            .sent(
                "", [("Cache-Control", "max-age=100"), tag, ("X-New", "2"), ("Content-Length", "77")], status: 304,
                after: 61, as: "a | fwd=stale; fwd-status=304",
                received: ["If-None-Match": "\"1\"", "If-Modified-Since": "{date-70}"],
                delivered: ["X-Old": "1", "X-New": "2", "Content-Length": "1", "Age": ""]),
            .stored("a | hit; ttl=1", after: 99, delivered: ["X-Old": "1", "X-New": "2"])),
        CacheRow(
            "§4.3.3: another response replaces the stored one",
            .sent("a", [("Cache-Control", "no-cache"), tag], as: "a | \(miss)"),
            .sent("b", [fresh, ("ETag", "\"2\"")], as: "b | fwd=stale; stored", received: ["If-None-Match": "\"1\""]),
            .stored("b | hit; ttl=60")),
        CacheRow(
            "§4.3.4: a weak tag confirms, by its opaque part",
            .sent("a", [("Cache-Control", "no-cache"), ("ETag", "W/\"1\"")], as: "a | \(miss)"),
            .sent("", [tag], status: 304, as: "a | fwd=stale; fwd-status=304", received: ["If-None-Match": "W/\"1\""])),
        CacheRow(
            "§4.3.4: a confirmation without a validator is believed",
            .sent("a", [("Cache-Control", "no-cache"), tag], as: "a | \(miss)"),
            .sent("", [fresh], status: 304, as: "a | fwd=stale; fwd-status=304"), .stored("a | hit; ttl=60")),
        CacheRow(
            "§4.2.3: the age counts from the confirmation",
            .sent("a", [fresh, tag, ("Age", "50"), ("Date", "{date}")], as: "a | \(miss)"),
            .sent("", [tag], status: 304, after: 11, as: "a | fwd=stale; fwd-status=304", delivered: ["Age": ""]),
            .stored("a | hit; ttl=50", after: 10, delivered: ["Age": "10", "Date": "{date-10}"])),
        CacheRow(
            "§4.3.4: a weak tag that is confirmed by a strong one stays weak",
            .sent("abc", [("Cache-Control", "no-cache"), ("ETag", "W/\"1\"")], as: "abc | \(miss)"),
            .sent("", [tag, fresh], status: 304, as: "abc | fwd=stale; fwd-status=304"),
            .stored(
                "abc | hit; ttl=60", fields: [("Range", "bytes=0-0"), ("If-Range", "\"1\"")],
                delivered: ["ETag": "W/\"1\""])),
        CacheRow(
            "without validators nothing is confirmed",
            .sent("a", [], as: "a | \(miss)"),
            .sent("b", [], as: "b | fwd=stale; stored", received: ["If-None-Match": "", "If-Modified-Since": ""])),
        CacheRow(
            "a 304 to a request without conditions is the answer, and is not stored",
            .sent("", [fresh], status: 304, as: "304 | fwd=uri-miss"), .sent("b", [fresh], as: "b | \(miss)")),
        CacheRow(
            "§4.3.2: conditions of the program are the program's",
            .sent("a", [fresh, tag], as: "a | \(miss)"),
            .sent(
                "", [tag], status: 304, fields: [("If-None-Match", "\"0\"")], as: "304 | fwd=bypass",
                received: ["If-None-Match": "\"0\""]),
            .stored("a | hit; ttl=60")),
    ]

    // §5.2, RFC 5861
    private static let directives = [
        CacheRow(
            "§5.2.2.4: no-cache needs validation",
            .sent("a", [("Cache-Control", "no-cache, max-age=60"), tag], as: "a | \(miss)"),
            .sent("", [tag], status: 304, as: "a | fwd=stale; fwd-status=304")),
        CacheRow(
            "§5.2.2.4: no-cache with fields leaves those out",
            .sent(
                "a",
                [("Cache-Control", "no-cache=\"X-A, x-b\", max-age=60"), ("X-A", "1"), ("X-B", "2"), ("X-C", "3")],
                as: "a | \(miss)", delivered: ["X-A": "1"]),
            .stored("a | hit; ttl=60", delivered: ["X-A": "", "X-B": "", "X-C": "3"])),
        CacheRow(
            "§5.2.2.4: no-cache with what are no names needs validation",
            .sent("a", [("Cache-Control", "max-age=60, no-cache X-A"), tag], as: "a | \(miss)"),
            .sent(
                "b", [("Cache-Control", "no-cache=X-A X-B, max-age=60"), tag], as: "b | fwd=stale; stored"),
            .sent("", [tag], status: 304, as: "b | fwd=stale; fwd-status=304")),
        CacheRow(
            "§5.2.1.4, §5.4: a request with no-cache is validated",
            .sent("a", [fresh, tag], as: "a | \(miss)"),
            .sent(
                "", [tag], status: 304, fields: [("Cache-Control", "no-cache")],
                as: "a | fwd=request; fwd-status=304"),
            .sent("", [tag], status: 304, fields: [("Pragma", "no-cache")], as: "a | fwd=request; fwd-status=304"),
            .stored("a | hit; ttl=60", fields: [("Pragma", "no-cache"), ("Cache-Control", "x")])),
        CacheRow(
            "§5.2.1.1, §5.2.1.2, §5.2.1.3: max-age, max-stale and min-fresh of a request",
            .sent("a", [fresh, tag], as: "a | \(miss)"),
            .stored("a | hit; ttl=50", after: 10, fields: [("Cache-Control", "max-age=10, min-fresh=50")]),
            .sent(
                "", [tag, fresh], status: 304, fields: [("Cache-Control", "max-age=9")],
                as: "a | fwd=request; fwd-status=304"),
            .sent(
                "", [tag, fresh], status: 304, fields: [("Cache-Control", "min-fresh=61")],
                as: "a | fwd=request; fwd-status=304"),
            .stored("a | hit; ttl=-10", after: 70, fields: [("Cache-Control", "max-stale=10")]),
            .stored("a | hit; ttl=-10", fields: [("Cache-Control", "max-stale")]),
            .sent(
                "", [tag, fresh], status: 304, fields: [("Cache-Control", "max-stale=9")],
                as: "a | fwd=stale; fwd-status=304")),
        CacheRow(
            "§5.2.1.1: max-stale extends max-age, and does not lift it",
            .sent("a", [("Cache-Control", "max-age=600"), tag], as: "a | \(miss)"),
            .stored("a | hit; ttl=585", after: 15, fields: [("Cache-Control", "max-age=10, max-stale=5")]),
            .sent(
                "", [tag], status: 304, after: 1, fields: [("Cache-Control", "max-age=10, max-stale=5")],
                as: "a | fwd=request; fwd-status=304"),
            .stored("a | hit; ttl=300", after: 300, fields: [("Cache-Control", "max-age=10, max-stale")])),
        CacheRow(
            "§5.2.2.2: must-revalidate forbids stale answers",
            .sent(
                "a", [("Cache-Control", "max-age=1, must-revalidate, stale-while-revalidate=99"), tag],
                as: "a | \(miss)"),
            .sent(
                "", [tag], status: 304, after: 2, fields: [("Cache-Control", "max-stale")],
                as: "a | fwd=stale; fwd-status=304")),
        CacheRow(
            "§5.2.1.7: only-if-cached",
            .stored("504 | fwd=uri-miss", fields: [("Cache-Control", "only-if-cached")]),
            .sent("a", [fresh], as: "a | \(miss)"),
            .stored("a | hit; ttl=60", fields: [("Cache-Control", "only-if-cached")])),
        CacheRow(
            "§5.2.1.7, §4: what must not be sent is not, but an unsafe method is written through",
            .sent("a", [fresh], as: "a | \(miss)"),
            .stored("504 | fwd=uri-miss", fields: [("Cache-Control", "only-if-cached"), ("If-None-Match", "\"1\"")]),
            .stored("504 | fwd=uri-miss", fields: [("Cache-Control", "only-if-cached"), ("Range", "bytes=0-0,2-2")]),
            .stored(
                "504 | fwd=uri-miss", fields: [("Cache-Control", "only-if-cached")], policy: .reloadIgnoringCacheData),
            .stored("not-cached | fwd=bypass", fields: [("If-None-Match", "\"1\"")], policy: .returnCacheDataDontLoad),
            .stored(
                "not-cached | fwd=bypass", fields: [("Cache-Control", "no-store")], policy: .returnCacheDataDontLoad),
            .stored("not-cached | fwd=method", method: "POST", policy: .returnCacheDataDontLoad),
            .sent("b", [], method: "POST", fields: [("Cache-Control", "only-if-cached")], as: "b | fwd=method")),
        CacheRow(
            "the cache policies of a request",
            .stored("not-cached | fwd=uri-miss", policy: .returnCacheDataDontLoad),
            .sent("a", [tag], policy: .returnCacheDataElseLoad, as: "a | \(miss)"),
            .stored("a | hit; ttl=-99", after: 99, policy: .returnCacheDataElseLoad),
            .stored("a | hit; ttl=-99", policy: .returnCacheDataDontLoad),
            .sent(
                "b", [fresh, tag], policy: .reloadIgnoringLocalCacheData, as: "b | fwd=bypass; stored",
                received: ["If-None-Match": "", "Cache-Control": ""]),
            .stored("b | hit; ttl=60"),
            .sent(
                "", [tag, fresh], status: 304, policy: .reloadRevalidatingCacheData,
                as: "b | fwd=request; fwd-status=304", received: ["If-None-Match": "\"1\""]),
            .sent(
                "c", [fresh], policy: .reloadIgnoringLocalAndRemoteCacheData, as: "c | fwd=bypass; stored",
                received: ["Cache-Control": "no-cache", "Pragma": "no-cache"]),
            .stored("c | hit; ttl=60")),
    ]

    // §4.1
    private static let varying = [
        CacheRow(
            "§4.1: fields that Vary names must match, whatever the whitespace between their members",
            .sent(
                "en", [fresh, ("Vary", "accept-language, X-Absent")], fields: [("Accept-Language", "en, de")],
                as: "en | \(miss)"),
            .stored("en | hit; ttl=60", fields: [("Accept-Language", "en,  de")]),
            .stored("en | hit; ttl=60", fields: [("Accept-Language", "en"), ("accept-language", "de")]),
            .sent(
                "fr", [fresh, ("Vary", "Accept-Language")], fields: [("Accept-Language", "fr")],
                as: "fr | fwd=vary-miss; stored"),
            .stored("en | hit; ttl=60", fields: [("Accept-Language", "en, de")]),
            .stored("fr | hit; ttl=60", fields: [("Accept-Language", "fr")]),
            .sent(
                "x", [fresh], fields: [("Accept-Language", "en, de"), ("X-Absent", "1")],
                as: "x | fwd=vary-miss; stored")),
        CacheRow(
            "§4.1: whitespace in a quoted string, escaped quotes in it included, makes another value",
            .sent("a", [fresh, ("Vary", "X-A")], fields: [("X-A", #""a,b", c"#)], as: "a | \(miss)"),
            .stored("a | hit; ttl=60", fields: [("X-A", #""a,b" ,c"#)]),
            .sent("b", [fresh, ("Vary", "X-A")], fields: [("X-A", #""a, b", c"#)], as: "b | fwd=vary-miss; stored"),
            .sent("c", [fresh, ("Vary", "X-A")], fields: [("X-A", #""\",a""#)], as: "c | fwd=vary-miss; stored"),
            .sent("d", [fresh, ("Vary", "X-A")], fields: [("X-A", #""\", a""#)], as: "d | fwd=vary-miss; stored")),
        CacheRow(
            "§4: of several responses that match the most recent one by its date answers",
            .sent("a", [fresh, ("Vary", "X-A"), ("Date", "{date}")], fields: [("X-A", "1")], as: "a | \(miss)"),
            .sent(
                "b", [fresh, ("Vary", "X-B"), ("Date", "{date-9}")], fields: [("X-A", "2"), ("X-B", "1")],
                as: "b | fwd=vary-miss; stored"),
            .stored("a | hit; ttl=60", fields: [("X-A", "1"), ("X-B", "1")])),
        CacheRow(
            "a response in a coding is for those who accept it, also without a Vary",
            .sent(
                "a", [fresh, ("Content-Encoding", "x")], fields: [("Accept-Encoding", "x")], as: "a | \(miss)"),
            .sent(
                "b", [fresh], fields: [("Accept-Encoding", "identity")], as: "b | fwd=vary-miss; stored"),
            .stored("b | hit; ttl=60", fields: [("Accept-Encoding", "gzip")])),
        CacheRow(
            "§4.1: Vary: * matches nothing",
            .sent("a", [fresh, ("Vary", "X-A"), ("Vary", "*")], as: "a | fwd=uri-miss"),
            .sent("b", [fresh], as: "b | \(miss)")),
        CacheRow(
            "another credential gets another response",
            .sent("a", [fresh], fields: [("Authorization", "Bearer a")], as: "a | \(miss)"),
            .stored("a | hit; ttl=60", fields: [("Authorization", "Bearer a")]),
            .sent("b", [fresh], fields: [("Authorization", "Bearer b")], as: "b | fwd=vary-miss; stored"),
            .sent("c", [fresh], as: "c | fwd=vary-miss; stored"),
            .stored("b | hit; ttl=60", fields: [("authorization", "Bearer b")])),
        CacheRow(
            "a nonce of Digest makes no other credential, and another name does",
            .sent(
                "a", [fresh], fields: [("Authorization", #"Digest username="a", realm="r", nonce="1", nc=1"#)],
                as: "a | \(miss)"),
            .stored(
                "a | hit; ttl=60", fields: [("Authorization", #"Digest username="a", realm="r", nonce="2", nc=2"#)]),
            .sent(
                "b", [fresh], fields: [("Authorization", #"Digest username="b", realm="r", nonce="1", nc=1"#)],
                as: "b | fwd=vary-miss; stored")),
    ]

    private static let digests = [
        ("Repr-Digest", "sha-256=:a:"), ("Digest", "md5=a"), ("Content-Digest", "sha-256=:b:"), ("Content-MD5", "b"),
    ]

    // RFC 9110 §14
    private static let ranges = [
        CacheRow(
            "a range is answered from the whole",
            .sent("abcdef", [fresh, tag], as: "abcdef | \(miss)"),
            .stored(
                "bc | hit; ttl=60", fields: [("Range", "bytes=1-2")],
                delivered: ["Content-Range": "bytes 1-2/6", "Content-Length": "2"]),
            .stored("ef | hit; ttl=60", fields: [("Range", "bytes=-2")]),
            .stored("ef | hit; ttl=60", fields: [("Range", "bytes=4-99")]),
            .stored("416 | hit; ttl=60", fields: [("Range", "bytes=6-")], delivered: ["Content-Range": "bytes */6"]),
            .stored("bc | hit; ttl=60", fields: [("Range", "bytes=1-2"), ("If-Range", "\"1\"")]),
            .stored("abcdef | hit; ttl=60", fields: [("Range", "bytes=1-2"), ("If-Range", "\"2\"")])),
        CacheRow(
            "RFC 9530: a digest of the content is for the whole, that of the representation for its parts, too",
            .sent("abcdef", [fresh] + digests, as: "abcdef | \(miss)"),
            .stored(
                "abcdef | hit; ttl=60", delivered: ["Content-Digest": "sha-256=:b:", "Repr-Digest": "sha-256=:a:"]),
            .stored(
                "bc | hit; ttl=60", fields: [("Range", "bytes=1-2")],
                delivered: ["Content-Digest": "", "Content-MD5": "", "Repr-Digest": "sha-256=:a:", "Digest": "md5=a"]),
            .stored(
                "416 | hit; ttl=60", fields: [("Range", "bytes=6-")],
                delivered: ["Content-Digest": "", "Content-MD5": "", "Repr-Digest": "", "Digest": ""])),
        CacheRow(
            "RFC 9110 §13.1.5: a date lets a range apply if the resource had it for a while",
            .sent("abc", [fresh, tag, ("Last-Modified", "{date-59}")], path: "/1", as: "abc | \(miss)"),
            .stored("abc | hit; ttl=60", path: "/1", fields: [("Range", "bytes=0-0"), ("If-Range", "{date-59}")]),
            .sent("abc", [fresh, tag, ("Last-Modified", "{date-60}")], path: "/2", as: "abc | \(miss)"),
            .stored("a | hit; ttl=60", path: "/2", fields: [("Range", "bytes=0-0"), ("If-Range", "{date-60}")])),
        CacheRow(
            "several ranges are the server's",
            .sent("abcdef", [fresh], as: "abcdef | \(miss)"),
            .sent(
                "x", [("Content-Range", "bytes 0-0/6")], status: 206, fields: [("Range", "bytes=0-0,2-3")],
                as: "x | fwd=bypass"),
            .stored("abcdef | hit; ttl=60")),
        CacheRow(
            "a stale whole does not answer a range",
            .sent("abcdef", [("Cache-Control", "max-age=1"), tag], as: "abcdef | \(miss)"),
            .sent(
                "bc", [("Content-Range", "bytes 1-2/6")], status: 206, after: 2, fields: [("Range", "bytes=1-2")],
                as: "bc | fwd=stale", received: ["If-None-Match": ""])),
        CacheRow(
            "a request that asks for another protocol is the server's",
            .sent("a", [fresh], as: "a | \(miss)"),
            .sent(
                "b", [fresh], fields: [("Upgrade", "x"), ("Connection", "Upgrade")], as: "b | fwd=bypass; stored")),
        CacheRow(
            "HEAD is answered from what GET brought",
            .sent("abc", [fresh], as: "abc | \(miss)"),
            .stored(" | hit; ttl=60", method: "HEAD", delivered: ["Content-Length": "3"]),
            .stored(
                " | hit; ttl=60", method: "HEAD", fields: [("Range", "bytes=1-1")],
                delivered: ["Content-Length": "3", "Content-Range": ""]),
            .sent("", [fresh], method: "HEAD", path: "/2", as: " | fwd=uri-miss"),
            .sent("b", [fresh], path: "/2", as: "b | \(miss)")),
    ]

    // §4.3.5
    private static let heads: [CacheRow] = {
        let (modified, later) = (("Last-Modified", "{date-1000}"), ("Last-Modified", "{date-10}"))
        let (weak, other, length) = (("ETag", "W/\"1\""), ("ETag", "\"2\""), ("Content-Length", "3"))
        let asks = [("Cache-Control", "no-cache")]
        func row(
            _ name: String, _ stored: [(String, String)], _ head: [(String, String)], status: Int = 200,
            policy: URLRequest.CachePolicy = .useProtocolCachePolicy, fields: [(String, String)] = asks,
            _ next: CacheStep
        ) -> CacheRow {
            let reason = policy == .useProtocolCachePolicy && fields.first?.0 == "Cache-Control" ? "request" : "bypass"
            return CacheRow(
                "§4.3.5: a HEAD \(name)", .sent("abc", stored, as: "abc | \(miss)"),
                .sent(
                    "", head, status: status, method: "HEAD", fields: fields, policy: policy,
                    as: "\(status == 200 ? "" : "\(status)") | fwd=\(reason)"),
                next)
        }
        let gone = CacheStep.sent("new", [fresh], as: "new | \(miss)")
        let longer = CacheStep.stored("abc | hit; ttl=500", after: 100, delivered: ["X": "1"])
        let update = [("Cache-Control", "max-age=600"), ("X", "1")]
        return [
            row("with the tag and the length freshens", [fresh, tag], update + [tag, length], longer),
            row("with the weak tag freshens", [fresh, tag], update + [weak], longer),
            row("with the length alone freshens", [fresh, tag], update + [length], longer),
            row(
                "freshens, also where nothing was looked up", [fresh, tag], update + [tag],
                policy: .reloadIgnoringLocalCacheData, longer),
            row("with another tag removes", [fresh, tag], [fresh, other, length], gone),
            row("with a tag where there was none removes", [fresh, modified], [fresh, tag, modified], gone),
            row("with another date removes", [fresh, tag, modified], [fresh, tag, later], gone),
            row("with another length removes", [fresh, tag], [fresh, tag, ("Content-Length", "4")], gone),
            row(
                "with a condition of its own removes", [fresh, tag], [fresh, other],
                fields: [("If-None-Match", "\"1\"")], gone),
            row("with no-store removes", [fresh, tag], [("Cache-Control", "no-store"), tag], gone),
            row(
                "without validators and length changes nothing", [fresh, tag], update,
                .stored("abc | hit; ttl=60", delivered: ["X": ""])),
            row("that fails changes nothing", [fresh, tag], [other], status: 404, .stored("abc | hit; ttl=60")),
        ]
    }()

    // §4.4
    private static let invalidation = [
        CacheRow(
            "§4.4: an unsafe method that succeeds invalidates its target, and what it names at the same origin",
            .sent("a", [fresh], as: "a | \(miss)"), .sent("b", [fresh], path: "/b", as: "b | \(miss)"),
            .sent("c", [fresh], path: "/c", as: "c | \(miss)"), .sent("d", [fresh], path: "/d", as: "d | \(miss)"),
            .sent(
                "", [("Location", "/b"), ("Content-Location", "c")], status: 201, method: "POST",
                as: "201 | fwd=method"),
            .sent("a2", [fresh], as: "a2 | \(miss)"), .sent("b2", [fresh], path: "/b", as: "b2 | \(miss)"),
            .sent("c2", [fresh], path: "/c", as: "c2 | \(miss)"), .stored("d | hit; ttl=60", path: "/d")),
        CacheRow(
            "§4.4: one that fails, or is safe, does not",
            .sent("a", [fresh], as: "a | \(miss)"),
            .sent("", [], status: 500, method: "POST", as: "500 | fwd=method"),
            .sent("", [], method: "OPTIONS", as: " | fwd=method"), .stored("a | hit; ttl=60"),
            .sent("", [("Location", "http://other.test/")], method: "DELETE", as: " | fwd=method"),
            .sent("b", [fresh], as: "b | \(miss)")),
        CacheRow(
            "a response that may not be stored takes the place of a stored one",
            .sent("a", [("Cache-Control", "max-age=1"), tag], as: "a | \(miss)"),
            .sent("b", [("Cache-Control", "no-store")], after: 2, as: "b | fwd=stale"),
            .sent("c", [fresh], as: "c | \(miss)", received: ["If-None-Match": ""])),
    ]

    // RFC 5861
    private static let failures = [
        CacheRow(
            "RFC 5861 §4: stale-if-error answers in place of a failure",
            .sent("a", [("Cache-Control", "max-age=1, stale-if-error=60"), tag], as: "a | \(miss)"),
            .sent(
                "", [], status: 503, after: 31, as: "a | fwd=stale; fwd-status=503; ttl=-30",
                delivered: ["Age": "31"]),
            .sent("", [], status: 404, as: "404 | fwd=stale; stored"),
            .sent("", [], status: 500, as: "500 | fwd=stale")),
        CacheRow(
            "RFC 5861 §4: also where the request says so, and not with must-revalidate",
            .sent("a", [("Cache-Control", "max-age=1")], as: "a | \(miss)"),
            .sent(
                "", [], status: 502, after: 9, fields: [("Cache-Control", "stale-if-error=8")],
                as: "a | fwd=stale; fwd-status=502; ttl=-8"),
            .sent(
                "b", [("Cache-Control", "max-age=1, must-revalidate, stale-if-error=60")],
                as: "b | fwd=stale; stored"),
            .sent("", [], status: 503, after: 2, as: "503 | fwd=stale")),
    ]
}
