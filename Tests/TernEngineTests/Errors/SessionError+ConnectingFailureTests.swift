// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernTesting
import Testing

@testable import TernEngine
@testable import TernIO

@Suite(.timeLimit(.minutes(5))) struct SessionErrorConnectingFailureTests {
    private func failure(_ url: String, in session: Session = .limited()) async throws -> SessionError {
        let url = try #require(URL(string: url))
        return try #require(await session.failure(of: URLRequest(url: url)))
    }

    @Test func `unknown host`() async throws {
        let error = try await failure("http://no-such-host.invalid/path?token=secret")
        guard case .connecting(.unresolved(let resolving)) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(resolving.host == "no-such-host.invalid")
        #expect(error.phase == .resolve)
        #expect(error.origin?.host == "no-such-host.invalid")
        #expect(error.remoteAddress == nil)
        #expect(!error.wasSent)
        #expect(error.reason.kind == .unresolved)
        #expect(!"\(error)".contains("secret"))
    }

    @Test func `refused port`() async throws {
        var origin: ScriptedOrigin? = try ScriptedOrigin { _, _ in [] }
        let url = try #require(origin?.url("/", host: "localhost"))
        let port = origin?.port
        origin?.stop()
        origin = nil
        let error = try await failure(url)
        guard case .connecting(.unreachable(let connecting)) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(!connecting.attempts.isEmpty)
        #expect(connecting.attempts.allSatisfy { $0.error.code == ECONNREFUSED && $0.address.port == port })
        #expect(error.phase == .connect)
        #expect(error.origin?.port == port)
        #expect(error.remoteAddress == nil)
        #expect(!error.wasSent)
    }

    @Test func `full queue`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        let session = Session.limited { $0.maximumQueuedRequestsPerHost = 2 }
        for _ in 0..<3 { session.dataTask(with: try URLRequest(origin), delegate: RecordingDelegate()).resume() }
        #expect(await origin.waitFor { $0.requestCount == 1 })
        let error = try await failure(origin.url(), in: session)
        if case .connecting(.queueFull(limit: 2)) = error.reason {} else { Issue.record("\(error)") }
        #expect(error.phase == .pool)
        #expect(!error.wasSent)
    }
}
