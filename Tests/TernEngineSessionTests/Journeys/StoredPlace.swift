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

/// How a stored response comes to answer.
enum StoredUse: String, CaseIterable {
    /// It is fresh.
    case hit
    /// It is stale, answers, and is validated meanwhile.
    case whileRevalidate
    /// It is stale, and answers because the server fails.
    case ifError

    fileprivate var control: String {
        switch self {
        case .hit: "max-age=60"
        case .whileRevalidate: "max-age=1, stale-while-revalidate=600"
        case .ifError: "max-age=1, stale-if-error=600"
        }
    }
}

/// A server of responses that are stored, and a cache with a clock of its own.
///
/// Every response is `kept` with an ETag, and a conditional request is answered with a 304. A path `/302?location` is a
/// redirect that is not stored, `/301?location` one that is. `/held` waits for a release. When the responses have aged,
/// the server of `.ifError` answers 503 only.
final class StoredPlace: Sendable {
    private struct Manners {
        var isFailing = false
        /// Requests are not answered, and new TLS connections not opened.
        var isSilent = false
        /// Requests are answered after a release.
        var isLate = false
        /// Requests without `Authorization` are answered with a challenge.
        var asksPassword = false
    }

    let use: StoredUse
    let cache: URLCache
    let origin: ScriptedOrigin
    /// Another server of the same kind.
    let elsewhere: ScriptedOrigin
    private let clock: Clock
    private let manners: Shared
    private let sessions = Lock<[Session]>([])
    private let seen = Lock((0, 0))

    private final class Clock: Sendable {
        let seconds = Atomic<Int64>(1_767_225_600)
    }

    private final class Shared: Sendable {
        let value = Lock(Manners())
    }

    init(_ use: StoredUse, tls identity: Identity? = nil) throws {
        let (clock, manners) = (Clock(), Shared())
        (self.use, self.clock, self.manners) = (use, clock, manners)
        cache = URLCache(memoryCapacity: 1 << 20, folder: nil, clock: { clock.seconds.load(ordering: .relaxed) })
        let accept: ScriptedOrigin.AcceptScript = { _ in
            identity != nil && manners.value.withLock { $0.isSilent } ? [.hold] : []
        }
        let script: ScriptedOrigin.Script = { _, request in
            Self.steps(request, manners.value.withLock { $0 }, use.control)
        }
        origin = try ScriptedOrigin(tls: identity, onAccept: accept, script: script)
        elsewhere = try ScriptedOrigin(tls: identity, onAccept: accept, script: script)
    }

    private static func steps(
        _ request: ReceivedRequest, _ manners: Manners, _ control: String
    ) -> [ScriptedOrigin.Step] {
        let steps = answer(to: request, manners, control)
        return manners.isLate && request.method != "POST" ? [.hold] + steps : steps
    }

    private static func answer(
        to request: ReceivedRequest, _ manners: Manners, _ control: String
    ) -> [ScriptedOrigin.Step] {
        if request.target == "/held" { return [.hold, .ok("held")] }
        if request.method == "POST" { return [.ok("posted")] }
        if case (302, let location)? = request.redirection { return [.redirect(to: location)] }
        if manners.isSilent { return [.hold] }
        if manners.asksPassword, request.value(of: "Authorization") == nil {
            return [.respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=\"r\"")])]
        }
        if manners.isFailing { return [.respond(status: 503, body: "busy")] }
        if request.value(of: "If-None-Match") == "\"1\"" {
            return [.send("HTTP/1.1 304 X\r\nETag: \"1\"\r\nCache-Control: max-age=60\r\n\r\n")]
        }
        let fields = [(name: "Cache-Control", value: control), (name: "ETag", value: "\"1\"")]
        if let (status, location) = request.redirection { return [.redirect(status, to: location, fields: fields)] }
        return [.respond(fields: fields, body: "kept")]
    }

    /// A session with the cache: its tasks have gone when the place is asked what is left.
    func session(
        tls authority: CertificateAuthority? = nil, connections: Int = 4,
        _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) throws -> Session {
        let anchor = try authority.map { try X509Certificate(pem: $0.certificatePEM) }
        let session = Session.limited(to: connections) {
            if let anchor { $0.tls.anchors = .only([anchor]) }
            $0.urlCache = cache
            change(&$0)
        }
        sessions.withLock { $0.append(session) }
        return session
    }

    func request(_ path: String = "/a", _ change: (inout URLRequest) -> Void = { _ in }) throws -> URLRequest {
        var request = try URLRequest(origin, path)
        change(&request)
        return request
    }

    /// Has the responses stored, and lets ten seconds pass.
    func age(_ requests: URLRequest..., by session: Session) async throws {
        for request in requests { _ = try await session.data(for: request) }
        clock.seconds.add(10, ordering: .relaxed)
        manners.value.withLock { $0.isFailing = use == .ifError }
        seen.withLock { $0 = (origin.requests.count, elsewhere.requests.count) }
    }

    func beSilent() { manners.value.withLock { $0.isSilent = true } }

    func beLate() { manners.value.withLock { $0.isLate = true } }

    func beOnTime() { manners.value.withLock { $0.isLate = false } }

    func askPassword() { manners.value.withLock { $0.asksPassword = true } }

    /// What has reached the servers since the responses have aged: `/a*` for a conditional request, `/a+Basic` for one
    /// with a password, `//` before what went to the other server.
    func sent(_ count: Int) async -> String {
        let (first, second) = seen.withLock { $0 }
        let (origin, elsewhere) = (origin, elsewhere)
        _ = await eventually { origin.requests.count + elsewhere.requests.count >= first + second + count }
        let sent =
            origin.requests.dropFirst(first).map { Self.text($0) }
            + elsewhere.requests.dropFirst(second).map { "/" + Self.text($0) }
        return sent.isEmpty ? "-" : sent.joined(separator: " ")
    }

    private static func text(_ request: ReceivedRequest) -> String {
        let path = request.target.prefix { $0 != "?" }
        let condition = request.value(of: "If-None-Match") == nil ? "" : "*"
        let scheme = request.value(of: "Authorization").map { "+" + $0.prefix { $0 != " " } } ?? ""
        return (request.method == "GET" ? "" : request.method) + path + condition + scheme
    }

    /// Neither the cache nor a session holds anything of a task that is over.
    func expectNothingLeft(sourceLocation: SourceLocation = #_sourceLocation) async {
        for session in sessions.withLock({ $0 }) {
            await session.expectNothingLeft(sourceLocation: sourceLocation)
        }
        #expect(await eventually { cache.flights.count == 0 }, sourceLocation: sourceLocation)
    }
}

/// The outcome of a task as its program sees it: `kept | hit; ttl=50 | 1 hop, none`, with the connection of the last hop.
struct Told {
    let text: String
    let task: SessionTask

    /// Collects the response.
    static func by(_ session: Session, _ request: URLRequest) async -> Told {
        let task = Lock<SessionDataTask?>(nil)
        let result = await withCheckedContinuation { continuation in
            let made = session.dataTask(with: request) { continuation.resume(returning: $0) }
            task.withLock { $0 = made }
            made.resume()
        }
        let made = task.withLock { $0.take() } ?? session.dataTask(with: request)
        await session.settle()
        switch result {
        case .success((let data, let response)):
            return Told(made, response.statusCode, String(decoding: data, as: UTF8.self), nil)
        case .failure(let error): return Told(made, 0, "", error)
        }
    }

    /// Of a task with a delegate of the test's.
    init(_ task: SessionTask, _ record: RecordingDelegate.Record) {
        self.init(task, task.response?.statusCode ?? 0, String(decoding: record.body, as: UTF8.self), record.error)
    }

    private init(_ task: SessionTask, _ status: Int, _ body: String, _ error: SessionError?) {
        self.task = task
        let result = error.map { $0.reason.limit?.rawValue ?? $0.reason.kind.rawValue } ?? body
        let metrics = task.metrics
        let count = metrics?.hops.count ?? 0
        let redirects = metrics?.redirectCount ?? 0
        let hops =
            (count == 1 ? "1 hop" : "\(count) hops")
            + (redirects == 0 ? "" : redirects == 1 ? ", 1 redirect" : ", \(redirects) redirects")
        let connection = metrics.map { $0.connection == nil ? "none" : "connected" } ?? "?"
        let handling = metrics?.cacheStatus?.description.dropFirst(6) ?? "-"
        text = "\(result) | \(handling) | \(hops), \(connection)"
    }
}
