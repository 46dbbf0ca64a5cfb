// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TernTesting
import TestProofs
import Testing

@testable import Tern

@Suite struct DataRequestTests {
    private let manager = SessionManager()

    @Test(.proves("4.4a", "4.16a")) func `a description grows with what is known`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 201)] }
        let manager = SessionManager()
        manager.startRequestsImmediately = false
        let request = manager.request(origin.url("/p?q=1"), method: .put)
        #expect(request.description == "PUT \(origin.url("/p?q=1"))")
        #expect(request.response == nil)
        request.resume()
        _ = await request.serializingData().response
        #expect(request.description == "PUT \(origin.url("/p?q=1")) (201)")
        #expect(request.response?.statusCode == 201)
    }

    @Test(.proves("4.17b")) func `the curl command has the session's fields and no secrets`() throws {
        var configuration = SessionConfiguration.default
        configuration.httpAdditionalHeaders["Authorization"] = "Bearer secret"
        let manager = SessionManager(configuration: configuration)
        manager.startRequestsImmediately = false
        let request = manager.request("http://127.0.0.1:1/")
        #expect(request.debugDescription.hasPrefix("$ curl -v \\\n\t-H \"Accept: */*\""))
        #expect(!request.debugDescription.contains("secret"))
        #expect(manager.request("").debugDescription == "$ curl command could not be created")
    }

    @Test(.proves("4.6a")) func `cancelling ends the request with an error that says so`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        let request = manager.request(origin.url())
        #expect(await origin.waitFor { $0.requestCount == 1 })
        request.cancel()
        let error = await request.serializingData().response.error as? SessionError
        guard case .cancelled? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a released request continues to run`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("hello")] }
        let (texts, continuation) = AsyncStream.makeStream(of: String?.self)
        manager.request(origin.url()).responseString { continuation.yield($0.value) }
        #expect(await texts.first { _ in true } == "hello")
    }

    /// Asks its request for the response when it goes.
    private final class Asker: Sendable {
        let request: DataRequest
        let ends: AsyncStream<Void>.Continuation

        init(_ request: DataRequest, _ ends: AsyncStream<Void>.Continuation) {
            self.request = request
            self.ends = ends
        }

        deinit {
            _ = request.response
            ends.yield()
        }
    }

    enum Closure: CaseIterable {
        case replacedStream, spentStream, validation, handler
    }

    @Test(.timeLimit(.minutes(1)), arguments: Closure.allCases)
    func `what a closure holds may ask the request as it goes`(closure: Closure) async throws {
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        let manager = SessionManager()
        manager.startRequestsImmediately = false
        let request = manager.request("http://127.0.0.1:1/")
        add(closure, holding: { Asker(request, continuation) }, to: request)
        if closure == .replacedStream { request.stream() } else { request.resume() }
        for await _ in ends { break }
    }

    /// Leaves the only reference to the asker with the request.
    private func add(_ closure: Closure, holding asker: () -> Asker, to request: DataRequest) {
        let asker = asker()
        switch closure {
        case .replacedStream, .spentStream: request.stream { _ in _ = asker }
        case .validation:
            request.validate { _, _, _ in
                _ = asker
                return .success
            }
            .response { _ in }
        case .handler: request.response { _ in _ = asker }
        }
    }

    @Test(.proves("5.3a")) func `releasing a request that was never started releases its handlers`() throws {
        final class Held: Sendable {}
        manager.startRequestsImmediately = false
        weak var released: Held?
        do {
            let held = Held()
            released = held
            manager.request("http://127.0.0.1:1/").response { _ in _ = held }.validate { _, _, _ in
                _ = held
                return .success
            }
        }
        #expect(released == nil)
    }

    @Test(.proves("5.3b")) func `a completed request releases its handlers`() async throws {
        final class Held: Sendable {}
        let origin = try ScriptedOrigin { _, _ in [.ok("hello")] }
        weak var released: Held?
        let request: DataRequest
        do {
            let held = Held()
            released = held
            request = manager.request(origin.url()).response { _ in _ = held }
            _ = await request.serializingData().response
        }
        // The second wait follows the handler's; the queue releases the handler a moment later.
        _ = await request.serializingData().response
        let end = ContinuousClock.now + .seconds(5)
        while released != nil, ContinuousClock.now < end { await Task.yield() }
        #expect(released == nil)
    }

    @Test(.proves("14.16a")) func `a body beyond the memory quota is an error, and one that its request has is free`()
        async throws
    {
        let quota = MemoryQuota(limit: 100_000)
        var configuration = SessionConfiguration.default
        configuration.memoryQuota = quota
        let origin = try ScriptedOrigin { _, request in
            [.ok(String(repeating: "x", count: request.target == "/large" ? 100_001 : 100_000))]
        }
        let manager = SessionManager(configuration: configuration)
        for _ in 0..<2 {
            let request = manager.request(origin.url())
            #expect(await request.serializingData().response.data?.count == 100_000)
            #expect(quota.used == 0)
            withExtendedLifetime(request) {}
        }
        let response = await manager.request(origin.url("/large")).serializingData().response
        guard case .transfer(.memoryQuotaExceeded(limit: 100_000))? = (response.error as? SessionError)?.reason else {
            Issue.record("\(String(describing: response.error))")
            return
        }
        #expect(quota.used == 0)
    }

    @Test func `a body beyond the limit is an error, and the connection is closed`() async throws {
        var configuration = SessionConfiguration.default
        configuration.maximumCollectedBodySize = 100_000
        let origin = try ScriptedOrigin { _, _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n"),
                .repeat([UInt8](repeating: 0, count: 50_000), count: 20_000),
            ]
        }
        let manager = SessionManager(configuration: configuration)
        let response = await manager.request(origin.url()).serializingData().response
        guard case .transfer(.bodyTooLarge(limit: 100_000))? = (response.error as? SessionError)?.reason else {
            Issue.record("\(String(describing: response.error))")
            return
        }
        #expect(response.data?.isEmpty == true)
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }
}
