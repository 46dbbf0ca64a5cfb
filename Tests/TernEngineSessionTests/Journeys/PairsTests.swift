// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import TernLock
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Each way in which a stored response answers, beside everything else that has a part in a hop.
@Suite(.timeLimit(.minutes(1))) struct PairsTests {
    /// A journey, and for each use of a stored response what the program is told, and what was sent.
    struct Pair: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let journey: @Sendable (StoredPlace) async throws -> String
        let hit: String
        let whileRevalidate: String
        let ifError: String

        init(
            _ name: String, _ journey: @escaping @Sendable (StoredPlace) async throws -> String, hit: String,
            whileRevalidate: String, ifError: String
        ) {
            (testDescription, self.journey) = (name, journey)
            (self.hit, self.whileRevalidate, self.ifError) = (hit, whileRevalidate, ifError)
        }

        func expected(_ use: StoredUse) -> String {
            switch use {
            case .hit: hit
            case .whileRevalidate: whileRevalidate
            case .ifError: ifError
            }
        }
    }

    private static let authority = Result { try CertificateAuthority() }

    @Test(arguments: plain, StoredUse.allCases)
    func `a stored response answers as it should beside`(pair: Pair, use: StoredUse) async throws {
        let place = try StoredPlace(use)
        try await Self.expect(pair, use, place)
    }

    @Test(arguments: secure, StoredUse.allCases)
    func `a stored response of a server with TLS answers as it should beside`(pair: Pair, use: StoredUse) async throws {
        let place = try StoredPlace(use, tls: try Self.authority.get().issue())
        try await Self.expect(pair, use, place)
    }

    @Test func `a stored response leaves the measurements of the connection before it`() async throws {
        let place = try StoredPlace(.ifError)
        let session = try place.session()
        try await place.age(place.request(), by: session)
        let metrics = await Told.by(session, try place.request()).task.metrics
        #expect(metrics?.connection != nil && place.origin.connectionCount == 1)
        #expect(metrics?.isConnectionReused == true)
    }

    private static func expect(_ pair: Pair, _ use: StoredUse, _ place: StoredPlace) async throws {
        let told = try await pair.journey(place)
        #expect(told == pair.expected(use))
        await place.expectNothingLeft()
    }

    private static let plain = [
        Pair(
            "nothing else", nothing,
            hit: "kept | hit; ttl=50 | 1 hop, none | -",
            whileRevalidate: "kept | hit; ttl=-9 | 1 hop, none | /a*",
            ifError: "kept | fwd=stale; fwd-status=503; ttl=-9 | 1 hop, connected | /a*"),
        Pair(
            "a redirect", redirect,
            hit: "kept | hit; ttl=50 | 2 hops, 1 redirect, none | /302",
            whileRevalidate: "kept | hit; ttl=-9 | 2 hops, 1 redirect, none | /302 /a*",
            ifError: "kept | fwd=stale; fwd-status=503; ttl=-9 | 2 hops, 1 redirect, connected | /302 /a*"),
        Pair(
            "a stored redirect", storedRedirect,
            hit: "kept | hit; ttl=50 | 2 hops, 1 redirect, none | -",
            whileRevalidate: "kept | hit; ttl=-9 | 2 hops, 1 redirect, none | /301* /a*",
            ifError: "kept | fwd=stale; fwd-status=503; ttl=-9 | 2 hops, 1 redirect, connected | /301* /a*"),
        Pair(
            "a redirect to another origin, and the session's token", redirectElsewhere,
            hit: "kept | hit; ttl=50 | 2 hops, 1 redirect, none | /302+Bearer",
            whileRevalidate: "kept | hit; ttl=-9 | 2 hops, 1 redirect, none | /302+Bearer //a*",
            ifError: "kept | fwd=stale; fwd-status=503; ttl=-9 | 2 hops, 1 redirect, connected | /302+Bearer //a*"),
        Pair(
            "a proxy", proxy,
            hit: "kept | hit; ttl=50 | 1 hop, none | - | 0 by the proxy",
            whileRevalidate: "kept | hit; ttl=-9 | 1 hop, none | /a* | 1 by the proxy",
            ifError: "kept | fwd=stale; fwd-status=503; ttl=-9 | 1 hop, connected | /a* | 1 by the proxy"),
        Pair(
            "a session's egress policy that refuses the server", egressOfSession,
            hit: "egress-refused | fwd=vary-miss | 1 hop, none | -",
            whileRevalidate: "egress-refused | fwd=vary-miss | 1 hop, none | -",
            ifError: "egress-refused | fwd=vary-miss | 1 hop, none | -"),
        Pair(
            "a request's egress policy that refuses the server", egressOfRequest,
            hit: "egress-refused | fwd=vary-miss | 1 hop, none | -",
            whileRevalidate: "egress-refused | fwd=vary-miss | 1 hop, none | -",
            ifError: "egress-refused | fwd=vary-miss | 1 hop, none | -"),
        Pair(
            "an egress policy that permits the server", egressThatPermits,
            hit: "kept | hit; ttl=50 | 1 hop, none | -",
            whileRevalidate: "kept | hit; ttl=-9 | 1 hop, none | /a*",
            ifError: "kept | fwd=stale; fwd-status=503; ttl=-9 | 1 hop, connected | /a*"),
        Pair(
            "a rate", rate,
            hit: "kept | hit; ttl=50 | 1 hop, none | - | 2 left",
            whileRevalidate: "kept | hit; ttl=-9 | 1 hop, none | /a* | 1 left",
            ifError: "kept | fwd=stale; fwd-status=503; ttl=-9 | 1 hop, connected | /a* | 1 left"),
        Pair(
            "a rate that is used up", rateUsedUp,
            hit: "kept | hit; ttl=50 | 1 hop, none | -",
            whileRevalidate: "kept | hit; ttl=-9 | 1 hop, none | -",
            ifError: "kept | fwd=stale; ttl=-9 | 1 hop, none | -"),
        Pair(
            "a connection that another request holds", connectionHeld,
            hit: "kept | hit; ttl=50 | 1 hop, none | /held",
            whileRevalidate: "kept | hit; ttl=-9 | 1 hop, none | /held /a*",
            ifError: "kept | fwd=stale; fwd-status=503; ttl=-9 | 1 hop, connected | /held /a*"),
        Pair(
            "a queue that is full", queueFull,
            hit: "kept | hit; ttl=50 | 1 hop, none | /held",
            whileRevalidate: "kept | hit; ttl=-9 | 1 hop, none | /held",
            ifError: "queue-full | fwd=stale | 1 hop, none | /held"),
        Pair(
            "a memory quota that is enough", quotaEnough,
            hit: "kept | hit; ttl=50 | 1 hop, none | - | 0 used",
            whileRevalidate: "kept | hit; ttl=-9 | 1 hop, none | /a* | 0 used",
            ifError: "kept | fwd=stale; fwd-status=503; ttl=-9 | 1 hop, connected | /a* | 0 used"),
        Pair(
            "a memory quota that is too small", quotaTooSmall,
            hit: "memory-quota-exceeded | hit; ttl=50 | 1 hop, none | - | 0 used",
            whileRevalidate: "memory-quota-exceeded | hit; ttl=-9 | 1 hop, none | /a* | 0 used",
            ifError: "memory-quota-exceeded | fwd=stale; fwd-status=503; ttl=-9 | 1 hop, connected | /a* | 0 used"),
        Pair(
            "a password of the request", password,
            hit: "kept | hit; ttl=50 | 1 hop, none | -",
            whileRevalidate: "kept | hit; ttl=-9 | 1 hop, none | /a* /a*+Basic",
            ifError: "kept | fwd=stale; fwd-status=503; ttl=-9 | 2 hops, connected | /a* /a*+Basic"),
        Pair(
            "the password of another user", otherPassword,
            hit: "kept | fwd=vary-miss; stored | 2 hops, connected | /a /a+Basic",
            whileRevalidate: "kept | fwd=vary-miss; stored | 2 hops, connected | /a /a+Basic",
            ifError: "busy | fwd=vary-miss | 2 hops, connected | /a /a+Basic"),
        Pair(
            "a token of the session", token,
            hit: "kept | hit; ttl=50 | 1 hop, none | -",
            whileRevalidate: "kept | hit; ttl=-9 | 1 hop, none | /a*+Bearer",
            ifError: "kept | fwd=stale; fwd-status=503; ttl=-9 | 1 hop, connected | /a*+Bearer"),
        Pair(
            "an authentication with an identity", authenticationWithIdentity,
            hit: "kept | hit; ttl=50 | 1 hop, none | - | 0 calls",
            whileRevalidate: "kept | hit; ttl=-9 | 1 hop, none | /a*+Bearer | 1 calls",
            ifError: "kept | fwd=stale; fwd-status=503; ttl=-9 | 1 hop, connected | /a*+Bearer | 1 calls"),
        Pair(
            "an authentication with an identity and another token each time", refreshedWithIdentity,
            hit: "kept | hit; ttl=50 | 1 hop, none | - | 0 calls",
            whileRevalidate: "kept | hit; ttl=-9 | 1 hop, none | /a*+Bearer | 1 calls",
            ifError: "kept | fwd=stale; fwd-status=503; ttl=-9 | 1 hop, connected | /a*+Bearer | 1 calls"),
        Pair(
            "an authentication with another token each time", refreshedWithoutIdentity,
            hit: "kept | fwd=vary-miss; stored | 1 hop, connected | /a+Bearer | 1 calls",
            whileRevalidate: "kept | fwd=vary-miss; stored | 1 hop, connected | /a+Bearer | 1 calls",
            ifError: "busy | fwd=vary-miss | 1 hop, connected | /a+Bearer | 1 calls"),
        Pair(
            "an authentication without an identity", authenticationWithoutIdentity,
            hit: "kept | hit; ttl=50 | 1 hop, none | - | 1 calls",
            whileRevalidate: "kept | hit; ttl=-9 | 1 hop, none | /a*+Bearer | 2 calls",
            ifError: "kept | fwd=stale; fwd-status=503; ttl=-9 | 1 hop, connected | /a*+Bearer | 1 calls"),
        Pair(
            "a cancellation at the head", cancelledAtHead,
            hit: "cancelled | hit; ttl=50 | 1 hop, none | -",
            whileRevalidate: "cancelled | hit; ttl=-9 | 1 hop, none | /a*",
            ifError: "cancelled | fwd=stale; fwd-status=503; ttl=-9 | 1 hop, connected | /a*"),
        Pair(
            "a cancellation while the server is silent", cancelledWhileSilent,
            hit: "kept | hit; ttl=50 | 1 hop, none | -",
            whileRevalidate: "kept | hit; ttl=-9 | 1 hop, none | /a*",
            ifError: "cancelled | fwd=stale | 1 hop, connected | /a*"),
        Pair(
            "a timeout for the head", headTimeout,
            hit: "kept | hit; ttl=50 | 1 hop, none | -",
            whileRevalidate: "kept | hit; ttl=-9 | 1 hop, none | /a*",
            ifError: "kept | fwd=stale; ttl=-9 | 1 hop, connected | /a*"),
        Pair(
            "an idle timeout", idleTimeout,
            hit: "kept | hit; ttl=50 | 1 hop, none | -",
            whileRevalidate: "kept | hit; ttl=-9 | 1 hop, none | /a*",
            ifError: "kept | fwd=stale; ttl=-9 | 1 hop, connected | /a*"),
        Pair(
            "a total timeout", totalTimeout,
            hit: "kept | hit; ttl=50 | 1 hop, none | -",
            whileRevalidate: "kept | hit; ttl=-9 | 1 hop, none | /a*",
            ifError: "kept | fwd=stale; ttl=-9 | 1 hop, connected | /a*"),
        Pair(
            "a timeout of the queue", queueTimeout,
            hit: "kept | hit; ttl=50 | 1 hop, none | /held",
            whileRevalidate: "kept | hit; ttl=-9 | 1 hop, none | /held",
            ifError: "queue | fwd=stale | 1 hop, none | /held"),
        Pair(
            "a reader that is suspended at the head", suspended,
            hit: "kept | hit; ttl=50 | 1 hop, none | -",
            whileRevalidate: "kept | hit; ttl=-9 | 1 hop, none | /a*",
            ifError: "kept | fwd=stale; fwd-status=503; ttl=-9 | 1 hop, connected | /a*"),
        Pair(
            "a reader that stays suspended, and a total timeout", suspendedForEver,
            hit: "total | hit; ttl=50 | 1 hop, none | -",
            whileRevalidate: "total | hit; ttl=-9 | 1 hop, none | /a*",
            ifError: "total | fwd=stale; fwd-status=503; ttl=-9 | 1 hop, connected | /a*"),
        Pair(
            "a body that is read piece by piece", bytes,
            hit: "kept | -", whileRevalidate: "kept | /a*", ifError: "kept | /a*"),
        Pair(
            "a body that is not read", bytesUnread,
            hit: "200 | -", whileRevalidate: "200 | /a*", ifError: "200 | /a*"),
        Pair(
            "a write that is being sent", write,
            hit: "kept | hit; ttl=50 | 1 hop, none | - || kept | fwd=uri-miss; stored | 1 hop, connected | POST/a /a",
            whileRevalidate:
                """
                kept | hit; ttl=-9 | 1 hop, none | /a* || \
                kept | fwd=uri-miss; stored | 1 hop, connected | /a* POST/a /a
                """,
            ifError: """
                kept | fwd=stale; fwd-status=503; ttl=-9 | 1 hop, connected | /a* || \
                busy | fwd=uri-miss | 1 hop, connected | /a* POST/a /a
                """),
        Pair(
            "a write that ends before the server answers", writeBeforeAnswer,
            hit:
                """
                kept | hit; ttl=50 | 1 hop, none | POST/a || \
                kept | fwd=uri-miss; stored | 1 hop, connected | POST/a /a
                """,
            whileRevalidate: """
                kept | hit; ttl=-9 | 1 hop, none | /a* POST/a || \
                kept | fwd=uri-miss; stored | 1 hop, connected | /a* POST/a /a
                """,
            ifError: """
                kept | fwd=stale; fwd-status=503; ttl=-9 | 1 hop, connected | /a* POST/a || \
                busy | fwd=uri-miss | 1 hop, connected | /a* POST/a /a
                """),
    ]

    private static let secure = [
        Pair(
            "a tunnel through a proxy", tunnel,
            hit: "kept | hit; ttl=50 | 1 hop, none | - | 1 tunnels, 1 connections",
            whileRevalidate: "kept | hit; ttl=-9 | 1 hop, none | /a* | 1 tunnels, 1 connections",
            ifError: "kept | fwd=stale; fwd-status=503; ttl=-9 | 1 hop, connected | /a* | 1 tunnels, 1 connections"),
        Pair(
            "a host that is requested over TLS only", strictTransport,
            hit: "kept | hit; ttl=50 | 1 hop, none | - | https https",
            whileRevalidate: "kept | hit; ttl=-9 | 1 hop, none | /a* | https https",
            ifError: "kept | fwd=stale; fwd-status=503; ttl=-9 | 1 hop, connected | /a* | https https"),
        Pair(
            "a timeout of the handshake", connectTimeout,
            hit: "kept | hit; ttl=50 | 1 hop, none | -",
            whileRevalidate: "kept | hit; ttl=-9 | 1 hop, none | -",
            ifError: "kept | fwd=stale; ttl=-9 | 1 hop, none | -"),
        Pair(
            "a certificate that is refused", refusedCertificate,
            hit: "trust | fwd=vary-miss | 1 hop, none | -",
            whileRevalidate: "trust | fwd=vary-miss | 1 hop, none | -",
            ifError: "trust | fwd=vary-miss | 1 hop, none | -"),
    ]
}

// Routes
extension PairsTests {
    /// The number of requests of a use that reach the server.
    private static func sentCount(_ place: StoredPlace) -> Int { place.use == .hit ? 0 : 1 }

    private static func told(
        _ place: StoredPlace, _ session: Session, _ request: URLRequest, sent count: Int? = nil
    ) async -> String {
        let told = await Told.by(session, request).text
        return "\(told) | \(await place.sent(count ?? sentCount(place)))"
    }

    @Sendable private static func nothing(_ place: StoredPlace) async throws -> String {
        let session = try place.session()
        try await place.age(place.request(), by: session)
        return await told(place, session, try place.request())
    }

    @Sendable private static func redirect(_ place: StoredPlace) async throws -> String {
        let session = try place.session()
        try await place.age(place.request(), by: session)
        return await told(place, session, try place.request("/302?/a"), sent: sentCount(place) + 1)
    }

    @Sendable private static func storedRedirect(_ place: StoredPlace) async throws -> String {
        let session = try place.session()
        try await place.age(place.request("/301?/a"), by: session)
        let told = await Told.by(session, try place.request("/301?/a")).text
        _ = await place.sent(2 * sentCount(place))
        #expect(await eventually { place.cache.flights.count == 0 })
        return "\(told) | \(await place.sent(0).split(separator: " ").sorted().joined(separator: " "))"
    }

    @Sendable private static func redirectElsewhere(_ place: StoredPlace) async throws -> String {
        let session = try place.session { $0.httpAdditionalHeaders["Authorization"] = "Bearer t" }
        let request = try place.request("/302?\(place.elsewhere.url("/a"))")
        try await place.age(request, by: session)
        return await told(place, session, request, sent: sentCount(place) + 1)
    }

    @Sendable private static func proxy(_ place: StoredPlace) async throws -> String {
        let port = place.origin.port
        let proxy = try ScriptedProxy { _ in port }
        let session = try place.session {
            $0.proxySettings = ProxySettings(Proxy(.http, host: "127.0.0.1", port: proxy.port))
        }
        let request = try URLRequest(string: "http://a.test/a")
        try await place.age(request, by: session)
        let count = proxy.requests.count
        let told = await told(place, session, request)
        return "\(told) | \(proxy.requests.count - count) by the proxy"
    }

    @Sendable private static func tunnel(_ place: StoredPlace) async throws -> String {
        let port = place.origin.port
        let proxy = try ScriptedProxy { _ in port }
        let session = try place.session(tls: authority.get()) {
            $0.proxySettings = ProxySettings(Proxy(.http, host: "127.0.0.1", port: proxy.port))
        }
        try await place.age(place.request(), by: session)
        let told = await told(place, session, try place.request())
        return "\(told) | \(proxy.requests.count) tunnels, \(place.origin.connectionCount) connections"
    }

    @Sendable private static func egressOfSession(_ place: StoredPlace) async throws -> String {
        try await place.age(place.request(), by: place.session())
        let session = try place.session { $0.egressPolicy = .publicInternet }
        return await told(place, session, try place.request(), sent: 0)
    }

    @Sendable private static func egressOfRequest(_ place: StoredPlace) async throws -> String {
        let session = try place.session()
        try await place.age(place.request(), by: session)
        return await told(place, session, try place.request { $0.egressPolicy = .publicInternet }, sent: 0)
    }

    @Sendable private static func egressThatPermits(_ place: StoredPlace) async throws -> String {
        let session = try place.session { $0.egressPolicy = .thisMachine }
        try await place.age(place.request(), by: session)
        return await told(place, session, try place.request())
    }

    @Sendable private static func strictTransport(_ place: StoredPlace) async throws -> String {
        let storage = HSTSStorage()
        storage.set(.init(name: "localhost"))
        let session = try place.session(tls: authority.get()) { $0.hstsStorage = storage }
        let request = try URLRequest(string: "http://localhost:\(place.origin.port)/a")
        try await place.age(request, by: session)
        let told = await Told.by(session, request)
        let schemes = [told.task.currentRequest?.url?.scheme, told.task.metrics?.hops.last?.request.url?.scheme]
        let sent = await place.sent(sentCount(place))
        return "\(told.text) | \(sent) | \(schemes.map { $0 ?? "-" }.joined(separator: " "))"
    }

    @Sendable private static func refusedCertificate(_ place: StoredPlace) async throws -> String {
        try await place.age(place.request(), by: place.session(tls: authority.get()))
        return await told(place, try place.session(), try place.request(), sent: 0)
    }
}

// Limits
extension PairsTests {
    /// A rate with room for `count` requests, and no more.
    private static func rate(_ count: Int) -> RateLimit { RateLimit(requestsPerSecond: 0.001, requestBurst: count) }

    @Sendable private static func rate(_ place: StoredPlace) async throws -> String {
        let session = try place.session { $0.rateLimit = rate(3) }
        try await place.age(place.request(), by: session)
        let told = await told(place, session, try place.request())
        var left = 0
        while left < 3, await session.failure(of: try URLRequest(place.elsewhere, "/\(left)").brief) == nil {
            left += 1
        }
        return "\(told) | \(left) left"
    }

    @Sendable private static func rateUsedUp(_ place: StoredPlace) async throws -> String {
        let session = try place.session { $0.rateLimit = rate(1) }
        try await place.age(place.request(), by: session)
        let told = await told(place, session, try place.request { if place.use == .ifError { $0 = $0.brief } }, sent: 0)
        // The validation waits for the rate.
        session.invalidateAndCancel()
        return told
    }

    /// A request that has the only connection.
    private static func hold(_ place: StoredPlace, _ session: Session) async throws -> RecordingDelegate {
        let delegate = RecordingDelegate()
        session.dataTask(with: try place.request("/held"), delegate: delegate).resume()
        let count = place.origin.requests.count
        #expect(await place.origin.waitFor { $0.requests.count > count || $0.requests.last?.target == "/held" })
        return delegate
    }

    @Sendable private static func connectionHeld(_ place: StoredPlace) async throws -> String {
        let session = try place.session(connections: 1)
        try await place.age(place.request(), by: session)
        let held = try await hold(place, session)
        let request = try place.request()
        async let answer = Told.by(session, request).text
        if place.use == .ifError { #expect(await eventually { session.connectionGauges.waiting == 1 }) }
        let early = place.use == .ifError ? "" : await answer
        try place.origin.release()
        let told = await answer
        #expect(place.use == .ifError || early == told)
        _ = await held.end()
        return "\(told) | \(await place.sent(1 + sentCount(place)))"
    }

    @Sendable private static func queueFull(_ place: StoredPlace) async throws -> String {
        let session = try place.session(connections: 1) { $0.maximumQueuedRequestsPerHost = 0 }
        try await place.age(place.request(), by: session)
        let held = try await hold(place, session)
        let told = await told(place, session, try place.request(), sent: 1)
        try place.origin.release()
        _ = await held.end()
        return told
    }

    private static func quota(_ place: StoredPlace, _ limit: Int) async throws -> String {
        let quota = MemoryQuota(limit: limit)
        try await place.age(place.request(), by: place.session())
        let session = try place.session { $0.memoryQuota = quota }
        let told = await told(place, session, try place.request())
        #expect(await eventually { quota.used == 0 })
        return "\(told) | \(quota.used) used"
    }

    @Sendable private static func quotaEnough(_ place: StoredPlace) async throws -> String {
        try await quota(place, 4)
    }

    @Sendable private static func quotaTooSmall(_ place: StoredPlace) async throws -> String {
        try await quota(place, 3)
    }
}

extension URLRequest {
    /// The same with a total timeout that is soon over.
    fileprivate var brief: URLRequest { limited(to: Timeouts(total: .milliseconds(40))) }
}

// Credentials
extension PairsTests {
    @Sendable private static func password(_ place: StoredPlace) async throws -> String {
        place.askPassword()
        let session = try place.session()
        let request = try place.request {
            $0.credential = PasswordCredential(user: "me", password: "mine", schemes: .basic)
        }
        try await place.age(request, by: session)
        return await told(place, session, request, sent: 2 * sentCount(place))
    }

    @Sendable private static func otherPassword(_ place: StoredPlace) async throws -> String {
        place.askPassword()
        let session = try place.session()
        var request = try place.request {
            $0.credential = PasswordCredential(user: "me", password: "mine", schemes: .basic)
        }
        try await place.age(request, by: session)
        request.credential = PasswordCredential(user: "you", password: "yours", schemes: .basic)
        return await told(place, session, request, sent: 2)
    }

    @Sendable private static func token(_ place: StoredPlace) async throws -> String {
        let session = try place.session { $0.httpAdditionalHeaders["Authorization"] = "Bearer t" }
        try await place.age(place.request(), by: session)
        return await told(place, session, try place.request())
    }

    private final class Tokens: RequestAuthentication {
        let refusingStatusCodes: Set<Int> = [401]
        let calls = Lock(0)
        private let identity: String?
        private let refreshes: Bool

        init(identity: String?, refreshes: Bool) { (self.identity, self.refreshes) = (identity, refreshes) }

        func authenticated(
            _ request: URLRequest
        ) async throws(AuthenticationError) -> (request: URLRequest, credentialNumber: Int32)? {
            let number = calls.withLock { calls in
                calls += 1
                return calls
            }
            var authenticated = request
            authenticated.headers["Authorization"] = "Bearer t\(refreshes ? number : 0)"
            return (authenticated, 1)
        }

        func refused(credentialNumber: Int32, by origin: HTTPOrigin) -> Bool { false }

        func credentialIdentity(for request: URLRequest) -> String? { identity }
    }

    private static func authentication(
        _ place: StoredPlace, identity: String?, refreshes: Bool = false
    ) async throws -> String {
        let tokens = Tokens(identity: identity, refreshes: refreshes)
        let session = try place.session { $0.authentication = tokens }
        try await place.age(place.request(), by: session)
        let count = tokens.calls.withLock { $0 }
        let isShared = identity != nil || !refreshes
        let told = await told(place, session, try place.request(), sent: isShared ? nil : 1)
        return "\(told) | \(tokens.calls.withLock { $0 } - count) calls"
    }

    @Sendable private static func authenticationWithIdentity(_ place: StoredPlace) async throws -> String {
        try await authentication(place, identity: "me")
    }

    @Sendable private static func refreshedWithIdentity(_ place: StoredPlace) async throws -> String {
        try await authentication(place, identity: "me", refreshes: true)
    }

    @Sendable private static func refreshedWithoutIdentity(_ place: StoredPlace) async throws -> String {
        try await authentication(place, identity: nil, refreshes: true)
    }

    @Sendable private static func authenticationWithoutIdentity(_ place: StoredPlace) async throws -> String {
        try await authentication(place, identity: nil)
    }
}

// Ends
extension PairsTests {
    @Sendable private static func cancelledAtHead(_ place: StoredPlace) async throws -> String {
        let session = try place.session()
        try await place.age(place.request(), by: session)
        let delegate = RecordingDelegate { task, event in if case .head = event { task.cancel() } }
        let task = session.dataTask(with: try place.request(), delegate: delegate)
        task.resume()
        let record = await delegate.end()
        #expect(record.events == [.head(200), .end(failed: true)])
        return "\(Told(task, record).text) | \(await place.sent(sentCount(place)))"
    }

    @Sendable private static func cancelledWhileSilent(_ place: StoredPlace) async throws -> String {
        let session = try place.session()
        try await place.age(place.request(), by: session)
        place.beSilent()
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: try place.request(), delegate: delegate)
        task.resume()
        _ = await place.sent(sentCount(place))
        if place.use == .ifError { task.cancel() }
        let record = await delegate.end()
        #expect(record.completions == 1)
        let told = "\(Told(task, record).text) | \(await place.sent(sentCount(place)))"
        // The validation waits for the server.
        session.invalidateAndCancel()
        return told
    }

    private static func timeout(_ place: StoredPlace, _ timeouts: Timeouts) async throws -> String {
        let session = try place.session()
        try await place.age(place.request(), by: session)
        place.beSilent()
        return await told(place, session, try place.request().limited(to: timeouts))
    }

    @Sendable private static func headTimeout(_ place: StoredPlace) async throws -> String {
        try await timeout(place, Timeouts(head: .milliseconds(40)))
    }

    @Sendable private static func idleTimeout(_ place: StoredPlace) async throws -> String {
        try await timeout(place, Timeouts(idle: .milliseconds(40)))
    }

    @Sendable private static func totalTimeout(_ place: StoredPlace) async throws -> String {
        try await timeout(place, Timeouts(total: .milliseconds(200)))
    }

    @Sendable private static func connectTimeout(_ place: StoredPlace) async throws -> String {
        try await place.age(place.request(), by: place.session(tls: authority.get()))
        place.beSilent()
        let session = try place.session(tls: authority.get())
        let request = try place.request().limited(to: Timeouts(connect: .milliseconds(40)))
        return await told(place, session, request, sent: 0)
    }

    @Sendable private static func queueTimeout(_ place: StoredPlace) async throws -> String {
        let session = try place.session(connections: 1)
        try await place.age(place.request(), by: session)
        let held = try await hold(place, session)
        let request = try place.request().limited(to: Timeouts(queue: .milliseconds(40)))
        let told = await told(place, session, request, sent: 1)
        await session.expectNothingWaits()
        try place.origin.release()
        _ = await held.end()
        return told
    }
}

extension Session {
    /// The validation, if there is one, has given up its place.
    fileprivate func expectNothingWaits() async { #expect(await eventually { connectionGauges.waiting == 0 }) }
}

// Readers
extension PairsTests {
    @Sendable private static func suspended(_ place: StoredPlace) async throws -> String {
        let session = try place.session()
        try await place.age(place.request(), by: session)
        let delegate = RecordingDelegate { task, event in if case .head = event { task.suspend() } }
        let task = session.dataTask(with: try place.request(), delegate: delegate)
        task.resume()
        await delegate.wait { $0.events.contains(.head(200)) }
        // Other requests do not wait for a suspended reader.
        #expect(await eventually { place.cache.flights.count == 0 })
        await session.settle()
        #expect(delegate.record.events == [.head(200)])
        task.resume()
        let record = await delegate.end()
        #expect(record.events == [.head(200), .body(4), .end(failed: false)])
        return "\(Told(task, record).text) | \(await place.sent(sentCount(place)))"
    }

    @Sendable private static func suspendedForEver(_ place: StoredPlace) async throws -> String {
        let session = try place.session()
        try await place.age(place.request(), by: session)
        let delegate = RecordingDelegate { task, event in if case .head = event { task.suspend() } }
        let request = try place.request().limited(to: Timeouts(total: .milliseconds(100)))
        let task = session.dataTask(with: request, delegate: delegate)
        task.resume()
        let record = await delegate.end()
        return "\(Told(task, record).text) | \(await place.sent(sentCount(place)))"
    }

    @Sendable private static func bytes(_ place: StoredPlace) async throws -> String {
        let session = try place.session()
        try await place.age(place.request(), by: session)
        let (bytes, _) = try await session.bytes(for: try place.request())
        let body = try await bytes.reduce(into: Data()) { $0 += $1 }
        return "\(String(decoding: body, as: UTF8.self)) | \(await place.sent(sentCount(place)))"
    }

    @Sendable private static func bytesUnread(_ place: StoredPlace) async throws -> String {
        let session = try place.session()
        try await place.age(place.request(), by: session)
        let status = try await session.bytes(for: try place.request()).1.statusCode
        return "\(status) | \(await place.sent(sentCount(place)))"
    }

    @Sendable private static func write(_ place: StoredPlace) async throws -> String {
        let session = try place.session()
        try await place.age(place.request(), by: session)
        let (pieces, content) = AsyncStream.makeStream(of: Data.self)
        content.yield(Data("begun".utf8))
        var post = try place.request()
        post.httpMethod = "POST"
        post.body = .sequence { pieces }
        let delegate = RecordingDelegate()
        let count = place.origin.observations.headCount
        session.dataTask(with: post, delegate: delegate).resume()
        #expect(await place.origin.waitFor { $0.headCount > count })
        let during = await told(place, session, try place.request())
        #expect(await eventually { place.cache.flights.count == 0 })
        content.finish()
        #expect(await delegate.end().error == nil)
        return "\(during) || \(await told(place, session, try place.request(), sent: sentCount(place) + 2))"
    }
    @Sendable private static func writeBeforeAnswer(_ place: StoredPlace) async throws -> String {
        let session = try place.session()
        try await place.age(place.request(), by: session)
        place.beLate()
        let request = try place.request()
        async let answer = Told.by(session, request).text
        if place.use == .hit { _ = await answer } else { _ = await place.sent(1) }
        var post = try place.request()
        post.httpMethod = "POST"
        _ = try await session.data(for: post)
        try place.origin.release()
        let during = "\(await answer) | \(await place.sent(sentCount(place) + 1))"
        #expect(await eventually { place.cache.flights.count == 0 })
        place.beOnTime()
        return "\(during) || \(await told(place, session, try place.request(), sent: sentCount(place) + 2))"
    }
}
