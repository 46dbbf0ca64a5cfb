// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernHTTP1
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport
@testable import TernIO

@Suite(.timeLimit(.minutes(5))) struct SessionErrorRequestFailureTests {
    private func failure(_ url: String, in session: Session = .limited()) async throws -> SessionError {
        let url = try #require(URL(string: url))
        return try #require(await session.failure(of: URLRequest(url: url)))
    }

    @Test(arguments: [
        ("ftp://example.com/", InvalidRequest.unsupportedScheme("ftp")), ("http:///", .invalidHost("")),
        ("http://localhost:0/", .invalidPort("0")), ("example.com", .unsupportedScheme("")),
    ])
    func `invalid URL`(_ url: String, _ invalidity: InvalidRequest) async throws {
        let error = try await failure(url)
        #expect(error.reason.invalidity == invalidity)
        #expect(error.phase == .request)
        #expect(error.origin == nil)
        #expect(error.remoteAddress == nil)
        #expect(!error.wasSent)
        #expect(error.reason.kind == .invalidRequest)
    }

    @Test func `no URL`() async throws {
        var request = URLRequest(url: try #require(URL(string: "http://localhost/")))
        request.url = nil
        let error = await Session.limited().failure(of: request)
        #expect(error?.reason.invalidity == .missingURL)
    }
}

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

@Suite(.timeLimit(.minutes(5))) struct SessionErrorTransferFailureTests {
    private func failure(_ url: String, in session: Session = .limited()) async throws -> SessionError {
        let url = try #require(URL(string: url))
        return try #require(await session.failure(of: URLRequest(url: url)))
    }

    @Test func `close in the middle of the head`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.send("HTTP/1.1 200 OK\r\nContent-"), .close] }
        let error = try await failure(origin.url())
        if case .transfer(.connectionLost(nil)) = error.reason {} else { Issue.record("\(error)") }
        #expect(error.phase == .head)
        #expect(error.remoteAddress?.port == origin.port)
        #expect(error.wasSent)
        #expect(error.reason.kind == .connectionLost)
    }

    @Test func `close without an answer`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.close] }
        let error = try await failure(origin.url())
        if case .transfer(.connectionLost(nil)) = error.reason {} else { Issue.record("\(error)") }
        #expect(error.phase == .head)
        #expect(error.wasSent)
    }

    @Test func `reset in the middle of the body`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .hold, .reset]
        }
        let session = Session.limited()
        let delegate = RecordingDelegate()
        session.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
        await delegate.wait { $0.body.count == 4 }
        try origin.release()
        let error = try #require(await delegate.end().error)
        if case .transfer(.connectionLost(let system?)) = error.reason {
            #expect(system.code == ECONNRESET)
        } else {
            Issue.record("\(error)")
        }
        #expect(error.phase == .body)
        #expect(error.wasSent)
    }

    @Test func `response that is not HTTP`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.send("220 mail.example ESMTP\r\n"), .hold] }
        let error = try await failure(origin.url())
        #expect(error.reason.malformation?.reason == .statusLine(.notHTTP))
        #expect(error.phase == .head)
        #expect(error.remoteAddress?.port == origin.port)
        #expect(error.wasSent)
        #expect(error.reason.kind == .malformedResponse)
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }
}
