// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Servers that close idle connections without a word, and the requests that must not be lost with them.
@Suite(.timeLimit(.minutes(5))) struct LostPostTests {
    /// A session with one connection, from which a server has taken a connection away: while it was idle, or with a
    /// POST on it.
    private struct Taught {
        let origin: ScriptedOrigin
        let session: Session
        /// No connection was idle before.
        let start: ContinuousClock.Instant

        /// Lets the connection be idle for longer than any was.
        func idle() async throws {
            try await Task.sleep(for: start.duration(to: ContinuousClock().now) + .milliseconds(1))
        }

        /// Sends a request, and returns the number of its connection.
        func send(
            _ method: String, key: String? = nil, _ policy: RetryPolicy? = nil, isReadOnce: Bool = false
        ) async throws -> Int {
            var request = try URLRequest(origin, method: method, body: method == "GET" ? nil : Data("x".utf8))
            if isReadOnce { request.body = .once(ProbingSource([Data("x".utf8)]), length: 1) }
            request.headers["Idempotency-Key"] = key
            request.retryPolicy = policy
            _ = try await session.data(for: request)
            return try #require(origin.requests.last).connection
        }
    }

    /// - Parameter byLoss: whether the server closes when the second request comes, or before it.
    private static func teach(byLoss: Bool, isSecure: Bool = false) async throws -> Taught {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { connection, request in
            if connection > 1 { return [.ok()] }
            return byLoss ? (request.index == 0 ? [.ok()] : [.close]) : [.ok(), .hold, .close]
        }
        let session = try Session.trusting(authority)
        let start = ContinuousClock().now
        let post = try URLRequest(origin, method: "POST", body: Data("x".utf8))
        _ = try await session.data(for: post)
        if byLoss {
            #expect(await session.failure(of: post)?.reason.isConnectionLoss == true)
        } else {
            try origin.release()
            #expect(await eventually { session.connectionGauges.idle == 0 })
        }
        return Taught(origin: origin, session: session, start: start)
    }

    @Test(arguments: [false, true], [false, true])
    func `a POST takes a new connection where one as old was closed`(byLoss: Bool, isSecure: Bool) async throws {
        let taught = try await Self.teach(byLoss: byLoss, isSecure: isSecure)
        for connection in 2...4 {
            #expect(try await taught.send("POST") == connection)
            try await taught.idle()
        }
    }

    @Test func `a request that may arrive twice takes the old one, and shows how long that lives`() async throws {
        let taught = try await Self.teach(byLoss: true)
        #expect(try await taught.send("POST") == 2)
        for method in ["GET", "PUT", "DELETE"] {
            try await taught.idle()
            #expect(try await taught.send(method) == 2)
        }
        try await taught.idle()
        #expect(try await taught.send("POST", key: "1") == 2)
        try await taught.idle()
        var policy = RetryPolicy.lostConnections
        policy.requests = .all
        #expect(try await taught.send("POST", policy) == 2)
        // Each has raised the limit to the age of its connection, which is not enough for one that is older.
        try await taught.idle()
        #expect(try await taught.send("POST") == 3)
    }

    @Test(arguments: [("PUT", nil), ("POST", "1")] as [(String, String?)])
    func `content that can be read once is not sent on a connection that may be dying`(
        method: String, key: String?
    ) async throws {
        let taught = try await Self.teach(byLoss: true)
        for connection in 2...4 {
            #expect(try await taught.send(method, key: key, isReadOnce: true) == connection)
            try await taught.idle()
        }
    }

    @Test func `a connection that lives much longer is proof enough for younger ones`() async throws {
        let taught = try await Self.teach(byLoss: true)
        _ = try await taught.send("POST")
        // The limit is a second at least; posts that follow each other at once are far below.
        try await Task.sleep(for: .seconds(1))
        let connection = try await taught.send("GET")
        var isReused = false
        for _ in 0..<20 where !isReused { isReused = try await taught.send("POST") == connection }
        #expect(isReused)
    }

    @Test func `a server that was restarted is trusted again soon`() async throws {
        let origin = try ScriptedOrigin { connection, _ in connection <= 4 ? [.hold, .ok(), .hold, .close] : [.ok()] }
        let session = Session.limited(to: 4)
        let delegates = (0..<4).map { _ in RecordingDelegate() }
        for delegate in delegates { session.dataTask(with: try URLRequest(origin), delegate: delegate).resume() }
        #expect(await origin.waitFor { $0.requestCount == 4 })
        try origin.release()
        for delegate in delegates { #expect(await delegate.end().error == nil) }
        try origin.release()
        #expect(await eventually { session.connectionGauges.idle == 0 })
        // Those that POSTs pass over live longer than what the restart has taught: how long it took the origin to close.
        let end = ContinuousClock.now + .seconds(10)
        var connections: [Int] = []
        while Set(connections.suffix(20)).count > 1 || connections.count < 20, .now < end {
            _ = try await session.data(for: URLRequest(origin, method: "POST", body: Data("x".utf8)))
            connections.append(try #require(origin.requests.last).connection)
        }
        #expect(Set(connections.suffix(20)).count == 1, "\(connections.suffix(200))")
    }

    @Test func `what was learnt outlives the pool, which is empty after a close`() async throws {
        let origins = try (0..<3).map { _ in
            try ScriptedOrigin { connection, _ in connection == 1 ? [.ok(), .hold, .close] : [.ok()] }
        }
        let session = Session.limited()
        let clock = ContinuousClock()
        let start = clock.now
        for origin in origins {
            _ = try await session.data(for: URLRequest(origin))
            try origin.release()
            #expect(await eventually { session.connectionGauges.idle == 0 })
        }
        let time = start.duration(to: clock.now)
        for connection in 2...3 {
            for origin in origins {
                _ = try await session.data(for: URLRequest(origin, method: "POST", body: Data("x".utf8)))
                #expect(origin.requests.last?.connection == connection)
            }
            try await Task.sleep(for: time + .milliseconds(1))
        }
    }

    @Test func `POSTs that wait use new connections where each is closed after its answer`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok(), .close] }
        let session = Session.limited(to: 2)
        let losses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<200 {
                let request = try URLRequest(origin, method: "POST", body: Data("x".utf8))
                group.addTask { await session.failure(of: request) == nil ? 0 : 1 }
            }
            return try await group.reduce(0, +)
        }
        // Each of the connections may teach it.
        #expect(losses <= 4)
        #expect(origin.observations.requestCount >= 196)
    }
}
