// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Synchronization
import TernFiles
import TernHTTP1
import TernIO
import TernLock
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// What a cache does for the hops of tasks: what reaches which server, and what the program is told.
@Suite(.timeLimit(.minutes(1))) struct CachingTests {
    private final class Clock: Sendable {
        let seconds = Atomic<Int64>(1_767_225_600)

        func pass(_ count: Int64) { seconds.add(count, ordering: .relaxed) }
    }

    private let clock = Clock()

    private func cache(folder: URL? = nil) throws -> URLCache {
        let folder = try folder.map { try CacheFolder(path: $0.path(percentEncoded: false), capacity: 1 << 28) }
        return URLCache(
            memoryCapacity: folder == nil ? 1 << 22 : 4096, folder: folder,
            clock: { [clock] in clock.seconds.load(ordering: .relaxed) })
    }

    private func session(
        _ cache: URLCache, authority: CertificateAuthority? = nil,
        _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) throws -> Session {
        let anchor = try authority.map { try X509Certificate(pem: $0.certificatePEM) }
        return Session.limited(to: 8) {
            $0.urlCache = cache
            if let anchor { $0.tls.anchors = .only([anchor]) }
            change(&$0)
        }
    }

    private static func control(_ value: String) -> [(name: String, value: String)] {
        [(name: "Cache-Control", value: value)]
    }

    private func outcome(_ session: Session, _ request: URLRequest) async -> (text: String, metrics: TaskMetrics?) {
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: request, delegate: delegate)
        task.resume()
        let record = await delegate.end()
        let text = record.error.map { "\($0.reason.kind)" } ?? String(decoding: record.body, as: UTF8.self)
        return (text, task.metrics)
    }
}

// Validations in the background
extension CachingTests {
    private struct Token: RequestAuthentication {
        let refusingStatusCodes: Set<Int> = [401]

        func authenticated(
            _ request: URLRequest
        ) async throws(AuthenticationError) -> (request: URLRequest, credentialNumber: Int32)? {
            var request = request
            request.headers["Authorization"] = "Bearer secret"
            return (request, 1)
        }

        func refused(credentialNumber: Int32, by origin: HTTPOrigin) -> Bool { false }
    }

    @Test(arguments: ["field", "token", "credential"])
    func `a validation carries no secret to the origin that a redirect has led to`(kind: String) async throws {
        let other = try ScriptedOrigin { _, request in
            request.value(of: "Authorization") == nil && kind == "credential" && request.index > 0
                ? [.respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=\"x\"")])]
                : [.respond(fields: Self.control("max-age=1, stale-while-revalidate=600"), body: "\(request.index)")]
        }
        let first = try ScriptedOrigin { _, _ in
            [.respond(status: 302, fields: [("Location", other.url("/doc", host: "localhost"))])]
        }
        let cache = try cache()
        let session = try session(cache) {
            if kind == "field" { $0.httpAdditionalHeaders["Authorization"] = "Bearer secret" }
            if kind == "token" { $0.authentication = Token() }
        }
        var request = try URLRequest(first)
        if kind == "credential" { request.credential = PasswordCredential(user: "a", password: "secret") }
        #expect(try await session.text(request) == "0")
        for round in 1...3 {
            clock.pass(10)
            #expect(try await !session.text(request).isEmpty)
            #expect(await other.waitFor { $0.requestCount > round })
            #expect(await eventually { cache.flights.count == 0 })
        }
        #expect(other.requests.allSatisfy { $0.value(of: "Authorization") == nil })
    }

    @Test func `a validation is not a task of the program, and its session does not wait for it`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.index == 0
                ? [.respond(fields: Self.control("max-age=1, stale-while-revalidate=600"), body: "a")] : [.hold]
        }
        let session = try session(cache())
        let request = try URLRequest(origin)
        _ = try await session.text(request)
        clock.pass(10)
        #expect(try await session.text(request) == "a")
        #expect(await origin.waitFor { $0.requestCount == 2 })
        #expect(session.allTasks.isEmpty)
        let end = Lock(false)
        session.tables.first?.whenEmpty { end.withLock { $0 = true } }
        #expect(end.withLock { $0 })
        session.finishTasksAndInvalidate()
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test func `one validation is under way at a time, and requests are joined after it as before`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.value(of: "If-None-Match") == nil
                ? [
                    .respond(
                        fields: Self.control("max-age=5, stale-while-revalidate=600") + [("ETag", "\"1\"")], body: "a")
                ]
                : [
                    .hold,
                    .send(
                        "HTTP/1.1 304 X\r\nETag: \"1\"\r\nCache-Control: max-age=5, stale-while-revalidate=30\r\n\r\n"),
                ]
        }
        let cache = try cache()
        let session = try session(cache)
        let request = try URLRequest(origin)
        _ = try await session.text(request)
        clock.pass(10)
        for _ in 0..<20 { #expect(try await session.text(request) == "a") }
        #expect(await origin.waitFor { $0.requestCount == 2 })
        try origin.release()
        #expect(await eventually { cache.flights.count == 0 })
        clock.pass(1000)
        async let texts = many(20, session, request)
        #expect(await origin.waitFor { $0.requestCount == 3 })
        try origin.release()
        #expect(await texts == Array(repeating: "a", count: 20))
        #expect(origin.requests.count == 3)
    }

    @Test func `a validation that is answered with 503 is retried after the delay, and no other begins meanwhile`()
        async throws
    {
        let arrivals = Lock<[ContinuousClock.Instant]>([])
        let origin = try ScriptedOrigin { _, _ in
            let number = arrivals.withLock { arrivals in
                arrivals.append(.now)
                return arrivals.count
            }
            if number == 2 { return [.respond(status: 503)] }
            return [.respond(fields: Self.control("max-age=1, stale-while-revalidate=600"), body: "\(number)")]
        }
        let cache = try cache()
        let session = try session(cache) {
            $0.retryPolicy = .standard
            $0.retryPolicy.backOff = RetryPolicy.BackOff(base: .milliseconds(200), jitter: .none)
        }
        let request = try URLRequest(origin)
        _ = try await session.text(request)
        clock.pass(10)
        #expect(try await session.text(request) == "1")
        #expect(await origin.waitFor { $0.requestCount == 2 })
        for _ in 0..<10 { #expect(try await ["1", "3"].contains(session.text(request))) }
        #expect(await origin.waitFor { $0.requestCount == 3 })
        await session.expectNothingLeft()
        #expect(await eventually { cache.flights.count == 0 })
        #expect(try await session.text(request) == "3")
        let times = arrivals.withLock { $0 }
        #expect(times.count == 3 && times[2] - times[1] >= .milliseconds(200))
    }

    @Test func `requests that wait for one that is retried go on waiting`() async throws {
        let count = Lock(0)
        let origin = try ScriptedOrigin { _, _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number == 1 { return [.hold, .respond(status: 503)] }
            return number < 4
                ? [.respond(status: 503)] : [.respond(fields: Self.control("max-age=60"), body: "\(number)")]
        }
        let cache = try cache()
        let session = try session(cache) {
            $0.retryPolicy = .standard
            $0.retryPolicy.maximumRetries = 5
            $0.retryPolicy.backOff = RetryPolicy.BackOff(base: .milliseconds(1), jitter: .none)
        }
        let delegates = (0..<20).map { _ in RecordingDelegate() }
        let tasks = try delegates.map { session.dataTask(with: try URLRequest(origin), delegate: $0) }
        for task in tasks { task.resume() }
        while await !session.onReactor({ tasks.count { $0.isWaiting } == 19 }) {}
        #expect(await origin.waitFor { $0.headCount == 1 })
        try origin.release()
        for delegate in delegates { #expect(await String(decoding: delegate.end().body, as: UTF8.self) == "4") }
        #expect(origin.requests.count == 4)
        #expect(tasks.map { $0.metrics?.retries.count ?? 0 }.filter { $0 > 0 } == [3])
        #expect(cache.flights.count == 0)
    }

    private func many(_ count: Int, _ session: Session, _ request: URLRequest) async -> [String] {
        await withTaskGroup(of: String.self) { group in
            for _ in 0..<count { group.addTask { await outcome(session, request).text } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func `a validation asks for the whole of what a range was answered from`() async throws {
        let origin = try ScriptedOrigin { _, request in
            [
                .respond(
                    fields: Self.control("max-age=1, stale-while-revalidate=600") + [("ETag", "\"1\"")], body: "abcdef")
            ]
        }
        let session = try session(cache())
        _ = try await session.text(URLRequest(origin))
        clock.pass(10)
        var range = try URLRequest(origin)
        range.headers["Range"] = "bytes=1-2"
        #expect(try await session.text(range) == "bc")
        #expect(await origin.waitFor { $0.requestCount == 2 })
        #expect(origin.requests[1].value(of: "Range") == nil)
    }
}

// Failures
extension CachingTests {
    /// What stands behind a stale response that may stand in for an error.
    enum Trouble: String, CaseIterable {
        case refused, closed, silent, silentHead, total, malformed, noConnection
        case certificate, egress

        /// Nil for those that a stale response stands in for.
        var failure: String? {
            switch self {
            case .refused, .closed, .silent, .silentHead, .total, .malformed: nil
            case .noConnection: "timed-out"
            case .certificate: "trust"
            case .egress: "egress-refused"
            }
        }
    }

    @Test(arguments: Trouble.allCases)
    func `a stale response stands in for a server that fails, and for nothing else`(
        trouble: Trouble
    ) async throws {
        let authority = try CertificateAuthority()
        let isDown = Lock(false)
        let stale = Self.control("max-age=1, stale-if-error=600") + [(name: "ETag", value: "\"1\"")]
        let tls = trouble == .certificate ? try authority.issue() : nil
        let origin = try ScriptedOrigin(tls: tls) { _, _ in
            guard isDown.withLock({ $0 }) else {
                return [.respond(fields: stale + [("Connection", "close")], body: "old")]
            }
            return switch trouble {
            case .closed: [.close]
            case .malformed: [.send("garbage\r\n\r\n"), .close]
            default: [.hold]
            }
        }
        let session = try session(cache(), authority: authority) { $0.httpMaximumConnectionsPerHost = 1 }
        var request = try URLRequest(origin, host: trouble == .certificate ? "localhost" : nil)
        #expect(try await session.text(request) == "old")
        clock.pass(30)
        isDown.withLock { $0 = true }
        var timeouts = Timeouts()
        switch trouble {
        case .refused: origin.stop()
        case .silent: timeouts.idle = .milliseconds(100)
        case .silentHead: timeouts.head = .milliseconds(100)
        case .total: timeouts.total = .milliseconds(100)
        case .noConnection: timeouts.queue = .milliseconds(100)
        case .certificate: try origin.present(CertificateAuthority().issue())
        case .egress: request.egressPolicy = .publicInternet
        case .closed, .malformed: break
        }
        request.timeouts = timeouts
        let holder = RecordingDelegate()
        if trouble == .noConnection {
            session.dataTask(with: try URLRequest(origin, "/other"), delegate: holder).resume()
            #expect(await origin.waitFor { $0.requestCount == 2 })
        }
        let (text, metrics) = await outcome(session, request)
        if let failure = trouble.failure { return #expect(text == failure) }
        #expect(text == "old" && metrics?.cacheStatus?.timeToLive == -29)
        #expect(metrics?.resourceFetchType == .localCache)
    }

    @Test func `a damaged answer is fetched along the route of its request, at its rate`() async throws {
        let folder = try TestFolder()
        let body = [UInt8](repeating: 7, count: 100_000)
        let proxy = try ScriptedOrigin { _, _ in [.respond(fields: Self.control("max-age=600"), body: body)] }
        let origin = try ScriptedOrigin { _, _ in [.ok("direct")] }
        let cache = try cache(folder: folder.url("cache"))
        let session = try session(cache) {
            $0.proxySettings = ProxySettings(Proxy(.http, host: "127.0.0.1", port: proxy.port))
        }
        let request = try URLRequest(origin)
        _ = try await session.data(for: request)
        cache.flush()
        try damage(folder)
        let (data, _) = try await session.data(for: request)
        #expect(Array(data) == body)
        #expect(proxy.requests.count == 2 && origin.requests.isEmpty)
    }

    private func damage(_ folder: TestFolder) throws {
        let shard = try #require(FilePath.names(in: folder.path + "/cache").first { $0.count == 2 })
        let name = try #require(FilePath.names(in: "\(folder.path)/cache/\(shard)").first { $0.contains("-") })
        var content = try #require(folder.content("cache/\(shard)/\(name)"))
        content[10] ^= 1
        try Data(content).write(to: folder.url("cache/\(shard)/\(name)"))
    }

    @Test(arguments: ["", "\"1\""])
    func `a damaged answer of a server that is gone ends the task`(tag: String) async throws {
        let folder = try TestFolder()
        let fields = Self.control("max-age=1, stale-if-error=600") + (tag.isEmpty ? [] : [(name: "ETag", value: tag)])
        let origin = try ScriptedOrigin { _, _ in
            [.respond(fields: fields, body: [UInt8](repeating: 7, count: 100_000))]
        }
        let cache = try cache(folder: folder.url("cache"))
        let session = try session(cache)
        let request = try URLRequest(origin)
        _ = try await session.data(for: request)
        cache.flush()
        try damage(folder)
        origin.stop()
        clock.pass(30)
        #expect(await outcome(session, request).text == "unreachable")
    }
}

// Routes
extension CachingTests {
    @Test func `an egress policy counts for stored responses`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(fields: Self.control("max-age=600"), body: "a")] }
        let cache = try cache()
        _ = try await session(cache).text(URLRequest(origin))
        var guarded = try URLRequest(origin)
        guarded.egressPolicy = .publicInternet
        #expect(try await session(cache).failure(of: guarded)?.reason.kind == .egressRefused)
        let other = try session(cache) { $0.egressPolicy = .publicInternet }
        #expect(await other.failure(of: try URLRequest(origin))?.reason.kind == .egressRefused)
    }

    @Test func `what a proxy answers is no answer of another proxy, or of the server itself`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(fields: Self.control("max-age=600"), body: "real")] }
        let proxies = try (0..<2).map { number in
            try ScriptedOrigin { _, _ in [.respond(fields: Self.control("max-age=600"), body: "proxy \(number)")] }
        }
        let cache = try cache()
        let session = try session(cache)
        for _ in 0..<2 {
            for (number, proxy) in proxies.enumerated() {
                var request = try URLRequest(origin)
                request.proxy = .through(Proxy(.http, host: "127.0.0.1", port: proxy.port))
                #expect(try await session.text(request) == "proxy \(number)")
            }
            #expect(try await session.text(URLRequest(origin)) == "real")
        }
        #expect(proxies.map(\.requests.count) == [1, 1] && origin.requests.count == 1)
    }

    @Test func `hops that the cache answers are hops of the metrics`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/a"
                ? [.respond(status: 302, fields: Self.control("no-store") + [("Location", "/b")])]
                : [.respond(fields: Self.control("max-age=600"), body: "doc")]
        }
        let session = try session(cache())
        for round in 0..<2 {
            let metrics = try #require(await outcome(session, try URLRequest(origin, "/a")).metrics)
            #expect(metrics.redirectCount == 1 && metrics.hops.map(\.statusCode) == [302, 200])
            #expect(metrics.hops.map { $0.request.url?.path() } == ["/a", "/b"])
            #expect(metrics.hops.map { $0.cacheStatus?.isHit } == [false, round == 1])
            #expect((metrics.hops[1].connection == nil) == (round == 1))
        }
    }

    @Test func `how the cache handled a request is told however that ended`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        origin.stop()
        let session = try session(cache())
        #expect(await outcome(session, try URLRequest(origin)).metrics?.cacheStatus?.forward == .uriMiss)
        var request = try URLRequest(origin)
        request.cachePolicy = .returnCacheDataDontLoad
        #expect(await outcome(session, request).metrics?.cacheStatus?.forward == .uriMiss)
    }
}

// Requests that are under way
extension CachingTests {
    @Test func `a request that begins after a write gets nothing from before it`() async throws {
        let version = Lock("old")
        // The origin counts a request before it reads the version.
        let (reads, read) = AsyncStream<Void>.makeStream()
        let origin = try ScriptedOrigin { _, request in
            if request.method == "POST" {
                version.withLock { $0 = "new" }
                return [.ok()]
            }
            let text = version.withLock { $0 }
            read.yield()
            let response = OriginStep.respond(fields: Self.control("max-age=600"), body: text)
            return text == "old" ? [.hold, response] : [response]
        }
        let session = try session(cache())
        async let early = session.text(try URLRequest(origin))
        for await _ in reads { break }
        _ = try await session.data(for: try URLRequest(origin, method: "POST", body: Data("x".utf8)))
        #expect(try await session.text(try URLRequest(origin)) == "new")
        try origin.release()
        #expect(try await early == "old")
        await session.settle()
        #expect(try await session.text(try URLRequest(origin)) == "new")
        #expect(origin.requests.count == 3)
    }

    @Test func `what is removed does not come back with a response that was under way`() async throws {
        let origin = try ScriptedOrigin { _, request in
            let response = OriginStep.respond(fields: Self.control("max-age=600"), body: "\(request.index)")
            return request.connection == 1 && request.index == 0 ? [.hold, response] : [response]
        }
        let cache = try cache()
        let session = try session(cache)
        async let early = session.text(try URLRequest(origin))
        #expect(await origin.waitFor { $0.requestCount == 1 })
        cache.removeAllCachedResponses()
        try origin.release()
        _ = try await early
        await session.settle()
        _ = try await session.text(try URLRequest(origin))
        #expect(origin.requests.count == 2)
    }

    @Test(arguments: ["cancelled", "lost", "paused"])
    func `the next request takes the place of one that others waited for`(end: String) async throws {
        let origin = try ScriptedOrigin { _, request in
            let isFirst = request.value(of: "X-First") != nil
            let fields = Self.control("max-age=600") + [(name: "Content-Length", value: "4")]
            if !isFirst { return [.hold, .respond(fields: fields, body: "body")] }
            switch end {
            case "lost": return [.hold, .reset]
            case "paused": return [.respond(fields: fields, body: "bo")]
            default: return [.hold]
            }
        }
        let session = try session(cache())
        var first = try URLRequest(origin)
        first.headers["X-First"] = "1"
        let delegate = RecordingDelegate { task, event in
            if end == "paused", event == .head(200) { task.suspend() }
        }
        let task = session.dataTask(with: first, delegate: delegate)
        task.resume()
        #expect(await origin.waitFor { $0.requestCount == 1 })
        async let texts = many(50, session, try URLRequest(origin))
        if end != "paused" {
            #expect(await eventually { session.allTasks.count == 51 })
            await session.settle()
        }
        switch end {
        case "cancelled": task.cancel()
        case "lost": try origin.release()
        default: break
        }
        #expect(await origin.waitFor { $0.requestCount == 2 })
        try origin.release()
        #expect(try await texts == Array(repeating: "body", count: 50))
        #expect(origin.requests.count == 2)
        task.cancel()
    }

    @Test func `a 304 that nothing has asked for is asked about once more, and is the answer then`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.send("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n")] }
        let session = try session(cache())
        let (_, response) = try await session.data(for: try URLRequest(origin))
        #expect(response.statusCode == 304)
        #expect(origin.requests.map { $0.value(of: "Cache-Control") } == [nil, "no-cache"])
    }
}

// Credentials
extension CachingTests {
    private struct Account: AuthenticationCredential {
        var token: String
        var user: String?
        var requiresRefresh = false
    }

    private final class Accounts: Authenticator {
        let refreshes = Lock(0)
        let fails: Bool

        init(fails: Bool = false) { self.fails = fails }

        func apply(_ credential: Account, to request: inout URLRequest) {
            request.headers["Authorization"] = "Bearer \(credential.token)"
        }

        func refresh(_ credential: Account) async throws -> Account {
            refreshes.withLock { $0 += 1 }
            if fails { throw CancellationError() }
            return Account(token: credential.token + "'", user: credential.user)
        }

        func identity(of credential: Account) -> String? { credential.user }
    }

    @Test(arguments: ["someone", nil])
    func `a fresh stored answer needs no fresh token`(user: String?) async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.respond(fields: Self.control("max-age=600"), body: "a")]
        }
        let accounts = Accounts(fails: true)
        let interceptor = AuthenticationInterceptor(
            authenticator: accounts, credential: Account(token: "1", user: user))
        let session = try session(cache()) { $0.authentication = interceptor }
        _ = try await session.text(URLRequest(origin))
        interceptor.credential = Account(token: "1", user: user, requiresRefresh: true)
        #expect(try await session.text(URLRequest(origin)) == "a")
        #expect(accounts.refreshes.withLock { $0 } == 0)
        #expect(await session.failure(of: try URLRequest(origin, "/other"))?.reason.kind == .unauthenticated)
        #expect(accounts.refreshes.withLock { $0 } == 1 && origin.requests.count == 1)
    }

    @Test func `a refreshed token of the same identity finds what was stored, and another identity does not`()
        async throws
    {
        let origin = try ScriptedOrigin { _, request in
            [.respond(fields: Self.control("max-age=600"), body: request.value(of: "Authorization") ?? "")]
        }
        let interceptor = AuthenticationInterceptor(
            authenticator: Accounts(), credential: Account(token: "1", user: "someone"))
        let session = try session(cache()) { $0.authentication = interceptor }
        #expect(try await session.text(URLRequest(origin)) == "Bearer 1")
        interceptor.credential = Account(token: "2", user: "someone")
        #expect(try await session.text(URLRequest(origin)) == "Bearer 1")
        interceptor.credential = Account(token: "3", user: "other")
        #expect(try await session.text(URLRequest(origin)) == "Bearer 3")
        interceptor.credential = Account(token: "4", user: "someone", requiresRefresh: true)
        #expect(try await session.text(URLRequest(origin, "/new")) == "Bearer 4'")
        #expect(origin.requests.count == 3)
    }

    @Test func `prepared connections are opened whatever is stored`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(fields: Self.control("max-age=600"), body: "a")] }
        let cache = try cache()
        _ = try await session(cache).text(URLRequest(origin))
        let session = try session(cache) { $0.rateLimit = RateLimit(requestsPerSecond: 0.001) }
        #expect(try await session.prepare(for: URLRequest(origin), count: 2) == 2)
        #expect(session.connectionGauges.open == 2)
    }
}
