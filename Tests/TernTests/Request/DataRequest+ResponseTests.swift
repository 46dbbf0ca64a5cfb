// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TernLock
import TernTesting
import TestProofs
import Testing

@testable import Tern

@Suite struct DataRequestResponseTests {
    private struct User: Codable, Equatable, Sendable {
        let name: String
    }

    private let manager = SessionManager()

    @Test(.proves("8.2a", "8.7a")) func `every kind of handler gets the same response in its own terms`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok(#"{"name":"Ada"}"#)] }
        let (results, continuation) = AsyncStream.makeStream(of: String.self)
        manager.request(origin.url())
            .response { continuation.yield("\($0.data?.count ?? -1) \($0.response?.statusCode ?? -1)") }
            .responseData { continuation.yield("\($0.value?.count ?? -1)") }
            .responseString { continuation.yield($0.value ?? "none") }
            .responseJSON { continuation.yield("\(($0.value as? [String: Any])?["name"] ?? "none")") }
            .responseDecodable(of: User.self) { continuation.yield($0.value?.name ?? "none") }
            .responseDecodable { (response: DataResponse<User>) in
                continuation.yield(response.value?.name ?? "none")
                continuation.finish()
            }
        let seen = await results.reduce(into: []) { $0.append($1) }
        #expect(seen == ["14 200", "14", #"{"name":"Ada"}"#, "Ada", "Ada", "Ada"])
    }

    @Test(.proves("5.1b", "8.7a")) func `handlers run in the order they were added, late ones too, each once`()
        async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.hold, .ok("body")] }
        let (numbers, continuation) = AsyncStream.makeStream(of: Int.self)
        let request = manager.request(origin.url())
        for number in 0..<50 { request.response { _ in continuation.yield(number) } }
        request.response { _ in
            for number in 50..<100 { request.response { _ in continuation.yield(number) } }
            request.response { _ in continuation.finish() }
        }
        #expect(await origin.waitFor { $0.requestCount == 1 })
        try origin.release()
        #expect(await numbers.reduce(into: []) { $0.append($1) } == Array(0..<100))
    }

    @Test(.proves("11.4c")) func `handlers added from many threads around completion each run once`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("body")] }
        for _ in 0..<20 {
            let (numbers, continuation) = AsyncStream.makeStream(of: Int.self)
            let request = manager.request(origin.url())
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        request.response { _ in continuation.yield(number) }
                        _ = await request.serializingData().response
                    }
                }
            }
            _ = await request.serializingData().response
            request.response { _ in continuation.finish() }
            #expect(await numbers.reduce(into: []) { $0.append($1) }.sorted() == Array(0..<8))
        }
    }

    @Test(.proves("5.2a", "11.5a", "12.3a")) func `no handler runs before the response is complete`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbo"), .hold, .send("dy")]
        }
        let hasRun = Lock(false)
        let request = manager.request(origin.url()).response { _ in hasRun.withLock { $0 = true } }
        #expect(await origin.waitFor { $0.bytesSent > 0 })
        #expect(hasRun.withLock { $0 } == false)
        try origin.release()
        #expect(try await request.serializingString().value == "body")
        #expect(hasRun.withLock { $0 })
    }

    @Test(.proves("8.6a", "8.6b", "8.7b", "11.5c")) func `a handler runs on the queue it names`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("[1]")] }
        let key = DispatchSpecificKey<Int>()
        let mine = DispatchQueue(label: "mine")
        let theirs = DispatchQueue(label: "theirs")
        mine.setSpecific(key: key, value: 1)
        theirs.setSpecific(key: key, value: 2)
        let (marks, continuation) = AsyncStream.makeStream(of: Int?.self)
        let manager = SessionManager(callbackQueue: mine)
        manager.request(origin.url())
            .response { _ in continuation.yield(DispatchQueue.getSpecific(key: key)) }
            .responseData { _ in continuation.yield(DispatchQueue.getSpecific(key: key)) }
        var iterator = marks.makeAsyncIterator()
        #expect(await iterator.next() == 1)
        #expect(await iterator.next() == 1)
        manager.request(origin.url()).response(queue: theirs) { _ in
            continuation.yield(DispatchQueue.getSpecific(key: key))
        }
        #expect(await iterator.next() == 2)
        manager.request(origin.url()).responseJSON(queue: theirs) { _ in
            continuation.yield(DispatchQueue.getSpecific(key: key))
        }
        #expect(await iterator.next() == 2)
    }

    @Test(.proves("2.11b", "4.4c", "4.6d", "5.2b", "8.2a", "11.7a"))
    func `handlers receive the error of what cannot be requested, and nothing is thrown`() async throws {
        let (errors, continuation) = AsyncStream.makeStream(of: (any Error)?.self)
        let request = manager.request("not a url").responseData { continuation.yield($0.error) }
        #expect(request.task == nil)
        #expect(request.request == nil)
        #expect((try #require(await errors.first { _ in true }) as? AFError)?.isInvalidURLError == true)
        request.cancel()
        request.suspend()
        request.response { continuation.yield($0.error) }
        #expect((try #require(await errors.first { _ in true }) as? AFError)?.isInvalidURLError == true)
    }

    @Test(.proves("2.11c", "4.4b", "11.7a"))
    func `handlers receive the error of what cannot be encoded, with the request as far as it got`() async throws {
        let response = await manager.request(
            "http://127.0.0.1:1/", method: .post, parameters: ["a": Date()], encoding: JSONEncoding.default
        ).serializingData().response
        #expect((response.error as? AFError)?.isParameterEncodingError == true)
        #expect(response.request?.httpMethod == "POST")
        #expect(response.metrics == nil)
    }

    @Test func `handlers receive the engine's error of a URL that it does not support`() async throws {
        let error = await manager.request("ftp://example.com/").serializingData().response.error as? SessionError
        guard case .request(.invalid(.unsupportedScheme("ftp")))? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(.proves("3.16b")) func `a response carries its metrics`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("body")] }
        let first = await manager.request(origin.url()).serializingData().response
        #expect(first.metrics?.isConnectionReused == false)
        #expect(first.metrics?.end != nil)
        #expect(first.metrics?.connection != nil)
    }

    @Test func `a truncated body is an error, and what came of it is there`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .close] }
        let response = await manager.request(origin.url(), method: .post).serializingString().response
        guard case .transfer(.connectionLost)? = (response.error as? SessionError)?.reason else {
            Issue.record("\(String(describing: response.error))")
            return
        }
        #expect(response.data == Data("half".utf8))
        #expect(response.response?.statusCode == 200)
    }
}

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
