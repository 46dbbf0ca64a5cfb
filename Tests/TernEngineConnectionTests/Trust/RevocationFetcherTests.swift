// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTLS
import TernTesting
import TestProofs
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Handshakes that wait for a responder: honest, unresponsive, gigantic or gone.
@Suite(.timeLimit(.minutes(1))) struct RevocationFetcherTests {
    private let authority: CertificateAuthority
    private let responder: ScriptedOrigin
    /// What the responder does about each request; filled in once there is a certificate to have an opinion on.
    private let script: OriginScript
    private let leaf: Identity

    init() throws {
        let script = OriginScript()
        self.script = script
        authority = try CertificateAuthority()
        responder = try ScriptedOrigin { _, _ in script.steps.withLock { $0 } }
        leaf = try authority.issue(
            LeafRequest(extensions: [CertificateExtension("authorityInfoAccess", "OCSP;URI:\(responder.url("/ocsp"))")])
        )
    }

    private func respond(_ status: RevocationStatus) throws {
        let response = try authority.ocspResponse(about: leaf, status)
        script.steps.withLock { $0 = [.respond(body: response)] }
    }

    private func session(
        requiresAnswer: Bool = true, connections: Int = 1, _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) throws -> Session {
        let flags: RevocationFlags = requiresAnswer ? [.ocsp, .requirePositiveResponse] : .ocsp
        return try .trusting(
            authority, connections: connections,
            policies: ["localhost": .performRevokedEvaluation(validateHost: true, revocationFlags: flags)]
        ) {
            $0.tls.resumesSessions = false
            change(&$0)
        }
    }

    private static let versions: [ScriptedOrigin.TLSOptions] = [.only(.tls12), .only(.tls13)]

    @Test(arguments: versions)
    func `a responder's good word lets the request go, and is remembered`(options: ScriptedOrigin.TLSOptions)
        async throws
    {
        let origin = try ScriptedOrigin(tls: leaf, tlsOptions: options) { _, _ in [.ok("well"), .close] }
        try respond(.good)
        let session = try session()
        for _ in 0..<4 { #expect(try await session.text(URLRequest(origin)) == "well") }
        #expect(origin.observations.handshakes.count == 4)
        #expect(responder.observations.requestCount == 1)
        let request = try #require(responder.requests.first)
        #expect(request.method == "POST")
        #expect(request.target == "/ocsp")
        #expect(request.value(of: "Content-Type") == "application/ocsp-request")
        #expect(request.body.first == 0x30)
    }

    @Test func `many connections ask once`() async throws {
        let origin = try ScriptedOrigin(tls: leaf) { _, _ in [.ok("well"), .close] }
        try respond(.good)
        let session = try session(connections: 8)
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<32 { group.addTask { try await session.text(URLRequest(origin)) } }
            for try await text in group { #expect(text == "well") }
        }
        #expect(responder.observations.requestCount == 1)
    }

    @Test func `in TLS 1_3 a revoked server sees the end of no handshake`() async throws {
        let origin = try ScriptedOrigin(tls: leaf, tlsOptions: .only(.tls13)) { _, _ in [.ok()] }
        try respond(.revoked(at: 1_700_000_000))
        let error = await (try session()).failure(of: try URLRequest(origin))
        #expect(error?.reason.trustFailure?.reason == .revoked(at: 1_700_000_000))
        #expect(error?.wasSent == false)
        #expect(await origin.waitFor { $0.openConnections == 0 && $0.connectionCount == 1 })
        #expect(origin.observations.handshakes.isEmpty)
        #expect(origin.observations.headCount == 0)
    }

    @Test(.proves("13.5a")) func `in TLS 1_2 a revoked server sees no request`() async throws {
        let origin = try ScriptedOrigin(tls: leaf, tlsOptions: .only(.tls12)) { _, _ in [.ok()] }
        try respond(.revoked(at: 1_700_000_000))
        let error = await (try session()).failure(of: try URLRequest(origin))
        #expect(error?.reason.trustFailure?.reason == .revoked(at: 1_700_000_000))
        #expect(await origin.waitFor { $0.openConnections == 0 && $0.connectionCount == 1 })
        #expect(error?.wasSent == false)
        #expect(origin.observations.closes.map(\.kind) == [.closeNotify])
        #expect(origin.observations.headCount == 0)
        #expect(origin.observations.malformedRequests == 0)
        #expect(origin.requests.isEmpty)  // Those cut short are among them.
    }

    @Test(
        arguments: [
            [.respond(status: 404, body: "no")], [.respond(body: "<html>sign in</html>")], [.respond(body: "")],
            [
                .repeat(Array("HTTP/1.1 200 OK\r\n\r\n".utf8), count: 1),
                .repeat([UInt8](repeating: 0x30, count: 1024), count: 200),
            ],
            [.send("not HTTP"), .close], [.reset], [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0"), .close],
        ] as [[ScriptedOrigin.Step]])
    func `nonsense is no word at all`(steps: [ScriptedOrigin.Step]) async throws {
        let origin = try ScriptedOrigin(tls: leaf) { _, _ in [.ok("well"), .close] }
        script.steps.withLock { $0 = steps }
        let error = await (try session()).failure(of: try URLRequest(origin))
        #expect(error?.reason.trustFailure?.reason == .revocationUndetermined)
        #expect(try await session(requiresAnswer: false).text(URLRequest(origin)) == "well")
    }

    @Test func `an unresponsive responder leaves time to connect`() async throws {
        let origin = try ScriptedOrigin(tls: leaf) { _, _ in [.ok("well"), .close] }
        script.steps.withLock { $0 = [.hold] }
        let text = try await session(requiresAnswer: false) { $0.timeouts.connect = .seconds(6) }
            .text(URLRequest(origin))
        #expect(text == "well")
        #expect(responder.observations.requestCount == 1)
    }

    @Test func `a task that is cancelled while a responder thinks leaves nothing behind`() async throws {
        let origin = try ScriptedOrigin(tls: leaf) { _, _ in [.ok()] }
        script.steps.withLock { $0 = [.hold] }
        var session: Session? = try session()
        let delegate = RecordingDelegate()
        let task = try #require(session).dataTask(with: try URLRequest(origin), delegate: delegate)
        task.resume()
        #expect(await responder.waitFor { $0.requestCount == 1 })
        task.cancel()
        #expect(await delegate.end().error?.reason.isCancellation == true)
        session = nil
        #expect(await origin.waitFor { $0.openConnections == 0 })
        #expect(await responder.waitFor(.seconds(3)) { $0.openConnections == 0 })
    }

    @Test func `a session that is dropped while a responder thinks ends its task`() async throws {
        let origin = try ScriptedOrigin(tls: leaf) { _, _ in [.ok()] }
        script.steps.withLock { $0 = [.hold] }
        var session: Session? = try session()
        let delegate = RecordingDelegate()
        session?.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
        #expect(await responder.waitFor { $0.requestCount == 1 })
        session = nil
        #expect(await delegate.end().error?.reason.isInvalidation == true)
        #expect(await origin.waitFor { $0.openConnections == 0 })
        #expect(await responder.waitFor(.seconds(3)) { $0.openConnections == 0 })
    }
}

@Suite struct RevocationQuestionExchangeTests {
    private static let question = RevocationQuestion.ocsp(url: "http://a.test/", request: [1, 2])
    private static let list = RevocationQuestion.list(url: "http://a.test/")

    private func answer(_ question: RevocationQuestion, _ status: Int, _ body: [UInt8]) async -> RevocationAnswer {
        await withCheckedContinuation { continuation in
            question.read(SideResponse(statusCode: status, body: Data(body))) { continuation.resume(returning: $0) }
        }
    }

    @Test func `a responder is asked with a POST, and a list with a GET`() throws {
        let url = try #require(URL(string: "http://a.test/"))
        let request = Self.question.request(to: url)
        #expect(request.httpMethod == "POST")
        #expect(request.httpBody == Data([1, 2]))
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/ocsp-request")
        #expect(Self.list.request(to: url).httpMethod == "GET")
        #expect(Self.list.sizeLimit > Self.question.sizeLimit)
    }

    @Test func `only status 200 is an answer, and only a list is a list`() async throws {
        guard case .response(let response) = await answer(Self.question, 200, [7]) else {
            Issue.record("no response")
            return
        }
        #expect(response.der == [7])
        for status in [204, 206, 404] {
            guard case .none = await answer(Self.question, status, [7]) else {
                Issue.record("\(status) is an answer")
                return
            }
        }
        let der = try CertificateAuthority().revocationList(revoking: [])
        guard case .none = await answer(Self.list, 200, [7]), case .list = await answer(Self.list, 200, der) else {
            Issue.record("another answer")
            return
        }
    }
}

@Suite struct RevocationAnswerCacheTests {
    private static let question = RevocationQuestion.list(url: "http://a.test/")

    @Test func `one caller asks, and all get the answer, which is then known`() {
        let cache = RevocationAnswerCache()
        let count = Lock(0)
        let note: RevocationAnswerCache.Completion = { _ in count.withLock { $0 += 1 } }
        #expect(cache.isFirst(to: Self.question, note))
        #expect(!cache.isFirst(to: Self.question, note))
        #expect(count.withLock { $0 } == 0)
        cache.keep(.none, to: Self.question)
        #expect(count.withLock { $0 } == 2)
        #expect(!cache.isFirst(to: Self.question, note))
        #expect(count.withLock { $0 } == 3)
    }

    @Test func `an answer without a question is not kept`() {
        let cache = RevocationAnswerCache()
        cache.keep(.none, to: Self.question)
        #expect(cache.isFirst(to: Self.question) { _ in })
    }

    @Test func `many answers do not fill the memory, and pending questions are not forgotten`() {
        let cache = RevocationAnswerCache()
        let pending = RevocationQuestion.list(url: "http://pending.test/")
        #expect(cache.isFirst(to: pending) { _ in })
        for number in 0..<600 {
            let question = RevocationQuestion.list(url: "http://\(number).test/")
            #expect(cache.isFirst(to: question) { _ in })
            cache.keep(.none, to: question)
        }
        // The first was dropped, the last is known.
        #expect(cache.isFirst(to: .list(url: "http://0.test/")) { _ in })
        #expect(!cache.isFirst(to: .list(url: "http://599.test/")) { _ in })
        #expect(!cache.isFirst(to: pending) { _ in })
    }
}
