// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernHTTP1
import TernTesting
import Testing

@testable import TernEngine
@testable import TernIO

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
