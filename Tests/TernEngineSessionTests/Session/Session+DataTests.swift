// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct SessionDataTests {
    @Test func `gives body and head`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.respond(status: 404, reason: "Not Found", fields: [("X-One", "1")], body: "no such thing")]
        }
        let session = Session.limited()
        let (data, response) = try await session.data(for: URLRequest(origin, "/a?b=c"))
        #expect(String(decoding: data, as: UTF8.self) == "no such thing")
        #expect(response.statusCode == 404)
        #expect(response.value(forHTTPHeaderField: "x-one") == "1")
        #expect(response.url?.absoluteString == origin.url("/a?b=c"))
    }

    @Test func `gives the body of a URL`() async throws {
        let origin = try ScriptedOrigin { _, request in [.ok(request.method + request.target)] }
        let (data, _) = try await Session.limited().data(from: try #require(URL(string: origin.url("/x"))))
        #expect(String(decoding: data, as: UTF8.self) == "GET/x")
    }

    @Test func `throws at once in a Swift task that is cancelled already`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited()
        let request = try URLRequest(origin)
        for _ in 0..<100 {
            let error = await cancelled { await session.failure(of: request) }
            #expect(error?.reason.isCancellation == true)
            #expect(error?.wasSent == false)
        }
        #expect(origin.connectionCount == 0)
    }

    @Test func `throws from a stream in a Swift task that is cancelled already`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited()
        let request = try URLRequest(origin)
        for _ in 0..<100 {
            let error = await cancelled { () async -> SessionError? in
                do throws(SessionError) {
                    _ = try await session.bytes(for: request)
                    return nil
                } catch {
                    return error
                }
            }
            #expect(error?.reason.isCancellation == true)
        }
        #expect(origin.connectionCount == 0)
    }

    @Test func `ends exactly once when cancellation and start race`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("answer")] }
        let session = Session.limited(to: 4)
        let request = try URLRequest(origin)
        for round in 0..<500 {
            let fetch = Task { try await session.text(request) }
            for _ in 0..<(round % 20) { await Task.yield() }
            fetch.cancel()
            switch await fetch.result {
            case .success(let text): #expect(text == "answer")
            case .failure(let error): #expect((error as? SessionError)?.reason.isCancellation == true)
            }
        }
        #expect(try await session.text(request) == "answer")
    }

    /// Runs `body` in a Swift task that is cancelled before it begins.
    private func cancelled(_ body: @escaping @Sendable () async -> SessionError?) async -> SessionError? {
        await withTaskGroup(of: SessionError?.self) { group in
            group.cancelAll()
            group.addTask { await body() }
            return await group.next() ?? nil
        }
    }
}
