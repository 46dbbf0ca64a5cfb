// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernIO
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// What the metrics say of attempts, on every way out of them.
@Suite(.timeLimit(.minutes(1))) struct AttemptMetricsTests {
    /// Starts a task, and returns it when it waits behind a request that is answered on release.
    private func waiter(
        _ session: Session, _ origin: ScriptedOrigin, _ change: (inout URLRequest) -> Void = { _ in }
    ) async throws -> (SessionTask, RecordingDelegate) {
        session.dataTask(with: try URLRequest(origin, "/first"), delegate: RecordingDelegate()).resume()
        #expect(await origin.waitFor { $0.requestCount == 1 })
        var request = try URLRequest(origin, "/second")
        change(&request)
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: request, delegate: delegate)
        task.resume()
        await session.settle()
        return (task, delegate)
    }

    private func busyOrigin() throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in request.target == "/first" ? [.hold, .ok()] : [.ok()] }
    }

    @Test func `a request that is served from the queue has waited until then`() async throws {
        let origin = try busyOrigin()
        let session = Session.limited()
        let (task, delegate) = try await waiter(session, origin)
        try origin.release()
        #expect(await delegate.end().error == nil)
        let hop = try #require(task.metrics?.hops.last)
        let acquired = try #require(hop.connectionAcquired)
        #expect(hop.queueTime > .zero && hop.queueTime <= hop.start.duration(to: acquired))
        #expect(task.metrics?.queueTime == hop.queueTime)
        #expect(hop.attemptCount == 1)
    }

    @Test func `a request that is cancelled in the queue has waited until then`() async throws {
        let origin = try busyOrigin()
        let session = Session.limited()
        let (task, delegate) = try await waiter(session, origin)
        task.cancel()
        #expect(await delegate.end().error?.reason.isCancellation == true)
        let metrics = try #require(task.metrics)
        #expect(metrics.queueTime > .zero && metrics.connectionAcquired == nil)
        #expect(metrics.hops.map(\.attemptCount) == [1])
    }

    @Test func `a request whose time is up in the queue has waited for that time`() async throws {
        let origin = try busyOrigin()
        let session = Session.limited()
        for timeouts in [Timeouts(queue: .milliseconds(50)), Timeouts(total: .milliseconds(50))] {
            var request = try URLRequest(origin, "/second")
            request.timeouts = timeouts
            if origin.observations.requestCount == 0 {
                session.dataTask(with: try URLRequest(origin, "/first"), delegate: RecordingDelegate()).resume()
                #expect(await origin.waitFor { $0.requestCount == 1 })
            }
            let delegate = RecordingDelegate()
            let task = session.dataTask(with: request, delegate: delegate)
            task.resume()
            #expect(await delegate.end().error?.phase == .pool)
            #expect(try #require(task.metrics).queueTime >= .milliseconds(40))
        }
    }

    @Test func `a request whose session ends has waited until then`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        let session = Session.limited()
        let (task, delegate) = try await waiter(session, origin)
        session.invalidateAndCancel()
        #expect(await delegate.end().error != nil)
        #expect(try #require(task.metrics).queueTime > .zero)
    }

    @Test func `the waits of all attempts of a hop count`() async throws {
        let origin = try ScriptedOrigin { connection, request in
            switch request.target {
            case "/first": [.hold, .ok()]
            case "/second" where connection == 1: [.hold, .reset]
            default: [.ok(request.target)]
            }
        }
        let session = Session.limited()
        let (task, delegate) = try await waiter(session, origin)
        try origin.release()
        #expect(await origin.waitFor { $0.requestCount == 2 })
        try origin.release()
        #expect(await delegate.end().body == Array("/second".utf8))
        let hop = try #require(task.metrics?.hops.last)
        #expect(task.metrics?.hops.count == 1)
        #expect(hop.attemptCount == 2 && hop.repeatCount == 1)
        // The second attempt has a connection opened for it at once.
        #expect(hop.queueTime > .zero)
    }

    /// The standard policy with short waits.
    private static let policy: RetryPolicy = {
        var policy = RetryPolicy.standard
        policy.backOff.base = .milliseconds(2)
        return policy
    }()

    private func increment(_ number: borrowing Lock<Int>) -> Int {
        number.withLock {
            $0 += 1
            return $0
        }
    }

    @Test func `each attempt says what came of it, and why another followed`() async throws {
        let numbers = Lock(0)
        let origin = try ScriptedOrigin { connection, request in
            switch request.target {
            case "/dead" where connection == 1: [.reset]
            case "/moved": [.respond(status: 302, fields: [("Location", "/flaky")], body: "")]
            case "/flaky":
                switch increment(numbers) {
                case 1: [.respond(status: 503, fields: [], body: "")]
                case 2: [.reset]
                default: [.respond(status: 404, fields: [], body: "")]
                }
            case "/never": [.reset]
            default: [.ok()]
            }
        }
        let session = Session.limited { $0.retryPolicy = Self.policy }
        let retry = "connection-lost, retry"
        let expected = [
            ("/", ["200"]), ("/dead", ["connection-lost, repeat", "200"]),
            ("/moved", ["302, redirect", "503, retry", "connection-lost, repeat", "404"]),
            ("/never", ["connection-lost, repeat"] + [retry, retry] + ["connection-lost, no retry: attempts"]),
        ]
        for (path, attempts) in expected {
            numbers.withLock { $0 = 0 }
            let delegate = RecordingDelegate()
            let task = session.dataTask(with: try URLRequest(origin, path), delegate: delegate)
            task.resume()
            _ = await delegate.end()
            let metrics = try #require(task.metrics)
            #expect(metrics.attempts.map(\.description) == attempts)
            #expect(metrics.attempts.count == metrics.hops.reduce(0) { $0 + $1.attemptCount })
            for (attempt, next) in zip(metrics.attempts, metrics.attempts.dropFirst()) {
                let end = try #require(attempt.end)
                #expect(attempt.start <= end && end <= next.start && attempt.wasSent && attempt.connection != nil)
            }
        }
    }

    @Test func `an attempt that had no connection names its proxies`() async throws {
        var request = try URLRequest(ScriptedOrigin { _, _ in [.ok()] })
        request.retryPolicy = Self.policy
        let session = Session.limited { $0.proxySettings = ProxySettings(Proxy(.http, host: "127.0.0.1", port: 1)) }
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: request, delegate: delegate)
        task.resume()
        _ = await delegate.end()
        let attempts = try #require(task.metrics).attempts
        #expect(attempts.count == 3 && attempts.allSatisfy { $0.proxies.count == 1 && !$0.wasSent })
        #expect(attempts.allSatisfy { $0.connection == nil && $0.failure != nil })
    }

    @Test func `a wait for a connection that is being opened is none in the queue`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited()
        for _ in 0..<2 {
            let delegate = RecordingDelegate()
            let task = session.dataTask(with: try URLRequest(origin), delegate: delegate)
            task.resume()
            #expect(await delegate.end().error == nil)
            let metrics = try #require(task.metrics)
            #expect(metrics.queueTime == .zero && metrics.hops.map(\.attemptCount) == [1])
            #expect(metrics.hops.last?.failedConnection == nil)
        }
    }

    @Test func `a wait for the rate is one in the queue, however it ends`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited(to: 4) { $0.rateLimit = RateLimit(requestsPerSecond: 10) }
        let delegates = (0..<4).map { _ in RecordingDelegate() }
        let tasks = try delegates.map { delegate in
            var request = try URLRequest(origin)
            if delegate === delegates[3] { request.timeouts = Timeouts(total: .milliseconds(50)) }
            return session.dataTask(with: request, delegate: delegate)
        }
        for task in tasks { task.resume() }
        await session.settle()
        tasks[2].cancel()
        for delegate in delegates { _ = await delegate.end() }
        let times = try tasks.map { try #require($0.metrics).queueTime }
        #expect(times[0] == .zero)
        #expect(times[1] >= .milliseconds(80))
        #expect(times[2] > .zero)
        #expect(times[3] >= .milliseconds(40))
        #expect(delegates[3].record.error?.reason.limit == .total)
    }

    @Test func `a connection that is refused was resolved, and not established`() async throws {
        var origin: ScriptedOrigin? = try ScriptedOrigin { _, _ in [.ok()] }
        let request = try URLRequest(try #require(origin))
        origin = nil
        let task = try await failed(request)
        let connection = try #require(task.metrics?.hops.last?.failedConnection)
        #expect(connection.phase == .connect && connection.resolved != nil)
        #expect(connection.connected == nil && connection.remoteAddress == nil)
        #expect(task.metrics?.connection == nil && task.metrics?.hops.last?.attemptCount == 1)
    }

    @Test func `a server that is not trusted was connected to`() async throws {
        let origin = try ScriptedOrigin(tls: CertificateAuthority().issue()) { _, _ in [.ok()] }
        let task = try await failed(URLRequest(origin))
        let connection = try #require(task.metrics?.hops.last?.failedConnection)
        #expect(connection.phase == .tls && connection.connected != nil)
        #expect(connection.remoteAddress?.port == origin.port)
        #expect(origin.requests.isEmpty)
    }

    @Test func `a connection that is given up while it is opened is one that failed`() async throws {
        let hole = try BlackHole()
        let session = Session.limited()
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: try URLRequest(string: hole.url), delegate: delegate)
        task.resume()
        await session.settle()
        task.cancel()
        #expect(await delegate.end().error?.reason.isCancellation == true)
        let hop = try #require(task.metrics?.hops.last)
        #expect(hop.failedConnection?.phase == .connect && hop.queueTime == .zero)
    }

    private func failed(_ request: URLRequest) async throws -> SessionTask {
        let (session, delegate) = (Session.limited(), RecordingDelegate())
        let task = session.dataTask(with: request, delegate: delegate)
        task.resume()
        #expect(await delegate.end().error != nil)
        return task
    }
}
