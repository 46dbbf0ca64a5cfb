// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTLS
import TernTesting
import TestProofs
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Handshakes with servers that do not send their intermediate, which a certificate says where to fetch.
@Suite(.timeLimit(.minutes(1))) struct IssuerFetchTests {
    private let authority: CertificateAuthority
    private let intermediate: CertificateAuthority
    private let place: ScriptedOrigin
    /// What is at the place of the issuer.
    private let script: OriginScript
    private let leaf: Identity

    init() throws {
        let script = OriginScript()
        self.script = script
        authority = try CertificateAuthority()
        intermediate = try authority.issueIntermediate()
        place = try ScriptedOrigin { _, _ in script.steps.withLock { $0 } }
        leaf = try Self.issue(intermediate, "localhost", place.url("/ca.der"))
        try serve()
    }

    /// A certificate whose server does not send its issuer's.
    private static func issue(_ authority: CertificateAuthority, _ name: String, _ url: String) throws -> Identity {
        let leaf = try authority.issue(
            LeafRequest(
                dnsNames: [name], extensions: [CertificateExtension("authorityInfoAccess", "caIssuers;URI:\(url)")]))
        return leaf.sending(chainPEM: leaf.certificatePEM)
    }

    private func serve(_ bytes: [UInt8]? = nil) throws {
        let bytes = try bytes ?? intermediate.certificateDER()
        script.steps.withLock { $0 = [.respond(body: bytes)] }
    }

    private func session(
        _ policies: [String: ServerTrustPolicy]? = nil, connections: Int = 1,
        _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) throws -> Session {
        try .trusting(authority, connections: connections, policies: policies) {
            $0.tls.resumesSessions = false
            $0.tls.fetchesMissingIssuers = true
            change(&$0)
        }
    }

    private static let versions: [ScriptedOrigin.TLSOptions] = [.only(.tls12), .only(.tls13)]

    @Test(arguments: versions)
    func `the issuer is fetched once, and without the user's secrets`(options: ScriptedOrigin.TLSOptions) async throws {
        let origin = try ScriptedOrigin(tls: leaf, tlsOptions: options) { _, _ in [.ok("well"), .close] }
        let session = try session { $0.httpAdditionalHeaders = ["Authorization": "Bearer token"] }
        for _ in 0..<4 { #expect(try await session.text(URLRequest(origin)) == "well") }
        #expect(origin.observations.handshakes.count == 4)
        #expect(place.observations.requestCount == 1)
        let request = try #require(place.requests.first)
        #expect(request.method == "GET" && request.target == "/ca.der" && request.body.isEmpty)
        #expect(request.value(of: "Authorization") == nil)
    }

    @Test func `many connections ask once`() async throws {
        let origin = try ScriptedOrigin(tls: leaf) { _, _ in [.ok("well"), .close] }
        let session = try session(connections: 8)
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<32 { group.addTask { try await session.text(URLRequest(origin)) } }
            for try await text in group { #expect(text == "well") }
        }
        #expect(place.observations.requestCount == 1)
    }

    @Test(arguments: versions)
    func `a session without the option asks nothing`(options: ScriptedOrigin.TLSOptions) async throws {
        let origin = try ScriptedOrigin(tls: leaf, tlsOptions: options) { _, _ in [.ok()] }
        let error = await (try session { $0.tls.fetchesMissingIssuers = false }).failure(of: try URLRequest(origin))
        #expect(error?.reason.trustFailure?.reason == .missingIssuer)
        #expect(place.connectionCount == 0)
    }

    @Test func `a message of certificates does as well, and so does PEM`() async throws {
        let origin = try ScriptedOrigin(tls: leaf) { _, _ in [.ok("well"), .close] }
        let forms: [[UInt8]] = [
            try CertificateAuthority.certificatesOnly([intermediate, authority]),
            Array(intermediate.certificatePEM.utf8),
        ]
        for bytes in forms {
            try serve(bytes)
            #expect(try await session().text(URLRequest(origin)) == "well")
        }
    }

    @Test(
        arguments: [
            [.respond(status: 404, body: "no")], [.respond(body: "<html>sign in</html>")], [.respond(body: "")],
            // A gigabyte, with and without saying so.
            [
                .repeat(Array("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n".utf8), count: 1),
                .repeat([UInt8](repeating: 0x30, count: 1 << 20), count: 1024),
            ],
            [
                .repeat(Array("HTTP/1.1 200 OK\r\n\r\n".utf8), count: 1),
                .repeat([UInt8](repeating: 0x30, count: 1 << 20), count: 1024),
            ],
            [.send("not HTTP"), .close], [.reset], [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0"), .close],
        ] as [[ScriptedOrigin.Step]], versions)
    func `nonsense is no issuer`(steps: [ScriptedOrigin.Step], options: ScriptedOrigin.TLSOptions) async throws {
        let origin = try ScriptedOrigin(tls: leaf, tlsOptions: options) { _, _ in [.ok()] }
        script.steps.withLock { $0 = steps }
        let error = await (try session()).failure(of: try URLRequest(origin))
        #expect(error?.reason.trustFailure?.reason == .missingIssuer)
        #expect(error?.phase == .tls && error?.wasSent == false)
        #expect(origin.requests.isEmpty)
        #expect(place.observations.bytesSent < 8 << 20)
    }

    @Test func `another authority's certificate of the same name is no issuer`() async throws {
        let origin = try ScriptedOrigin(tls: leaf) { _, _ in [.ok()] }
        try serve(authority.issueIntermediate().certificateDER())
        let session = try session()
        let error = await session.failure(of: try URLRequest(origin))
        #expect(error?.reason.trustFailure?.reason == .missingIssuer)
        #expect(error?.reason.trustFailure?.certificate == (try X509Certificate(pem: leaf.certificatePEM)))
    }

    @Test func `a redirect is not followed, be it to https or to the issuer`() async throws {
        let der = try intermediate.certificateDER()
        let target = try ScriptedOrigin { _, _ in [.respond(body: der)] }
        let secure = try ScriptedOrigin(tls: authority.issue()) { _, _ in [.respond(body: der)] }
        let origin = try ScriptedOrigin(tls: leaf) { _, _ in [.ok()] }
        for location in [target.url(), secure.url()] {
            script.steps.withLock { $0 = [.redirect(302, to: location)] }
            let error = await (try session()).failure(of: try URLRequest(origin))
            #expect(error?.reason.trustFailure?.reason == .missingIssuer)
        }
        #expect(target.connectionCount == 0 && secure.connectionCount == 0)
    }

    @Test func `a place on https, and the server itself, are not asked over TLS`() async throws {
        let secure = try ScriptedOrigin(tls: authority.issue()) { _, _ in [.ok()] }
        let origin = try ScriptedOrigin(tls: Self.issue(intermediate, "localhost", secure.url("/ca.der"))) { _, _ in
            [.ok()]
        }
        let error = await (try session()).failure(of: try URLRequest(origin))
        #expect(error?.reason.trustFailure?.reason == .missingIssuer)
        #expect(secure.connectionCount == 0)
        // In plain text at the port of the server: a handshake that fails, and no more.
        let port = try ScriptedOrigin { _, _ in [.ok()] }.port
        var configuration = ScriptedOrigin.Configuration()
        configuration.port = port
        let itself = try ScriptedOrigin(
            configuration, tls: Self.issue(intermediate, "localhost", "http://127.0.0.1:\(port)/ca.der")
        ) { _, _ in [.ok()] }
        let last = await (try session()).failure(of: try URLRequest(itself))
        #expect(last?.reason.trustFailure?.reason == .missingIssuer)
        #expect(itself.connectionCount == 2 && itself.requests.isEmpty)
    }

    @Test func `an unresponsive place leaves time for the refusal`() async throws {
        let origin = try ScriptedOrigin(tls: leaf) { _, _ in [.ok()] }
        script.steps.withLock { $0 = [.hold] }
        let error = await (try session { $0.timeouts.connect = .seconds(4) }).failure(of: try URLRequest(origin))
        #expect(error?.reason.trustFailure?.reason == .missingIssuer)
        #expect(place.observations.requestCount == 1)
    }

    @Test func `a task that is cancelled meanwhile leaves nothing behind`() async throws {
        let origin = try ScriptedOrigin(tls: leaf) { _, _ in [.ok()] }
        script.steps.withLock { $0 = [.hold] }
        var session: Session? = try session()
        let delegate = RecordingDelegate()
        let task = try #require(session).dataTask(with: try URLRequest(origin), delegate: delegate)
        task.resume()
        #expect(await place.waitFor { $0.requestCount == 1 })
        task.cancel()
        #expect(await delegate.end().error?.reason.isCancellation == true)
        session = nil
        #expect(await origin.waitFor { $0.openConnections == 0 })
        #expect(await place.waitFor(.seconds(3)) { $0.openConnections == 0 })
    }

    @Test func `egress rules of the session and of the request judge the place`() async throws {
        let origin = try ScriptedOrigin(tls: leaf) { _, _ in [.ok("well"), .close] }
        var policy = EgressPolicy(reach: .everywhere)
        policy.ports = [origin.port]
        var request = try URLRequest(origin)
        request.egressPolicy = policy
        let errors = [
            await (try session()).failure(of: request),
            await (try session { $0.egressPolicy = policy }).failure(of: try URLRequest(origin)),
        ]
        for error in errors { #expect(error?.reason.trustFailure?.reason == .missingIssuer) }
        #expect(place.connectionCount == 0)
        policy.ports = [origin.port, place.port]
        request.egressPolicy = policy
        #expect(try await session { $0.egressPolicy = policy }.text(request) == "well")
        #expect(place.connectionCount == 1)
    }

    @Test func `a place at a private address is refused by a policy for the public internet`() async throws {
        var configuration = SessionConfiguration()
        configuration.egressPolicy = .publicInternet
        let trust = ServerTrust(
            sentChain: try X509Certificate.all(inPEM: leaf.chainPEM),
            anchors: .only(try X509Certificate.all(inPEM: authority.certificatePEM)))
        let usual = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)
        let guarded = await trust.fetchingIssuers(for: usual, configuration: configuration)
        #expect(guarded.fetchedIssuers.isEmpty && place.connectionCount == 0)
        let open = await trust.fetchingIssuers(for: usual, configuration: SessionConfiguration())
        #expect(open.fetchedIssuers.map(\.url) == [place.url("/ca.der")])
        let result = usual.evaluate(open, host: "localhost")
        #expect(result.isAccepted && result.fetchedIssuers == open.fetchedIssuers)
        // A server that lacks nothing, or another thing.
        let complete = await open.fetchingIssuers(for: usual, configuration: SessionConfiguration())
        #expect(complete.fetchedIssuers == open.fetchedIssuers && place.requests.count == 1)
    }

    @Test(arguments: versions)
    func `behind a proxy the place is asked through it`(options: ScriptedOrigin.TLSOptions) async throws {
        let identity = try Self.issue(intermediate, "a.test", "http://aia.test/ca.der")
        let origin = try ScriptedOrigin(tls: identity, tlsOptions: options) { _, _ in [.ok("well"), .close] }
        let (secure, plain) = (origin.port, place.port)
        let server = try ScriptedProxy { target in target.hasSuffix(":443") ? secure : plain }
        let proxy = Proxy(.http, host: "127.0.0.1", port: server.port)
        let session = try session { $0.proxySettings = ProxySettings(proxy) }
        #expect(try await session.text(URLRequest(string: "https://a.test/")) == "well")
        #expect(place.requests.count == 1)
        #expect(server.requests.count == 2)
    }

    @Test func `a proxy that does not send its own issuer is asked about as well`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("well")] }
        let port = origin.port
        let server = try ScriptedProxy(tls: leaf) { _ in port }
        let proxy = Proxy(.https, host: "localhost", port: server.port)
        let session = try session { $0.proxySettings = ProxySettings(proxy) }
        #expect(try await session.text(URLRequest(string: "http://a.test/")) == "well")
        #expect(place.requests.count == 1)
    }

    @Test(arguments: versions)
    func `pins may name the fetched intermediate`(options: ScriptedOrigin.TLSOptions) async throws {
        let origin = try ScriptedOrigin(tls: leaf, tlsOptions: options) { _, _ in [.ok("well"), .close] }
        for (pin, isAccepted) in [(intermediate.pin, true), (try CertificateAuthority().pin, false)] {
            let policy = ServerTrustPolicy.pinPublicKeys(
                publicKeys: [try X509Certificate.PublicKey(pin: pin)], validateCertificateChain: true,
                validateHost: true)
            let error = await (try session(["localhost": policy])).failure(of: try URLRequest(origin))
            #expect((error == nil) == isAccepted)
            #expect(isAccepted || error?.reason.trustFailure?.rule == "key-not-pinned")
        }
    }

    @Test(arguments: versions)
    func `a resumed connection asks nothing`(options: ScriptedOrigin.TLSOptions) async throws {
        let origin = try ScriptedOrigin(tls: leaf, tlsOptions: options) { _, _ in [.ok("well"), .close] }
        let session = try session { $0.tls.resumesSessions = true }
        for _ in 0..<3 { #expect(try await session.text(URLRequest(origin)) == "well") }
        #expect(origin.observations.handshakes.filter(\.isResumed).count == 2)
        #expect(place.requests.count == 1)
    }
}
