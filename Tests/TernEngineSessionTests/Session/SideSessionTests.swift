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

@Suite(.serialized, .timeLimit(.minutes(1))) struct SideSessionTests {
    /// Counts the sessions that are made, and does something while one is.
    private final class Maker: Sendable {
        private let state = Lock((count: 0, meanwhile: Optional<@Sendable () -> Void>.none))

        var count: Int { state.withLock { $0.count } }

        func meanwhile(_ work: @escaping @Sendable () -> Void) { state.withLock { $0.meanwhile = work } }

        func make(_ configuration: SessionConfiguration) -> Session {
            let work = state.withLock { state in
                state.count += 1
                return state.meanwhile.take()
            }
            work?()
            return Session(configuration: configuration)
        }
    }

    private let maker = Maker()

    private func sideSession() -> SideSession {
        var configuration = SessionConfiguration()
        configuration.reactorCount = 1
        return SideSession(configuration) { [maker] in maker.make($0) }
    }

    private func reply(
        _ side: SideSession, to request: URLRequest, sizeLimit: Int = 100, timeLimit: Duration = .seconds(30)
    ) async -> SideResponse? {
        await withCheckedContinuation { continuation in
            side.send(request, sizeLimit: sizeLimit, timeLimit: timeLimit) { continuation.resume(returning: $0) }
        }
    }

    @Test func `a redirect is no answer, and is not followed`() async throws {
        let target = try ScriptedOrigin { _, _ in [.ok("answer")] }
        let location = target.url()
        let origin = try ScriptedOrigin { _, request in [.redirect(request.method == "POST" ? 307 : 302, to: location)]
        }
        let side = sideSession()
        #expect(await reply(side, to: try URLRequest(origin)) == nil)
        #expect(await reply(side, to: try URLRequest(origin, method: "POST", body: Data("report".utf8))) == nil)
        #expect(target.connectionCount == 0)
    }

    @Test func `its session is made once, however many callers come meanwhile`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("answer")] }
        let request = try URLRequest(origin)
        let side = sideSession()
        let (replies, reply) = AsyncStream.makeStream(of: String.self)
        let ask: @Sendable () -> Void = { [weak side] in
            side?.send(request, sizeLimit: 100, timeLimit: .seconds(30)) {
                reply.yield($0.map { String(decoding: $0.body, as: UTF8.self) } ?? "nothing")
            }
        }
        // From within the making: a lock that was held meanwhile would deadlock here.
        maker.meanwhile {
            ask()
            ask()
        }
        ask()
        var seen: [String] = []
        for await text in replies {
            seen.append(text)
            if seen.count == 3 { break }
        }
        #expect(seen == ["answer", "answer", "answer"])
        #expect(maker.count == 1)
        #expect(await self.reply(side, to: request)?.statusCode == 200)
        #expect(maker.count == 1)
    }

    @Test func `many threads that ask first at the same time get one session`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("answer")] }
        let request = try URLRequest(origin)
        let side = sideSession()
        await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<32 { group.addTask { await reply(side, to: request)?.statusCode } }
            for await status in group { #expect(status == 200) }
        }
        #expect(maker.count == 1)
    }

    @Test func `no session is made for trust without questions`() throws {
        let services = TrustServices(revocationSender: sideSession(), reportSender: sideSession())
        services.revocation.distrust([])
        services.close()
        #expect(maker.count == 0)
    }

    @Test(arguments: [(100, true), (101, false)])
    func `a body must keep within its limit`(size: Int, fits: Bool) async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(body: String(repeating: "x", count: size))] }
        #expect(await reply(sideSession(), to: try URLRequest(origin))?.body.count == (fits ? size : nil))
    }

    @Test(arguments: [(200, true), (204, true), (302, false), (404, false), (500, false)])
    func `only a success is an answer`(status: Int, counts: Bool) async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(status: status, body: "")] }
        #expect(await reply(sideSession(), to: try URLRequest(origin))?.statusCode == (counts ? status : nil))
    }

    @Test func `an unresponsive server is given up after the timeout`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        #expect(await reply(sideSession(), to: try URLRequest(origin), timeLimit: .milliseconds(50)) == nil)
    }

    @Test func `releasing it cancels its requests`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        let request = try URLRequest(origin)
        var side: SideSession? = sideSession()
        let (replies, reply) = AsyncStream.makeStream(of: Bool.self)
        side?.send(request, sizeLimit: 100, timeLimit: .seconds(30)) { reply.yield($0 == nil) }
        #expect(await origin.waitFor { $0.requestCount == 1 })
        side = nil
        #expect(await replies.first { _ in true } == true)
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }
}

/// What a session asks for itself goes through its proxies, and these are trusted as for its requests.
@Suite(.timeLimit(.minutes(1))) struct SideRequestTests {
    private let authority: CertificateAuthority
    /// Says what the script says about each certificate.
    private let responder: ScriptedOrigin
    private let answer = Answer()

    private final class Answer: Sendable {
        let steps = Lock<[ScriptedOrigin.Step]>([])
    }

    init() throws {
        authority = try CertificateAuthority()
        responder = try ScriptedOrigin { [answer] _, _ in answer.steps.withLock { $0 } }
    }

    /// A certificate whose responder is the one of these tests.
    private func issue(_ name: String) throws -> Identity {
        let url = responder.url("/ocsp")
        return try authority.issue(
            LeafRequest(
                commonName: name, dnsNames: [name],
                extensions: [CertificateExtension("authorityInfoAccess", "OCSP;URI:\(url)")]))
    }

    private func anchors() throws -> TrustAnchors { .only([try X509Certificate(pem: authority.certificatePEM)]) }

    private func proxy(_ server: ScriptedProxy) -> Proxy {
        var proxy = Proxy(.https, host: "localhost", port: server.port)
        proxy.credential = PasswordCredential(user: "ann", password: "pw", schemes: .basic)
        return proxy
    }

    private static let revocation = ServerTrustPolicy.performRevokedEvaluation(
        validateHost: true, revocationFlags: .ocsp)

    private func pinned(_ identity: Identity) throws -> ServerTrustPolicy {
        .pinPublicKeys(
            publicKeys: [try X509Certificate.PublicKey(pin: identity.pin)], validateCertificateChain: true,
            validateHost: true)
    }

    /// A session with a proxy for a.test, and perhaps another one for all other hosts.
    private func session(
        _ policies: [String: ServerTrustPolicy], to server: ScriptedProxy, others: ScriptedProxy? = nil
    ) throws -> Session {
        let (proxy, other) = (proxy(server), proxy(others ?? server))
        return try .trusting(authority, policies: policies) {
            $0.tls.resumesSessions = false
            $0.proxyTLS = $0.tls
            $0.proxySettings = ProxySettings { $0.host == "a.test" ? proxy : other }
        }
    }

    @Test(arguments: [false, true]) func `a revoked server is refused behind a proxy that the session's anchors trust`(
        hasOwnTLS: Bool
    ) async throws {
        let leaf = try issue("a.test")
        let revoked = try authority.ocspResponse(about: leaf, .revoked(at: 1_700_000_000))
        answer.steps.withLock { $0 = [.respond(body: revoked)] }
        let origin = try ScriptedOrigin(tls: leaf) { _, _ in [.ok()] }
        let (port, proxyIdentity) = (origin.port, try authority.issue())
        let server = try ScriptedProxy(tls: proxyIdentity, credential: ("ann", "pw")) { target in
            target.hasSuffix(":443") ? port : target.split(separator: ":").last.flatMap { UInt16($0) }
        }
        let (proxy, anchors) = (proxy(server), try anchors())
        let session = try Session.trusting(authority, policies: ["a.test": Self.revocation]) {
            $0.proxySettings = ProxySettings(proxy)
            if hasOwnTLS {
                $0.proxyTLS = TLSSettings()
                $0.proxyTLS?.anchors = anchors
            }
        }
        let error = await session.failure(of: try URLRequest(string: "https://a.test/"))
        #expect(error?.reason.trustFailure?.reason == .revoked(at: 1_700_000_000))
        #expect(origin.requests.isEmpty && responder.requests.count == 1)
        #expect(server.requests.map(\.target).contains("127.0.0.1:\(responder.port)"))
    }

    @Test func `an impostor of a pinned proxy gets no question about revocation`() async throws {
        let leaf = try issue("a.test")
        let origin = try ScriptedOrigin(tls: leaf) { _, _ in [.ok()] }
        let (port, identity) = (origin.port, try authority.issue())
        let server = try ScriptedProxy(tls: identity) { _ in port }
        let impostor = try ScriptedProxy(tls: try authority.issue())
        let session = try session(
            ["a.test": Self.revocation, "localhost": pinned(identity)], to: server, others: impostor)
        _ = try await session.data(for: try URLRequest(string: "https://a.test/"))
        #expect(await impostor.waitFor { $0.connectionCount == 1 && $0.openConnections == 0 })
        #expect(impostor.requests.isEmpty && responder.requests.isEmpty)
    }

    @Test func `pins of a proxy that are set later hold for reports, too, and for their kept connections`() async throws
    {
        let origin = try ScriptedOrigin(tls: try issue("a.test")) { _, _ in [.ok()] }
        let collector = try ScriptedOrigin { _, _ in [.ok()] }
        let (port, identity) = (origin.port, try authority.issue())
        let server = try ScriptedProxy(tls: identity) { _ in port }
        let other = try ScriptedProxy(tls: try authority.issue())
        let session = try session([:], to: server, others: other)
        var set = PinSet(hosts: [try HostPattern("a.test")], pins: [try X509Certificate.PublicKey(pin: identity.pin)])
        set.reportURLs = [collector.url("/pins")]
        session.serverTrustPolicyManager = ServerTrustPolicyManager(policies: ["a.test": .pinSet(set)])
        #expect(await session.failure(of: try URLRequest(string: "https://a.test/"))?.reason.trustFailure != nil)
        #expect(await other.waitFor { $0.requests.count == 1 })
        #expect(await collector.waitFor { $0.requestCount == 1 })
        session.serverTrustPolicyManager = ServerTrustPolicyManager(
            policies: ["a.test": .pinSet(set), "localhost": try pinned(identity)])
        #expect(await session.failure(of: try URLRequest(string: "https://a.test/"))?.reason.trustFailure != nil)
        #expect(await other.waitFor { $0.connectionCount == 2 && $0.openConnections <= 1 })
        #expect(other.requests.count == 1 && collector.requests.count == 1)
    }

    @Test func `the revocation of a proxy is asked past it, and once`() async throws {
        let leaf = try issue("localhost")
        let good = try authority.ocspResponse(about: leaf, .good)
        answer.steps.withLock { $0 = [.respond(body: good)] }
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let port = origin.port
        let server = try ScriptedProxy(tls: leaf) { _ in port }
        let session = try session(["localhost": Self.revocation], to: server)
        _ = try await session.data(for: try URLRequest(string: "http://a.test/"))
        #expect(responder.requests.count == 1)
        #expect(server.observations.connectionCount == 1 && server.requests.map(\.target) == ["a.test:80"])
    }

    @Test func `a request's egress policy judges the questions about its server, and answers to others are not for it`()
        async throws
    {
        let leaf = try issue("localhost")
        let revoked = try authority.ocspResponse(about: leaf, .revoked(at: 1_700_000_000))
        answer.steps.withLock { $0 = [.respond(body: revoked)] }
        let origin = try ScriptedOrigin(tls: leaf) { _, _ in [.ok("well"), .close] }
        let session = try Session.trusting(authority, policies: ["localhost": Self.revocation]) {
            $0.tls.resumesSessions = false
        }
        var request = try URLRequest(origin)
        var policy = EgressPolicy(reach: .everywhere)
        policy.ports = [origin.port]
        request.egressPolicy = policy
        for _ in 0..<2 {
            #expect(try await session.text(request) == "well")
            #expect(responder.connectionCount == 0)
        }
        let error = await session.failure(of: try URLRequest(origin))
        #expect(error?.reason.trustFailure?.reason == .revoked(at: 1_700_000_000))
        #expect(responder.requests.count == 1)
        policy.ports = [origin.port, responder.port]
        request.egressPolicy = policy
        #expect(await session.failure(of: request)?.reason.trustFailure != nil)
        #expect(responder.requests.count == 2)
    }

    /// What a session asks about a server, and the request that it does so for.
    enum Matter: String, CaseIterable { case ocsp, list, issuer, report }

    /// The proxies of a session, and what a request says of them.
    enum Way: String, CaseIterable {
        case ofSession, direct, own, ownInPlainSession

        func choice(_ own: ScriptedProxy) -> ProxyChoice {
            switch self {
            case .ofSession: .ofSession
            case .direct: .direct
            case .own, .ownInPlainSession: .through(Proxy(.http, host: "127.0.0.1", port: own.port))
            }
        }
    }

    @Test(arguments: Matter.allCases, Way.allCases)
    func `what is asked about a server goes the way of the request`(matter: Matter, way: Way) async throws {
        let intermediate = try authority.issueIntermediate()
        let url = responder.url("/about")
        let leaf: Identity
        var policy = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)
        switch matter {
        case .ocsp:
            leaf = try issue("localhost")
            let good = try authority.ocspResponse(about: leaf, .good)
            answer.steps.withLock { $0 = [.respond(body: good)] }
            policy = .performRevokedEvaluation(validateHost: true, revocationFlags: [.ocsp, .requirePositiveResponse])
        case .list:
            leaf = try authority.issue(
                LeafRequest(extensions: [CertificateExtension("crlDistributionPoints", "URI:\(url)")]))
            let list = try authority.revocationList(revoking: [])
            answer.steps.withLock { $0 = [.respond(body: list)] }
            policy = .performRevokedEvaluation(validateHost: true, revocationFlags: [.crl, .requirePositiveResponse])
        case .issuer:
            let issued = try intermediate.issue(
                LeafRequest(extensions: [CertificateExtension("authorityInfoAccess", "caIssuers;URI:\(url)")]))
            leaf = issued.sending(chainPEM: issued.certificatePEM)
            let issuer = try intermediate.certificateDER()
            answer.steps.withLock { $0 = [.respond(body: issuer)] }
        case .report:
            leaf = try authority.issue()
            answer.steps.withLock { $0 = [.ok()] }
            let key = try X509Certificate.PublicKey(pin: authority.issue().pin)
            policy = .pinSet(PinSet(pins: [key], mode: .reportOnly, reportURLs: [url]))
        }
        let origin = try ScriptedOrigin(tls: leaf) { _, _ in [.ok("well"), .close] }
        let (ofSession, own) = (try ScriptedProxy(), try ScriptedProxy())
        let session = try Session.trusting(authority, policies: ["localhost": policy]) {
            $0.tls.resumesSessions = false
            $0.tls.fetchesMissingIssuers = matter == .issuer
            if way != .ownInPlainSession {
                $0.proxySettings = ProxySettings(Proxy(.http, host: "127.0.0.1", port: ofSession.port))
            }
        }
        var request = try URLRequest(origin)
        request.proxy = way.choice(own)
        #expect(try await session.text(request) == "well")
        #expect(await responder.waitFor { $0.requestCount == 1 })
        let asked = "127.0.0.1:\(responder.port)"
        #expect(ofSession.requests.map(\.target).filter { $0 == asked }.count == (way == .ofSession ? 1 : 0))
        let isOwn = way == .own || way == .ownInPlainSession
        #expect(own.requests.map(\.target).filter { $0 == asked }.count == (isOwn ? 1 : 0))
    }

    @Test func `an answer that came one way is not one for a request that goes another`() async throws {
        let leaf = try issue("localhost")
        let good = try authority.ocspResponse(about: leaf, .good)
        answer.steps.withLock { $0 = [.respond(body: good)] }
        let origin = try ScriptedOrigin(tls: leaf) { _, _ in [.ok("well"), .close] }
        let (ofSession, own) = (try ScriptedProxy(), try ScriptedProxy())
        let session = try Session.trusting(authority, policies: ["localhost": Self.revocation]) {
            $0.tls.resumesSessions = false
            $0.proxySettings = ProxySettings(Proxy(.http, host: "127.0.0.1", port: ofSession.port))
        }
        var request = try URLRequest(origin)
        for _ in 0..<2 {
            for way in [Way.ofSession, .direct, .own] {
                request.proxy = way.choice(own)
                #expect(try await session.text(request) == "well")
            }
        }
        #expect(responder.requests.count == 3)
    }

    /// Every member of a configuration goes along to the session's own requests, or is taken back. A new one fails the
    /// test until it is in one of the lists.
    @Test func `each setting goes along with the session's own requests, or is taken back`() throws {
        let goAlong = [
            "maximumIdleTime", "maximumIdleConnectionsPerHost", "maximumIdleConnections", "maximumConnectionAge",
            "maximumRequestsPerConnection", "timeouts", "challengeTimeout", "redirectPolicy", "endsRedirectLoops",
            "decodesContent", "contentDecodingLimits", "isBackground", "followsURLSession", "retryPolicy",
            "socketOptions", "egressPolicy", "proxySettings", "proxyTLS", "proxyTrustPolicyManager", "resolver",
            "addressFamily", "addressOverrides", "httpShouldSetCookies", "httpCookieAcceptPolicy",
            "probesForProxyDigest", "tunnelsToOverriddenAddresses", "sensitiveFields", "observers",
            "maximumCollectedBodySize", "limits", "leniency", "clock",
        ]
        var configuration = SessionConfiguration()
        configuration.httpMaximumConnectionsPerHost = 1
        configuration.httpMinimumConnectionsPerHost = 1
        configuration.maximumConnections = 1
        configuration.maximumQueuedRequestsPerHost = 1
        configuration.rateLimit = RateLimit(requestsPerSecond: 1)
        configuration.rateLimitPerHost = RateLimit(requestsPerSecond: 1)
        configuration.waitsForConnectivity = true
        configuration.responseProviders = [Nothing()]
        configuration.circuitBreaker = CircuitBreaker()
        configuration.httpCookieStorage = HTTPCookieStorage()
        configuration.hstsStorage = HSTSStorage()
        configuration.urlCache = URLCache(memoryCapacity: 1 << 20)
        configuration.cassette = Cassette()
        configuration.requestCachePolicy = .returnCacheDataDontLoad
        configuration.authentication = Token()
        configuration.netrc = Netrc(Array("default login me password secret".utf8))
        configuration.urlCredentialStorage = CredentialStorage()
        configuration.probesForDigest = true
        configuration.httpAdditionalHeaders = ["Authorization": "Bearer token"]
        configuration.memoryQuota = MemoryQuota(limit: 1)
        configuration.trustFiles = try TrustFiles(TrustFilePaths()) { _ in }
        configuration.reactorCount = 1
        configuration.unixSocket = try UnixSocketName(path: "/run/web.sock")
        configuration.dialer = ConnectionDialer { _ in throw Unreachable() }
        configuration.proxyProtocol = .v1
        configuration.endpointOverrides = [
            EndpointOverride(host: nil, port: nil, targetHost: "b.test", targetPort: nil)
        ]
        let identity = try CertificateAuthority().issue()
        configuration.tls.identity = try ClientIdentity(
            pem: Array((identity.certificatePEM + identity.privateKeyPEM).utf8))
        configuration.tls.keyLog = TLSKeyLog { _ in }
        // A member that is changed above has to be taken back, and each other one is one of these.
        let all = Set(members(configuration).keys)
        let changed = differences(configuration, SessionConfiguration())
        #expect(changed.union(goAlong) == all && changed.isDisjoint(with: goAlong))
        // None answer them, not even those of the whole process.
        var usual = SessionConfiguration()
        usual.responseProviders = []
        #expect(differences(configuration.forSideRequests, usual).isEmpty)
        #expect(
            differences(configuration.forHandshakes, usual)
                == ["unixSocket", "dialer", "proxyProtocol", "endpointOverrides", "tls"])
        var own = usual
        own.limits.maximumFieldCount = 7
        (own.addressFamily, own.maximumConnectionAge) = (.ipv4, .seconds(1))
        #expect(differences(own.forSideRequests, own).isEmpty)
        // So has a member of the settings of TLS.
        let tls = Set(members(configuration.tls).keys)
        let rules = [
            "anchors", "profile", "maximumPathDepth", "minimumVersion", "maximumVersion", "applicationProtocols",
            "resumesSessions", "cipherList", "cipherSuites", "groups", "revocationLists", "transparencyLogs",
            "distrustedCertificates", "spiffeBundles", "fetchesMissingIssuers", "enforcesMustStaple",
        ]
        #expect(tls == Set(rules + ["identity", "keyLog"]))
    }

    private func members(_ value: Any) -> [String: String] {
        let members = Mirror(reflecting: value).children.map { ($0.label ?? "", "\($0.value)") }
        return Dictionary(members) { $1 }
    }

    private func differences(_ one: SessionConfiguration, _ other: SessionConfiguration) -> Set<String> {
        let (left, right) = (members(one), members(other))
        return Set(left.keys.filter { left[$0] != right[$0] })
    }

    private struct Nothing: ResponseProvider {
        let isForServers = true

        func response(to request: URLRequest, of task: any AnyObject & Sendable) -> (any ProvidedResponse)? { nil }
    }

    private struct Unreachable: Error {}

    private struct Token: RequestAuthentication {
        let refusingStatusCodes: Set<Int> = []

        func authenticated(
            _ request: URLRequest
        ) async throws(AuthenticationError) -> (request: URLRequest, credentialNumber: Int32)? { nil }

        func refused(credentialNumber: Int32, by origin: HTTPOrigin) -> Bool { false }
    }
}
