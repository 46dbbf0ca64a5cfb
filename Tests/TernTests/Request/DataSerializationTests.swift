// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TernTesting
import Testing

@testable import Tern

@Suite struct DataSerializationTests {
    private struct User: Codable, Equatable, Sendable {
        let name: String
    }

    private let manager = SessionManager()

    @Test func `a request can be awaited in any form, more than once`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok(#"{"name":"Ada"}"#)] }
        let request = manager.request(origin.url()).validate()
        #expect(try await request.serializingData().value == Data(#"{"name":"Ada"}"#.utf8))
        #expect(try await request.serializingString().value == #"{"name":"Ada"}"#)
        #expect(try await request.serializingDecodable(User.self).value == User(name: "Ada"))
        let user: User = try await request.serializingDecodable().value
        #expect(user.name == "Ada")
        #expect(await request.serializingString().response.response?.statusCode == 200)
        #expect(await request.serializingString().result.isSuccess)
        #expect(origin.requests.count == 1)
    }

    @Test func `the value throws what went wrong`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 503)] }
        let request = manager.request(origin.url()).validate()
        let error = await #expect(throws: AFError.self) { try await request.serializingString().value }
        #expect(error?.responseCode == 503)
    }

    @Test func `cancelling the Swift task cancels the request and closes the connection`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        let request = manager.request(origin.url())
        let task = Task { await request.serializingData().response }
        #expect(await origin.waitFor { $0.requestCount == 1 })
        task.cancel()
        guard case .cancelled? = (await task.value.error as? SessionError)?.reason else {
            Issue.record("not cancelled")
            return
        }
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test func `a Swift task that is cancelled before it waits does not wait`() async throws {
        manager.startRequestsImmediately = false
        for url in ["http://127.0.0.1:1/", "no url"] {
            let request = manager.request(url)
            let error = await withTaskGroup(of: (any Error)?.self) { group in
                group.cancelAll()
                group.addTask { await request.serializingData().response.error }
                return await group.next() ?? nil
            }
            #expect(error != nil)
        }
    }

    @Test func `an awaiting task is served in order with the handlers`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold, .ok("body")] }
        let (words, continuation) = AsyncStream.makeStream(of: String.self)
        let request = manager.request(origin.url()).response { _ in continuation.yield("handler") }
        #expect(await origin.waitFor { $0.requestCount == 1 })
        try origin.release()
        _ = await request.serializingData().response
        continuation.yield("awaited")
        request.response { _ in
            continuation.yield("late handler")
            continuation.finish()
        }
        #expect(await words.reduce(into: []) { $0.append($1) } == ["handler", "awaited", "late handler"])
    }

    @Test func `an awaiting task that prefers a reactor runs beside its socket`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("body")] }
        let executor = try #require(manager.session.executors.first)
        let manager = manager
        let text = try await Task(executorPreference: executor) {
            try await manager.request(origin.url()).validate().serializingString().value
        }.value
        #expect(text == "body")
    }

    @Test @MainActor func `serializing leaves the main actor alone`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("body")] }
        let serializer = DataResponseSerializer { _, _, _, _ in .success(Thread.isMainThread) }
        let wasOnMain = try await manager.request(origin.url()).serializingResponse(using: serializer).value
        #expect(wasOnMain == false)
    }
}
