// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTesting
import Testing

@testable import TernEngine

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
        let settings = TrustSettings(
            tls: TLSSettings(), policies: nil, revocationSender: sideSession(), reportSender: sideSession())
        _ = try settings.decision(forHost: "localhost")
        settings.revocation.distrust([])
        settings.close()
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
