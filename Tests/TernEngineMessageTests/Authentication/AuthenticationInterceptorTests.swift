// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernIO
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// A token; its refreshes count up.
private struct Token: AuthenticationCredential {
    var number: Int
    var requiresRefresh = false
}

private struct Denied: Error {}

/// Puts the token into a field.
private final class TokenAuthenticator: Authenticator {
    let refreshed = Lock<[Int]>([])
    /// Says whether it runs on a reactor.
    let applied = Lock<(@Sendable () -> Bool)?>(nil)
    let wasOnReactor = Lock<Bool?>(nil)
    let openPaths: Set<String>
    let refresh: @Sendable (Token) async throws -> Token

    init(
        openPaths: Set<String> = [],
        refresh: @escaping @Sendable (Token) async throws -> Token = { Token(number: $0.number + 1) }
    ) {
        self.openPaths = openPaths
        self.refresh = refresh
    }

    func authenticates(_ request: URLRequest) -> Bool { !openPaths.contains(request.url?.path ?? "") }

    func apply(_ credential: Token, to request: inout URLRequest) {
        request.headers["Authorization"] = "Bearer \(credential.number)"
        let isOnReactor = applied.withLock { $0 }?()
        wasOnReactor.withLock { $0 = isOnReactor }
    }

    func refresh(_ credential: Token) async throws -> Token {
        refreshed.withLock { $0.append(credential.number) }
        return try await refresh(credential)
    }
}

@Suite(.timeLimit(.minutes(1))) struct AuthenticationInterceptorTests {
    /// Accepts tokens from `number` on.
    private func origin(accepting number: Int) throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in
            let token = request.value(of: "Authorization")?.split(separator: " ").last.flatMap { Int($0) } ?? -1
            return token >= number ? [.ok("for \(token)")] : [.respond(status: 401, body: "refused \(token)")]
        }
    }

    private func session(_ interceptor: some RequestAuthentication, to connections: Int = 4) -> Session {
        .limited(to: connections) { $0.authentication = interceptor }
    }

    private func failure(_ session: Session, _ origin: ScriptedOrigin) async throws -> AuthenticationError? {
        do {
            _ = try await session.data(for: URLRequest(origin))
            return nil
        } catch let error as SessionError {
            guard case .request(.unauthenticated(let error)) = error.reason else { return nil }
            return error
        }
    }

    @Test func `a credential goes along with every request`() async throws {
        let (origin, authenticator) = (try origin(accepting: 1), TokenAuthenticator())
        let session = session(AuthenticationInterceptor(authenticator: authenticator, credential: Token(number: 1)))
        for _ in 0..<3 { #expect(try await session.text(URLRequest(origin)) == "for 1") }
        #expect(authenticator.refreshed.withLock { $0 } == [])
    }

    @Test func `one refresh serves 200 requests that were refused together`() async throws {
        let (origin, authenticator) = (try origin(accepting: 2), TokenAuthenticator())
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: Token(number: 1))
        let session = session(interceptor)
        let request = try URLRequest(origin)
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<200 { group.addTask { try await session.text(request) } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(texts == ["for 2"])
        #expect(authenticator.refreshed.withLock { $0 } == [1])
        #expect(interceptor.credential?.number == 2)
    }

    @Test func `a credential that expires is refreshed before it is sent`() async throws {
        let (origin, authenticator) = (try origin(accepting: 2), TokenAuthenticator())
        let token = Token(number: 1, requiresRefresh: true)
        let session = session(AuthenticationInterceptor(authenticator: authenticator, credential: token))
        #expect(try await session.text(URLRequest(origin)) == "for 2")
        #expect(origin.requests.map { $0.value(of: "Authorization") } == ["Bearer 2"])
    }

    @Test func `a fresh credential that asks to be refreshed is sent`() async throws {
        let origin = try origin(accepting: 2)
        let authenticator = TokenAuthenticator { Token(number: $0.number + 1, requiresRefresh: true) }
        let session = session(
            AuthenticationInterceptor(
                authenticator: authenticator, credential: Token(number: 1, requiresRefresh: true)))
        #expect(try await session.text(URLRequest(origin)) == "for 2")
        #expect(authenticator.refreshed.withLock { $0 } == [1])
    }

    @Test func `a server that refuses every credential is asked three times, and its last response is the answer`()
        async throws
    {
        let (origin, authenticator) = (try origin(accepting: 9), TokenAuthenticator())
        let session = session(AuthenticationInterceptor(authenticator: authenticator, credential: Token(number: 1)))
        let (data, response) = try await session.data(for: URLRequest(origin))
        #expect(response.statusCode == 401 && String(decoding: data, as: UTF8.self) == "refused 3")
        #expect(authenticator.refreshed.withLock { $0 } == [1, 2])
    }

    @Test func `a refresh that a credential requires and the window does not allow fails, and names the limit`()
        async throws
    {
        let origin = try origin(accepting: 2)
        let authenticator = TokenAuthenticator { Token(number: $0.number + 1, requiresRefresh: true) }
        let session = session(
            AuthenticationInterceptor(
                authenticator: authenticator, credential: Token(number: 1, requiresRefresh: true),
                refreshWindow: RefreshWindow(interval: .seconds(1000), maximumAttempts: 1)))
        #expect(try await session.text(URLRequest(origin)) == "for 2")
        let error = try #require(try await failure(session, origin))
        guard case .excessiveRefresh(maximumAttempts: 1, interval: .seconds(1000)) = error else { throw error }
        #expect("\(error)" == "the credential was refreshed 1 times within 1000.0 seconds, which is the limit")
    }

    @Test func `a server that refuses every credential does not lock out another`() async throws {
        let (bad, good) = (try origin(accepting: .max), try origin(accepting: 1))
        let authenticator = TokenAuthenticator()
        let session = session(AuthenticationInterceptor(authenticator: authenticator, credential: Token(number: 1)))
        for _ in 0..<2 {
            let (_, response) = try await session.data(for: URLRequest(bad))
            #expect(response.statusCode == 401)
        }
        #expect(authenticator.refreshed.withLock { $0 } == [1, 2, 3, 4, 5])
        let count = bad.observations.requestCount
        #expect(try await session.text(URLRequest(good)) == "for 6")
        #expect(try await session.text(URLRequest(bad)) == "refused 6")
        #expect(try await session.text(URLRequest(good)) == "for 6")
        #expect(bad.observations.requestCount == count + 1 && good.observations.requestCount == 2)
        #expect(authenticator.refreshed.withLock { $0 } == [1, 2, 3, 4, 5])
    }

    @Test func `a refusal counts for its server only`() async throws {
        let (first, second) = (try origin(accepting: 2), try origin(accepting: 1))
        let authenticator = TokenAuthenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: Token(number: 1))
        let session = session(interceptor)
        let request = try URLRequest(first)
        _ = interceptor.refused(
            credentialNumber: try #require(try await interceptor.authenticated(request)).credentialNumber,
            by: try request.destination.get().origin)
        #expect(try await session.text(URLRequest(second)) == "for 1")
        #expect(try await session.text(request) == "for 2")
        #expect(authenticator.refreshed.withLock { $0 } == [1] && first.observations.requestCount == 1)
    }

    @Test func `without a credential a request fails before it is sent, unless it needs none`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("open")] }
        let session = session(
            AuthenticationInterceptor(authenticator: TokenAuthenticator(openPaths: ["/login"])))
        guard case .missingCredential? = try await failure(session, origin) else { throw Denied() }
        #expect(try await session.text(URLRequest(origin, "/login")) == "open")
        #expect(origin.requests.map(\.target) == ["/login"])
    }

    @Test func `an authenticator's error fails all requests that wait, and the next one tries again`() async throws {
        let origin = try origin(accepting: 2)
        let isDenied = Lock(true)
        let authenticator = TokenAuthenticator { token in
            if isDenied.withLock({ $0 }) { throw Denied() }
            return Token(number: token.number + 1)
        }
        let session = session(AuthenticationInterceptor(authenticator: authenticator, credential: Token(number: 1)))
        guard case .refreshFailed(let error)? = try await failure(session, origin), error is Denied else {
            throw Denied()
        }
        isDenied.withLock { $0 = false }
        #expect(try await session.text(URLRequest(origin)) == "for 2")
    }

    @Test func `a credential that is set during a refresh counts, and the refreshed one is dropped`() async throws {
        let origin = try origin(accepting: 2)
        let (started, release) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        let authenticator = TokenAuthenticator { token in
            started.continuation.yield()
            for await _ in release.stream { break }
            return Token(number: 2)
        }
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: Token(number: 1))
        let session = session(interceptor)
        async let text = session.text(URLRequest(origin))
        for await _ in started.stream { break }
        interceptor.credential = Token(number: 7)
        release.continuation.yield()
        #expect(try await text == "for 7")
        #expect(interceptor.credential?.number == 7)
    }

    @Test func `a redirect to another origin gets no credential, and one within the origin does`() async throws {
        let target = try ScriptedOrigin { _, _ in [.ok("there")] }
        let source = try ScriptedOrigin { _, request in
            let location = request.target == "/" ? "/next" : "http://localhost:\(target.port)/"
            return [.respond(status: 302, fields: [("Location", location)])]
        }
        let session = session(
            AuthenticationInterceptor(authenticator: TokenAuthenticator(), credential: Token(number: 1)))
        #expect(try await session.text(URLRequest(source)) == "there")
        #expect(source.requests.map { $0.value(of: "Authorization") } == ["Bearer 1", "Bearer 1"])
        #expect(target.requests.map { $0.value(of: "Authorization") } == [nil])
    }

    @Test func `a task that is cancelled while it waits for a refresh ends at once`() async throws {
        let origin = try origin(accepting: 2)
        let (started, release) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        let authenticator = TokenAuthenticator { token in
            started.continuation.yield()
            for await _ in release.stream { break }
            return Token(number: 2)
        }
        let session = session(AuthenticationInterceptor(authenticator: authenticator, credential: Token(number: 1)))
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: try URLRequest(origin), delegate: delegate)
        task.resume()
        for await _ in started.stream { break }
        task.cancel()
        #expect(await delegate.end().error?.reason.kind == .cancelled)
        release.continuation.yield()
    }

    @Test func `the body of a refused request is sent again`() async throws {
        let (origin, authenticator) = (try origin(accepting: 2), TokenAuthenticator())
        let session = session(AuthenticationInterceptor(authenticator: authenticator, credential: Token(number: 1)))
        var request = try URLRequest(origin)
        request.httpMethod = "POST"
        request.body = .data(Data("body".utf8))
        #expect(try await session.text(request) == "for 2")
        #expect(origin.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["body", "body"])
    }

    /// Puts the token into a field that is not `Authorization`, and into the query.
    private struct KeyAuthenticator: Authenticator {
        func apply(_ credential: Token, to request: inout URLRequest) {
            request.headers["X-Api-Key"] = "\(credential.number)"
            request.headers["X-Auth-Token"] = "Bearer \(credential.number)"
            request.headers["Cookie"] = "token=\(credential.number)"
        }

        func refresh(_ credential: Token) async throws -> Token { credential }
    }

    @Test func `a credential in any field stays at the origin of the original request`() async throws {
        let away = try ScriptedOrigin { _, request in
            [request.target == "/back" ? .redirect(to: String(request.value(of: "X-Home") ?? "")) : .ok()]
        }
        let home = try ScriptedOrigin { _, request in
            switch request.target {
            case "/": [.redirect(to: "/2")]
            case "/2": [.redirect(to: away.url("/back"))]
            default: [.redirect(to: away.url("/end"))]
            }
        }
        let session = session(
            AuthenticationInterceptor(authenticator: KeyAuthenticator(), credential: Token(number: 7)))
        var request = try URLRequest(home)
        request.headers = ["X-Home": home.url("/3"), "X-Own": "1"]
        _ = try await session.data(for: request)
        #expect(home.requests.map(\.target) == ["/", "/2", "/3"])
        #expect(home.requests.map { $0.value(of: "X-Api-Key") } == ["7", "7", nil])
        #expect(away.requests.map(\.target) == ["/back", "/end"])
        for request in away.requests + home.requests.suffix(1) {
            #expect(request.value(of: "X-Own") == "1")
            for name in ["X-Api-Key", "X-Auth-Token", "Cookie", "Authorization"] {
                #expect(request.value(of: name) == nil, "\(request.target) \(name)")
            }
        }
    }

    @Test(arguments: [true, false])
    func `a refusal that has a request sent again sets its cookies`(refreshes: Bool) async throws {
        let origin = try ScriptedOrigin { _, request in
            request.value(of: "Authorization") == "Bearer 2" || !refreshes && request.index > 0
                ? [.ok(request.value(of: "Cookie") ?? "")] : [.respond(status: 401, fields: [("Set-Cookie", "csrf=1")])]
        }
        let storage = HTTPCookieStorage()
        let interceptor = AuthenticationInterceptor(
            authenticator: TokenAuthenticator(), credential: Token(number: 1))
        let session = Session.limited {
            $0.httpCookieStorage = storage
            if refreshes { $0.authentication = interceptor }
        }
        let first = try await session.text(URLRequest(origin))
        #expect(first == (refreshes ? "csrf=1" : ""))
        #expect(try await session.text(URLRequest(origin)) == "csrf=1")
        #expect(storage.cookies?.map(\.name) == ["csrf"])
    }

    @Test(arguments: [("cancelled", 10_000), ("timed-out", 200), ("session-invalidated", 2_000)])
    func `requests that end while a refresh hangs leave nothing behind`(reason: String, count: Int) async throws {
        let release = AsyncStream<Void>.makeStream()
        let authenticator = TokenAuthenticator { token in
            for await _ in release.stream { break }
            return token
        }
        let interceptor = AuthenticationInterceptor(
            authenticator: authenticator, credential: Token(number: 1, requiresRefresh: true))
        let holder = SessionHolder(
            .limited {
                $0.authentication = interceptor
                if reason == "timed-out" { $0.timeouts.total = .milliseconds(100) }
            })
        let request = try URLRequest(string: "http://127.0.0.1:1/")
        let delegates = (0..<count).map { _ in RecordingDelegate() }
        var tasks = delegates.compactMap { holder.session?.dataTask(with: request, delegate: $0) }
        let left = tasks.map(Left.init)
        for task in tasks { task.resume() }
        if reason != "timed-out" { #expect(await eventually { interceptor.waiterCount == count }) }
        if reason == "cancelled" { for task in tasks { task.cancel() } }
        if reason == "session-invalidated" { holder.drop() }
        tasks = []
        for delegate in delegates { #expect(await delegate.end().error?.reason.kind.rawValue == reason) }
        #expect(interceptor.waiterCount == 0)
        #expect(await eventually { left.allSatisfy { $0.task == nil } })
        #expect(authenticator.refreshed.withLock { $0.count } <= 1)
        release.continuation.finish()
    }

    /// A task that is not retained.
    private struct Left {
        weak var task: SessionTask?

        init(_ task: SessionTask) { self.task = task }
    }

    @Test func `a credential that is at hand is applied within the call, and one that must be refreshed is not`()
        async throws
    {
        let interceptor = AuthenticationInterceptor(
            authenticator: TokenAuthenticator(openPaths: ["/open"]), credential: Token(number: 1))
        let url = "http://a.test"
        let present = try interceptor.authenticatedAtOnce(URLRequest(string: url))?.get()
        #expect(present?.request.headers["Authorization"] == "Bearer 1" && present?.credentialNumber == 1)
        let open = try #require(interceptor.authenticatedAtOnce(URLRequest(string: url + "/open")))
        #expect(try open.get() == nil)
        interceptor.credential = Token(number: 2, requiresRefresh: true)
        #expect(try interceptor.authenticatedAtOnce(URLRequest(string: url)) == nil)
        interceptor.credential = nil
        let missing = try #require(interceptor.authenticatedAtOnce(URLRequest(string: url)))
        #expect(throws: AuthenticationError.self) { try missing.get() }
    }

    @Test func `a credential that is at hand is applied on the task's reactor`() async throws {
        let origin = try origin(accepting: 1)
        let authenticator = TokenAuthenticator()
        let session = session(AuthenticationInterceptor(authenticator: authenticator, credential: Token(number: 1)))
        let loops = session.eventLoops.loops
        authenticator.applied.withLock { $0 = { loops.contains { $0.isCurrent } } }
        _ = try await session.data(for: URLRequest(origin))
        #expect(authenticator.wasOnReactor.withLock { $0 } == true)
    }

    @Test func `a refused credential is followed by a hop with the next one`() async throws {
        let origin = try origin(accepting: 2)
        let session = session(
            AuthenticationInterceptor(authenticator: TokenAuthenticator(), credential: Token(number: 1)))
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: try URLRequest(origin), delegate: delegate)
        task.resume()
        #expect(await delegate.end().error == nil)
        #expect(task.metrics?.hops.map(\.statusCode) == [401, 200] && task.metrics?.redirectCount == 0)
        #expect(task.response?.history.map(\.statusCode) == [401])
    }

}

@Suite struct RefreshWindowTests {
    private func instant(_ seconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
    }

    @Test func `a window admits its number of refreshes, and another one when the first has left it`() {
        let window = RefreshWindow(interval: .seconds(10), maximumAttempts: 2)
        var past: [MonotonicInstant] = []
        let admitted = [100, 105, 109, 110, 114, 115, 130].map { window.admits(instant($0), after: &past) }
        #expect(admitted == [true, true, false, true, false, true, true])
        #expect(past == [instant(130)])
    }

    @Test(arguments: [Int.min, -1, 0, 1])
    func `a window without attempts admits one`(count: Int) {
        let window = RefreshWindow(interval: .seconds(1), maximumAttempts: count)
        var past: [MonotonicInstant] = []
        let admitted = [window.admits(instant(1), after: &past), window.admits(instant(1), after: &past)]
        #expect(admitted == [true, false])
    }
}
