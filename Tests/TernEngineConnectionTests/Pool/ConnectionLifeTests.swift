// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernIO
import TernSystem
import TernTesting
import TestProofs
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// How many connections there are, how long they live, and what opens and closes them.
@Suite(.timeLimit(.minutes(5))) struct ConnectionLifeTests {
    @Test func `a connection carries no more requests than the limit says`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited { $0.maximumRequestsPerConnection = 3 }
        for _ in 0..<7 { _ = try await session.data(for: URLRequest(origin)) }
        #expect(origin.connectionCount == 3)
        #expect(await origin.waitFor { $0.openConnections == 1 })
    }

    @Test(arguments: [("max=5", 1), ("max=2", 1), ("max=1", 3), ("max=0", 3), ("timeout=9, max=1", 3), ("max=x", 1)])
    func `a server's own maximum is kept to, less one`(keepAlive: String, connectionCount: Int) async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(fields: [("Keep-Alive", keepAlive)])] }
        let session = Session.limited()
        for _ in 0..<3 { _ = try await session.data(for: URLRequest(origin)) }
        #expect(origin.connectionCount == connectionCount)
    }

    @Test func `an old connection finishes its exchange, and carries no other`() async throws {
        let origin = try ScriptedOrigin { connection, _ in connection == 1 ? [.hold, .ok("old")] : [.ok("new")] }
        let session = Session.limited { $0.maximumConnectionAge = .milliseconds(50) }
        async let first = session.text(URLRequest(origin))
        #expect(await origin.waitFor { $0.requestCount == 1 })
        try await Task.sleep(for: .milliseconds(60))
        try origin.release()
        #expect(try await first == "old")
        #expect(try await session.text(URLRequest(origin)) == "new")
        // An idle one closes when it is old enough, before the idle time is over.
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test func `no more idle connections are kept than the limits say`() async throws {
        let origins = try (0..<2).map { _ in try ScriptedOrigin { _, _ in [.hold, .ok()] } }
        let session = Session.limited(to: 4) {
            $0.maximumIdleConnectionsPerHost = 2
            $0.maximumIdleConnections = 3
        }
        for origin in origins {
            let delegates = (0..<4).map { _ in RecordingDelegate() }
            for delegate in delegates { session.dataTask(with: try URLRequest(origin), delegate: delegate).resume() }
            #expect(await origin.waitFor { $0.requestCount == 4 })
            try origin.release()
            for delegate in delegates { #expect(await delegate.end().error == nil) }
        }
        // The one that has been idle longest goes, whatever its route.
        #expect(await origins[0].waitFor { $0.openConnections == 1 })
        #expect(await origins[1].waitFor { $0.openConnections == 2 })
        #expect(session.connectionGauges.routes.map(\.idle).sorted() == [1, 2])
    }

    @Test(.proves("14.12a"), arguments: [1, 2])
    func `a server that redirects to many hosts leaves as many idle connections as may be`(reactors: Int) async throws {
        let origin = try ScriptedOrigin { _, request in
            let number = Int(request.target.dropFirst()) ?? 0
            let port = request.value(of: "Host")?.split(separator: ":").last ?? ""
            return [number % 20 == 19 ? .ok() : .redirect(to: "http://host\(number + 1).test:\(port)/\(number + 1)")]
        }
        let session = Session.limited(to: 100) {
            ($0.reactorCount, $0.maximumIdleConnections) = (reactors, 8)
            $0.resolver = ClosureResolver { _, _ in IPAddress(literal: "127.0.0.1").map { [$0] } ?? [] }
        }
        func request(_ number: Int) throws -> URLRequest {
            try URLRequest(string: "http://host\(number).test:\(origin.port)/\(number)")
        }
        for number in 0..<5 { _ = try await session.data(for: request(20 * number)) }
        #expect(origin.connectionCount == 100)
        #expect(await origin.waitFor { $0.openConnections <= 8 })
        #expect(session.connectionGauges.idle > 0 && session.connectionGauges.idle <= 8)
        // Those that were used last are kept, by the reactor that has used them.
        _ = try await session.data(for: request(99))
        #expect(reactors > 1 || origin.connectionCount == 100)
    }

    @Test func `by default a session keeps a quarter of the descriptors as idle connections, or all of a host`() {
        func limits(_ limit: Int?, perHost: Int = 6, shards: Int) -> [Int] {
            IdleConnections.limits(limit, connectionsPerHost: perHost, shardCount: shards)
        }
        #expect(limits(nil, shards: 3).reduce(0, +) == max(6, Descriptor.limit / 4))
        #expect(limits(nil, perHost: 1 << 40, shards: 2) == [1 << 39, 1 << 39])
        #expect(limits(5, shards: 2) == [3, 2])
        #expect(limits(-1, shards: 2) == [0, 0])
    }

    @Test func `connections are there before the first request`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold, .ok()] }
        let session = Session.limited(to: 4) { $0.reactorCount = 2 }
        #expect(try await session.prepare(for: URLRequest(origin), count: 3) == 3)
        #expect(await eventually { session.connectionGauges.idle == 3 })
        #expect(session.connectionGauges.routes.first?.origin.port == origin.port)
        // Those that are there count.
        #expect(try await session.prepare(for: URLRequest(origin), count: 3) == 3)
        // There may be no more.
        #expect(try await session.prepare(for: URLRequest(origin), count: 9) == 4)
        #expect(await origin.waitFor { $0.connectionCount == 4 })
        #expect(origin.observations.requestCount == 0)
        let delegates = (0..<4).map { _ in RecordingDelegate() }
        for delegate in delegates { session.dataTask(with: try URLRequest(origin), delegate: delegate).resume() }
        #expect(await origin.waitFor { $0.requestCount == 4 })
        #expect(session.connectionGauges.leased == 4)
        try origin.release()
        for delegate in delegates { #expect(await delegate.end().error == nil) }
        #expect(origin.connectionCount == 4)
    }

    @Test func `connections that cannot be prepared say why`() async throws {
        let session = Session.limited { $0.egressPolicy = .publicInternet }
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: authority.issue()) { _, _ in [] }
        let cases: [(Session, String, String)] = [
            (session, origin.url(), "egress"), (.limited(), origin.url(), "certificate"),
            (.limited(), "http://127.0.0.1:1/", "refused"), (.limited(), "ftp://localhost/", "scheme"),
        ]
        for (session, url, words) in cases {
            let request = URLRequest(url: try #require(URL(string: url)))
            do throws(SessionError) {
                _ = try await session.prepare(for: request, count: 2)
                Issue.record("\(url) was prepared")
            } catch {
                #expect("\(error)".lowercased().contains(words), "\(error)")
            }
        }
        let invalidated = Session.limited()
        invalidated.invalidateAndCancel()
        await #expect(throws: SessionError.self) { try await invalidated.prepare(for: URLRequest(origin)) }
    }

    @Test func `preparing ends with its task, and with its session`() async throws {
        let hole = try BlackHole()
        let request = URLRequest(url: try #require(URL(string: hole.url)))
        let session = Session.limited(to: 4)
        let preparing = Task { try await session.prepare(for: request, count: 2) }
        #expect(await eventually { session.connectionGauges.opening == 2 })
        preparing.cancel()
        guard case .failure(let error as SessionError) = await preparing.result else { return #expect(Bool(false)) }
        #expect(error.reason.isCancellation)
        let ending = Task { try await session.prepare(for: request, count: 3) }
        #expect(await eventually { session.connectionGauges.opening == 3 })
        session.invalidateAndCancel()
        guard case .failure = await ending.result else { return #expect(Bool(false)) }
    }

    @Test func `the gauges tell of changes`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold, .ok()] }
        let holder = SessionHolder(.limited())
        var changes = try #require(holder.session).connectionGauges(every: .milliseconds(1)).makeAsyncIterator()
        #expect(await changes.next()?.routes == [])
        let delegates = [RecordingDelegate(), RecordingDelegate()]
        for delegate in delegates {
            holder.session?.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
        }
        var gauges = await changes.next()
        while let now = gauges, now.leased == 0 || now.waiting == 0 { gauges = await changes.next() }
        #expect(gauges?.open == 1)
        #expect(await origin.waitFor { $0.requestCount == 1 })
        try origin.release()
        #expect(await origin.waitFor { $0.requestCount == 2 })
        try origin.release()
        for delegate in delegates { _ = await delegate.end() }
        while let now = gauges, now.idle == 0 { gauges = await changes.next() }
        holder.drop()
        while await changes.next() != nil {}
    }

    @Test func `the gauges tell of changes every ten milliseconds at most, whatever the interval`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited()
        var changes = session.connectionGauges(every: .zero).makeAsyncIterator()
        _ = await changes.next()
        _ = try await session.text(URLRequest(origin))
        let start = ContinuousClock.now
        #expect(await changes.next()?.idle == 1)
        #expect(ContinuousClock.now - start >= .milliseconds(10))
    }

    @Test func `an overloaded server gets half as many connections, and more again when it answers`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/fine" ? [.ok()] : [.hold, .respond(status: request.target == "/busy" ? 503 : 200)]
        }
        let session = Session.limited(to: 8) { $0.httpMinimumConnectionsPerHost = 2 }
        /// Sends eight requests, and returns how many of them the server has at once.
        func countAtOnce(_ path: String) async throws -> Int {
            let delegates = (0..<8).map { _ in RecordingDelegate() }
            let before = origin.observations.requestCount
            for delegate in delegates {
                session.dataTask(with: try URLRequest(origin, path), delegate: delegate).resume()
            }
            #expect(
                await eventually {
                    let gauges = session.connectionGauges
                    return gauges.opening == 0 && gauges.leased + gauges.waiting == 8
                })
            let count = session.connectionGauges.leased
            while origin.observations.requestCount < before + 8 || session.connectionGauges.leased > 0 {
                try origin.release()
                await Task.yield()
            }
            for delegate in delegates { #expect(await delegate.end().error == nil) }
            return count
        }
        #expect(try await countAtOnce("/busy") == 8)
        #expect(try await countAtOnce("/slow") == 4)
        // Every answer of eight at a limit of four raised it a little.
        #expect(try await countAtOnce("/slow") > 4)
        for _ in 0..<8 { _ = try await countAtOnce("/busy") }
        #expect(try await countAtOnce("/slow") == 2)
    }
}
