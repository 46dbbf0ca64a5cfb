// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernLock
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Abilities of a session, beside everything else that has a part in a task: a program must not notice them.
@Suite(.timeLimit(.minutes(1))) struct AbilitiesTests {
    enum Ability: String, CaseIterable {
        /// The server leaves the first copy of every request unanswered.
        case hedge
        /// The server answers it with 503.
        case retry
        /// Nothing fails: the circuit breaker stays closed.
        case breaker
        /// A protocol class that declines everything.
        case decliningClass
        /// A protocol class that sends every request itself. It stands before the cache, and stores in it.
        case answeringClass
    }

    struct Column: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var isSecure = false
        /// No ability may send the request twice: for a hedge the server answers it late, in place of not at all.
        var isSentOnce = false
        /// What is told with an ability, where it differs as it should.
        var exceptions: [Ability: String] = [:]
        /// Returns what the program is told.
        let journey: @Sendable (AbilityPlace) async throws -> String
    }

    private static let authority = Result { try CertificateAuthority() }

    private typealias Outcome = (told: String, answered: [String])

    /// The outcome of each column without an ability, which those with one are compared with.
    private static let without = Lock<[String: Task<Outcome, any Error>]>([:])

    @Test(arguments: Ability.allCases, columns)
    func `what the program is told is the same with and without`(ability: Ability, column: Column) async throws {
        let with = try await Self.run(column, ability)
        if let told = column.exceptions[ability] { return #expect(with.told == told) }
        let without = try await Self.without.withLock { tasks in
            let task = tasks[column.testDescription] ?? Task { try await Self.run(column, nil) }
            tasks[column.testDescription] = task
            return task
        }.value
        #expect(with.told == without.told)
        #expect(with.answered == without.answered)
    }

    /// What observers are told of a journey.
    static func observe(_ column: Column, _ ability: Ability?) async throws -> RecordingObserver {
        let place = try AbilityPlace(ability, column.isSecure ? authority.get() : nil, isSentOnce: column.isSentOnce)
        _ = try await column.journey(place)
        await place.expectNothingLeft()
        #expect(await eventually { place.observer.areAllOver })
        return place.observer
    }

    /// What the program is told, and which requests the server answered.
    private static func run(_ column: Column, _ ability: Ability?) async throws -> Outcome {
        let place = try AbilityPlace(ability, column.isSecure ? authority.get() : nil, isSentOnce: column.isSentOnce)
        let told = try await column.journey(place)
        await place.expectNothingLeft()
        place.expectUse()
        return (told, place.seen.answered)
    }

    static let columns = [
        Column(testDescription: "redirects") { try await $0.tell($0.session(), "/302?/307?/a") },
        Column(testDescription: "cookies that are set and sent") { place in
            let storage = HTTPCookieStorage()
            let told = try await place.tell(place.session { $0.httpCookieStorage = storage }, "/set", "/a")
            return "\(told), \(storage.cookies?.count ?? 0) stored"
        },
        Column(testDescription: "a login by Basic") { try await $0.tell($0.session(), $0.login("/basic", .basic)) },
        Column(testDescription: "a login by Digest") { try await $0.tell($0.session(), $0.login("/digest", .digest)) },
        Column(testDescription: "a token that is refreshed") { place in
            let tokens = NumberedTokens()
            return try await place.tell(place.session { $0.authentication = tokens }, "/token", "/token")
        },
        Column(testDescription: "a stored response that is fresh", exceptions: [.answeringClass: byClass("/fresh", 2)])
        {
            try await $0.tell($0.session($0.caching), "/fresh", "/fresh")
        },
        Column(
            testDescription: "a stored response that is validated meanwhile",
            exceptions: [.answeringClass: byClass("/stale-while-revalidate", 3)]
        ) { place in
            let session = try place.session(place.caching)
            let first = try await place.tell(session, "/stale-while-revalidate")
            place.age()
            let stale = try await place.tell(session, "/stale-while-revalidate")
            #expect(await eventually { place.seen.answered.count == 2 && place.cache.flights.count == 0 })
            return "\(first), \(stale), \(try await place.tell(session, "/stale-while-revalidate"))"
        },
        Column(
            testDescription: "a stored response in place of an error",
            exceptions: [
                .answeringClass: byClass("/stale-if-error") + ", 500 broken of /stale-if-error; 500; fwd=bypass"
            ]
        ) { place in
            let session = try place.session(place.caching)
            let first = try await place.tell(session, "/stale-if-error")
            place.age(isFailing: true)
            return "\(first), \(try await place.tell(session, "/stale-if-error"))"
        },
        Column(testDescription: "two equal requests at a time", exceptions: [.answeringClass: byClass("/late", 2)]) {
            place in
            let (session, one, other) = (try place.session(place.caching), RecordingDelegate(), RecordingDelegate())
            let first = try place.start("/late", one, by: session)
            #expect(await eventually { place.seen.answered.count == 1 })
            let second = try place.start("/late", other, by: session)
            await place.waitForCompany()
            // An answer that is not held yet is by the next release.
            while one.record.completions == 0 || other.record.completions == 0 {
                try place.origin.release()
                await session.settle()
            }
            return "\(place.text(first, await one.end())), \(place.text(second, await other.end()))"
        },
        Column(testDescription: "a range") { place in
            var request = try place.request("/range")
            request.headers["Range"] = "bytes=1-2"
            return try await place.tell(place.session(), request)
        },
        Column(testDescription: "a download to a file") { place in
            let folder = try TestFolder()
            let (_, response) = try await place.session().download(for: place.request(), to: folder.url("file"))
            let text = String(decoding: folder.content("file") ?? [], as: UTF8.self)
            return "\(response.statusCode) \(text) \(folder.names)"
        },
        Column(testDescription: "a proxy with a password") {
            try await $0.tellThroughProxy(URLRequest(string: "http://a.test/302?/a"))
        },
        Column(testDescription: "a tunnel through a proxy with a password", isSecure: true) {
            try await $0.tellThroughProxy($0.request("/302?/a"))
        },
        Column(testDescription: "an egress policy that refuses the server") { place in
            try await place.tell(place.session { $0.egressPolicy = .publicInternet }, "/a")
        },
        Column(testDescription: "a rate, and two connections") { place in
            let rate = RateLimit(requestsPerSecond: 200, requestBurst: 2)
            return try await place.tell(place.session { $0.rateLimit = rate }, "/a", "/b", "/c", "/d")
        },
        Column(testDescription: "an upload of data") {
            try await $0.tell($0.session(), $0.upload("PUT", .data(Data("text".utf8))))
        },
        Column(testDescription: "an upload of a stream") {
            try await $0.tell($0.session(), $0.upload("PUT", .stream { ProbingSource([Data("text".utf8)]) }))
        },
        Column(
            testDescription: "an upload of a stream that can be read once", isSentOnce: true,
            exceptions: [.retry: "503 busy of /a; 503"]
        ) {
            try await $0.tell($0.session(), $0.upload("PUT", .once(ProbingSource([Data("text".utf8)]))))
        },
        Column(
            testDescription: "an upload that must not be repeated", isSentOnce: true,
            exceptions: [.retry: "503 busy of /a; 503"]
        ) {
            try await $0.tell($0.session(), $0.upload("POST", .data(Data("text".utf8))))
        },
        Column(testDescription: "server-sent events") { place in
            let events = try place.session().events(for: place.request("/events"), reconnection: .never)
            return try await events.reduce(into: "") { $0 += $1.data }
        },
        // A class has no connection to hand over.
        Column(
            testDescription: "an upgrade", isSentOnce: true, exceptions: [.answeringClass: "upgrade-not-taken"]
        ) { place in
            var request = try place.request("/upgrade")
            request.headers["Upgrade"] = "echo"
            do {
                let (stream, response) = try await place.session().upgrade(for: request)
                let (data, _) = try await stream.readData(ofMinLength: 5, maxLength: 5, timeout: .seconds(20))
                stream.cancel()
                return "\(response.statusCode) \(String(decoding: data ?? Data(), as: UTF8.self))"
            } catch let error as SessionError {
                return error.reason.kind.rawValue
            }
        },
        // The class of this test gives the content alone.
        Column(
            testDescription: "an informational response, and trailers",
            exceptions: [.answeringClass: "200 body of /hints; 200, 103: false, trailers: false"]
        ) { place in
            let delegate = RecordingDelegate()
            let task = try place.start("/hints", delegate)
            let record = await delegate.end()
            let has103 = record.events.contains(.informational(103))
            let hasTrailers = record.events.contains(.trailers(["X: 1"]))
            return "\(place.text(task, record)), 103: \(has103), trailers: \(hasTrailers)"
        },
        Column(testDescription: "a reader that is suspended at the head") { place in
            let session = try place.session()
            let delegate = RecordingDelegate { task, event in if case .head = event { task.suspend() } }
            let task = try place.start("/a", delegate, by: session)
            await delegate.wait { $0.events.contains(.head(200)) }
            await session.settle()
            #expect(delegate.record.events == [.head(200)])
            task.resume()
            return place.text(task, await delegate.end())
        },
        Column(testDescription: "a cancellation while the server is silent") { place in
            let delegate = RecordingDelegate()
            let task = try place.start("/silent", delegate)
            #expect(await eventually { place.seen.answered.count == 1 })
            task.cancel()
            return place.text(task, await delegate.end())
        },
        Column(testDescription: "a total timeout") {
            let request = try $0.request("/silent").limited(to: Timeouts(total: .seconds(1)))
            return try await $0.tell($0.session(), request)
        },
    ]

    /// What is told of responses of a class, which is asked before a cache.
    private static func byClass(_ path: String, _ count: Int = 1) -> String {
        Array(repeating: "200 kept of \(path); 200; fwd=bypass; stored", count: count).joined(separator: ", ")
    }
}

/// Declines every request, or sends it by a session of its own.
private final class ForwardingClass: ResponseProvider {
    private final class Response: ProvidedResponse {
        private let request: URLRequest
        private let session: Session
        private let task = Lock<SessionDataTask?>(nil)

        init(_ request: URLRequest, _ session: Session) { (self.request, self.session) = (request, session) }

        func start(_ receiver: any ProvidedResponseReceiver) {
            let task = session.dataTask(with: request) { result in
                switch result {
                case .success((let data, let response)):
                    receiver.receive(response, isStorable: true, isFollowed: true)
                    receiver.receive(data)
                    receiver.finish()
                case .failure(let error): receiver.fail(error)
                }
            }
            self.task.withLock { $0 = task }
            task.resume()
        }

        func stop() { task.withLock { $0 }?.cancel() }
    }

    let isForServers = true
    private let session: Session?
    private let onQuestion: @Sendable () -> Void

    init(_ session: Session?, onQuestion: @escaping @Sendable () -> Void) {
        (self.session, self.onQuestion) = (session, onQuestion)
    }

    func response(to request: URLRequest, of task: any AnyObject & Sendable) -> (any ProvidedResponse)? {
        onQuestion()
        var request = request
        request.credential = nil
        return session.map { Response(request, $0) }
    }
}

/// A server that misbehaves as an ability is for, sessions that have the ability, and what came of it.
final class AbilityPlace: Sendable {
    /// The requests that the server got: first copies that it treated badly, and those that it answered.
    struct Seen {
        /// How often a protocol class was asked.
        fileprivate var asked = 0
        fileprivate var copies: [String] = []
        var answered: [String] = []
        fileprivate var counts: [String: Int] = [:]
        fileprivate var digests: Set<String> = []
        fileprivate var isFailing = false
        fileprivate var time: Int64 = 1_767_225_600
    }

    private final class Log: Sendable { let seen = Lock(Seen()) }

    let origin: ScriptedOrigin
    let cache: URLCache
    let observer = RecordingObserver()
    private let ability: AbilitiesTests.Ability?
    private let authority: CertificateAuthority?
    private let isSentOnce: Bool
    private let log: Log
    private let sessions = Lock<[Session]>([])

    init(_ ability: AbilitiesTests.Ability?, _ authority: CertificateAuthority?, isSentOnce: Bool) throws {
        let log = Log()
        (self.ability, self.authority, self.isSentOnce, self.log) = (ability, authority, isSentOnce, log)
        cache = URLCache(memoryCapacity: 1 << 20, folder: nil, clock: { log.seen.withLock { $0.time } })
        origin = try ScriptedOrigin(tls: authority?.issue(.localhost)) { _, request in
            log.seen.withLock { Self.steps(request, ability, isSentOnce, &$0) }
        }
    }

    var seen: Seen { log.seen.withLock { $0 } }

    private static func steps(
        _ request: ReceivedRequest, _ ability: AbilitiesTests.Ability?, _ isSentOnce: Bool, _ seen: inout Seen
    ) -> [OriginStep] {
        // Without what differs in each copy.
        let login = request.value(of: "Authorization").map { $0.hasPrefix("Digest") ? "Digest" : $0 } ?? ""
        let others = ["Cookie", "Range", "If-None-Match"].compactMap { request.value(of: $0) }
        let parts = [request.method, request.target, login] + others + [request.bodyText]
        let text = parts.filter { !$0.isEmpty }.joined(separator: " ")
        let number = seen.counts[text, default: 0]
        seen.counts[text] = number + 1
        switch ability {
        case .hedge where number % 2 == 0 && !isSentOnce:
            seen.copies.append(text)
            return [.awaitClose]
        case .retry where number % 2 == 0:
            seen.copies.append(text)
            return [.respond(status: 503, body: "busy")]
        case nil, .hedge, .retry, .breaker, .decliningClass, .answeringClass:
            seen.answered.append(text)
            return (ability == .hedge && isSentOnce ? [.pause(.milliseconds(50))] : []) + answer(to: request, &seen)
        }
    }

    private static func answer(to request: ReceivedRequest, _ seen: inout Seen) -> [OriginStep] {
        let login = request.value(of: "Authorization") ?? ""
        func refuse(_ challenge: String) -> OriginStep {
            .respond(status: 401, fields: [("WWW-Authenticate", challenge)])
        }
        func keep(_ control: String) -> OriginStep {
            if seen.isFailing { return .respond(status: 500, body: "broken") }
            let fields = [(name: "Cache-Control", value: control), (name: "ETag", value: "\"1\"")]
            let isKept = request.value(of: "If-None-Match") != nil
            return isKept ? .send("HTTP/1.1 304 X\r\nETag: \"1\"\r\n\r\n") : .respond(fields: fields, body: "kept")
        }
        if let (status, location) = request.redirection { return [.redirect(status, to: location)] }
        switch request.target {
        case "/set": return [.respond(fields: [("Set-Cookie", "a=b")], body: "set")]
        case "/basic": return [login.isEmpty ? refuse("Basic realm=r") : .ok("in")]
        case "/digest":
            // Each use of a nonce counts once.
            let isNew = !login.isEmpty && seen.digests.insert(login).inserted
            return [isNew ? .ok("in") : refuse("Digest realm=r, qop=auth, nonce=n")]
        case "/token": return [login == "Bearer 2" ? .ok("in") : .respond(status: 401)]
        case "/fresh": return [keep("max-age=60")]
        case "/late": return [.hold, keep("max-age=60")]
        case "/stale-while-revalidate", "/stale-if-error": return [keep("max-age=1, \(request.target.dropFirst())=60")]
        case "/range": return [.respond(status: 206, fields: [("Content-Range", "bytes 1-2/4")], body: "ep")]
        case "/events":
            return [.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: a\n\ndata: b\n\n"), .close]
        case "/upgrade":
            return [.send("HTTP/1.1 101 X\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\nearly"), .awaitClose]
        case "/hints":
            return [.send("HTTP/1.1 103 X\r\nLink: a\r\n\r\n"), .chunked(["body"], trailers: [("X", "1")])]
        case "/silent": return [.awaitClose]
        default: return [.ok(request.target + request.bodyText)]
        }
    }

    /// Ten seconds pass, and then the server may fail.
    func age(isFailing: Bool = false) {
        log.seen.withLock { ($0.time, $0.isFailing) = ($0.time + 10, isFailing) }
    }
}

// What the program does
extension AbilityPlace {
    /// A session with the ability, and as many connections as a request and its copy need.
    func session(_ change: (inout SessionConfiguration) -> Void = { _ in }) throws -> Session {
        var sender: Session?
        if ability == .answeringClass {
            sender = try make {
                change(&$0)
                ($0.redirectPolicy, $0.httpCookieStorage, $0.urlCache) = (.never, nil, nil)
                ($0.authentication, $0.rateLimit) = (nil, nil)
            }
        }
        let made = ForwardingClass(sender) { [log] in log.seen.withLock { $0.asked += 1 } }
        return try make {
            change(&$0)
            $0.responseProviders = ability == .answeringClass || ability == .decliningClass ? [made] : []
            $0.circuitBreaker = ability == .breaker ? CircuitBreaker() : nil
            $0.retryPolicy.budget = nil
            $0.retryPolicy.backOff.base = .milliseconds(1)
            $0.retryPolicy.hedging = ability == .hedge ? .after(.milliseconds(5)) : nil
            // Of all hops of a task.
            $0.retryPolicy.maximumRetries = ability == .retry ? 8 : 0
        }
    }

    private func make(_ change: (inout SessionConfiguration) -> Void) throws -> Session {
        let anchor = try authority.map { try X509Certificate(pem: $0.certificatePEM) }
        let session = Session.limited(to: 2) {
            if let anchor { $0.tls.anchors = .only([anchor]) }
            $0.observers = [observer]
            change(&$0)
        }
        sessions.withLock { $0.append(session) }
        return session
    }

    func caching(_ configuration: inout SessionConfiguration) { configuration.urlCache = cache }

    func request(_ path: String = "/a") throws -> URLRequest { try URLRequest(origin, path) }

    func login(_ path: String, _ schemes: PasswordCredential.Schemes) throws -> URLRequest {
        var request = try request(path)
        request.credential = PasswordCredential(user: "me", password: "mine", schemes: schemes)
        return request
    }

    func upload(_ method: String, _ body: RequestBody) throws -> URLRequest {
        var request = try request()
        (request.httpMethod, request.body) = (method, body)
        return request
    }

    /// Has the requests answered, one after another.
    func tell(_ session: Session, _ paths: String...) async throws -> String {
        var texts: [String] = []
        for path in paths { texts.append(try await tell(session, request(path))) }
        return texts.joined(separator: ", ")
    }

    func tell(_ session: Session, _ request: URLRequest) async throws -> String {
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: request, delegate: delegate)
        task.resume()
        return text(task, await delegate.end())
    }

    /// Through a proxy that asks for a password.
    func tellThroughProxy(_ request: URLRequest) async throws -> String {
        let proxy = try ScriptedProxy(credential: ("me", "mine")) { [port = origin.port] _ in port }
        let settings = ProxySettings(try Proxy("http://me:mine@127.0.0.1:\(proxy.port)"))
        return try await tell(session { $0.proxySettings = settings }, request)
    }

    func start(_ path: String, _ delegate: RecordingDelegate, by session: Session? = nil) throws -> SessionTask {
        let task = try (session ?? self.session()).dataTask(with: request(path), delegate: delegate)
        task.resume()
        return task
    }

    /// Such as `200 text of /a; 302 200; hit`.
    func text(_ task: SessionTask, _ record: RecordingDelegate.Record) -> String {
        let hops = task.metrics?.hops.map { $0.statusCode.map { "\($0)" } ?? "-" } ?? []
        #expect(task.metrics?.redirectCount == hops.count { $0.hasPrefix("30") })
        // One attempt has the answer of a hop that was sent, and the other one was the first copy.
        let count = ability == .answeringClass ? 0 : !isSentOnce && (ability == .hedge || ability == .retry) ? 2 : 1
        for hop in task.metrics?.hops ?? [] {
            let attempts = hop.attempts.filter { $0.statusCode != 407 }
            #expect([0, count].contains(attempts.count(where: \.wasSent)))
            #expect(attempts.count { ![nil, 503].contains($0.statusCode) } <= 1)
        }
        let cache = task.metrics?.cacheStatus.map { "; " + $0.description.dropFirst(6) } ?? ""
        let error = record.error.map { $0.reason.limit?.rawValue ?? $0.reason.kind.rawValue }
        let range = task.response?.headers["Content-Range"].map { " (\($0))" } ?? ""
        let text = "\(task.response?.statusCode ?? 0) \(String(decoding: record.body, as: UTF8.self))\(range)"
        return "\(error ?? text) of \(task.response?.url?.path ?? "-"); \(hops.joined(separator: " "))\(cache)"
    }

    /// Waits until one request waits for an equal one, or the server has both.
    func waitForCompany() async {
        #expect(await eventually { cache.flights.waiterCount == 1 || seen.answered.count == 2 })
    }
}

// What is left, and what was done
extension AbilityPlace {
    func expectNothingLeft() async {
        for session in sessions.withLock({ $0 }) { await session.expectNothingLeft() }
        #expect(await eventually { cache.flights.count == 0 })
        for session in sessions.withLock({ $0 }) { session.invalidateAndCancel() }
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    /// The ability has acted on every request that it may act on.
    func expectUse() {
        let seen = seen
        let requests = sessions.withLock { $0.flatMap(\.connectionGauges.circuits).reduce(0) { $0 + $1.requests } }
        switch ability {
        case nil: #expect(seen.copies.isEmpty)
        case .hedge: #expect(seen.copies == (isSentOnce ? [] : seen.answered))
        case .retry: #expect(seen.copies == seen.answered || isSentOnce && seen.answered.isEmpty)
        case .breaker: #expect(requests == seen.answered.count { !$0.contains("/silent") })
        case .decliningClass, .answeringClass: #expect(seen.asked >= max(1, seen.answered.count))
        }
    }
}
