// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TernEngine
import TernLock
import TernTesting
import TestProofs
import Testing

@testable import Tern

/// A request that starts by itself is sent with its first handler: everything that is chained before counts.
@Suite(.timeLimit(.minutes(5))) struct StatementTests {
    private let manager = SessionManager()

    /// Lets a request without a handler wait for so long that the test sees it.
    private func bePatient() { manager.delegate.registry.patience.store(600_000, ordering: .relaxed) }

    private static func login() throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in
            if request.target == "/plain" { return [.respond(status: 404, body: "none")] }
            let isIn = request.value(of: "Authorization") == "Basic bWU6bWluZQ=="
            return [isIn ? .ok("in") : .respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=r")])]
        }
    }

    @Test(.proves("2.7c"), arguments: [1, 8])
    func `a password and a validation count in every one of thousands of statements`(threadCount: Int) async throws {
        let origin = try Self.login()
        let (url, plain) = (origin.url("/in"), origin.url("/plain"))
        // It keeps no password, so that each request needs its own.
        var configuration = SessionConfiguration()
        configuration.urlCredentialStorage = nil
        configuration.httpMaximumConnectionsPerHost = threadCount
        let manager = SessionManager(configuration: configuration)
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<threadCount {
                group.addTask {
                    var lost = 0
                    for number in 0..<Rounds.of(2000) / threadCount {
                        let isPlain = number % 4 == 0
                        let answer = await withCheckedContinuation { continuation in
                            if isPlain {
                                manager.request(plain).validate().responseString { continuation.resume(returning: $0) }
                            } else {
                                manager.request(url).authenticate(user: "me", password: "mine").validate()
                                    .responseString { continuation.resume(returning: $0) }
                            }
                        }
                        if isPlain ? answer.error == nil : answer.value != "in" { lost += 1 }
                    }
                    return lost
                }
            }
            for await lost in group { #expect(lost == 0) }
        }
    }

    @Test(.proves("2.7e")) func `nothing is sent before the first handler, the first await or a resume`() async throws {
        bePatient()
        let origin = try ScriptedOrigin { _, request in [.ok(request.target)] }
        let requests = (0..<3).map { manager.request(origin.url("/\($0)")) }
        for _ in 0..<20 { _ = try await manager.request(origin.url("/other")).serializingData().value }
        #expect(origin.requests.allSatisfy { $0.target == "/other" })
        requests[0].resume()
        #expect(await origin.waitFor { $0.requests.last?.target == "/0" })
        requests[1].responseString { _ in }
        #expect(await origin.waitFor { $0.requests.last?.target == "/1" })
        #expect(try await requests[2].serializingString().value == "/2")
        #expect(try await requests[0].serializingString().value == "/0")
        #expect(origin.requests.count == 23)
    }

    @Test(.proves("2.7d")) func `it counts as resumed from the call on`() async throws {
        bePatient()
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let resumed = Lock<[ObjectIdentifier]>([])
        let observer = NotificationCenter.default.addObserver(
            forName: Notification.Name.Task.DidResume, object: nil, queue: nil
        ) { note in
            guard let request = note.object as? Request else { return }
            resumed.withLock { $0.append(ObjectIdentifier(request)) }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        let request = manager.request(origin.url())
        #expect(request.task?.state == .running && manager.delegate.registry.all.contains { $0 === request })
        #expect(resumed.withLock { $0 }.contains(ObjectIdentifier(request)))
        #expect(await request.serializingData().response.error == nil)
        #expect(resumed.withLock { $0 }.count { $0 == ObjectIdentifier(request) } == 1)
    }

    @Test(.proves("2.7f")) func `without a handler it is sent all the same`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        manager.request(origin.url("/released"))
        let kept = manager.request(origin.url("/kept"))
        manager.upload(Data("x".utf8), to: origin.url("/upload"))
        manager.download(origin.url("/download"))
        #expect(await origin.waitFor { $0.requestCount == 4 })
        #expect(await kept.serializingData().response.error == nil)
    }

    @Test(.proves("2.7f"), arguments: [false, true])
    func `a statement that is split over time or over threads has its response`(byThread: Bool) async throws {
        let origin = try Self.login()
        let request = manager.request(origin.url("/in"))
        // It was sent before the password was there.
        #expect(await origin.waitFor { $0.requestCount == 1 })
        let answer = await withCheckedContinuation { continuation in
            let rest: @Sendable () -> Void = {
                request.validate().responseString { continuation.resume(returning: $0) }
            }
            if byThread { Thread.detachNewThread(rest) } else { rest() }
        }
        #expect(answer.response?.statusCode == 401 && origin.requests.count == 1)
    }

    @Test(.proves("2.7g"), arguments: [false, true])
    func `a retrier is asked about a validation that comes behind the end`(isAwaited: Bool) async throws {
        let origin = try ScriptedOrigin { _, request in
            [.respond(status: request.index == 0 ? 503 : 200, body: "\(request.index)")]
        }
        manager.retrier = RetryPolicy(retryLimit: 1, exponentialBackoffScale: 0.01)
        var request: DataRequest? = manager.request(origin.url())
        let delegate = try #require(request).delegate
        weak let released = request
        #expect(await eventually { delegate.start.load(ordering: .relaxed) == .ended })
        var answer: DataResponse<String>?
        if isAwaited {
            answer = await request?.validate().serializingString().response
        } else {
            answer = await withCheckedContinuation { continuation in
                _ = request?.validate().responseString { continuation.resume(returning: $0) }
            }
        }
        #expect(answer?.value == "1" && request?.retryCount == 1 && origin.requests.count == 2)
        request = nil
        #expect(await eventually { released == nil })
        #expect(manager.delegate.registry.all.isEmpty)
    }

    @Test func `one that is cancelled before it is sent ends, and sends nothing`() async throws {
        bePatient()
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let request = manager.request(origin.url())
        request.cancel()
        #expect((await request.serializingData().response.error as? SessionError)?.reason.kind == .cancelled)
        #expect(origin.requests.isEmpty)
    }

    @Test func `one that waits ends with its manager, and with its session`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        var manager: SessionManager? = SessionManager()
        manager?.delegate.registry.patience.store(600_000, ordering: .relaxed)
        let first = try #require(manager?.request(origin.url()))
        manager = nil
        #expect((await first.serializingData().response.error as? SessionError)?.reason.kind == .sessionInvalidated)
        let other = SessionManager()
        let second = other.request(origin.url())
        other.session.invalidateAndCancel()
        #expect(await second.serializingData().response.error != nil)
        #expect(origin.requests.isEmpty)
    }
}
