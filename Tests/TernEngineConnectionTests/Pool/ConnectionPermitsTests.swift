// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Synchronization
import TernHTTP1
import TernLock
import TernTesting
import TestProofs
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct ConnectionPermitsTests {
    @Test func `keep to both limits, and serve every request, whatever order things happen in`() throws {
        for seed in 1...UInt64(Rounds.of(30)) {
            var generator = SeededGenerator(seed: seed)
            let perRoute = Int.random(in: 1...4, using: &generator)
            let total = Bool.random(using: &generator) ? Int.random(in: 1...6, using: &generator) : nil
            let pools = PoolsModel(
                perRoute: perRoute, total: total, routes: Int.random(in: 1...5, using: &generator),
                reactors: Int.random(in: 1...3, using: &generator))
            for _ in 0..<400 { pools.step(using: &generator) }
            pools.finish(using: &generator)
            #expect(pools.complaints == [], "seed \(seed), \(perRoute) per route, \(total ?? 0) in total")
        }
    }

    @Test(arguments: [1: PermitHolder.quantum, 2: 1, 8: 1])
    func `give a quiet route one within a few services of a busy one`(total: Int, services: Int) {
        let pools = PoolsModel(perRoute: 16, total: total, routes: 2, reactors: 1)
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<1000 { pools.ask(0) }
        pools.deliver(using: &generator)
        pools.ask(1)
        for _ in 0..<services where pools.waiting(1) > 0 {
            pools.finishAll(using: &generator)
            pools.deliver(using: &generator)
        }
        #expect(pools.waiting(1) == 0)
        #expect(pools.complaints == [])
    }

    @Test func `pass over a route whose requests have left`() {
        let pools = PoolsModel(perRoute: 4, total: 1, routes: 3, reactors: 1)
        var generator = SeededGenerator(seed: 1)
        for route in 0..<3 { pools.ask(route) }
        pools.leave(1)
        pools.deliver(using: &generator)
        pools.finishAll(using: &generator)
        #expect(pools.called == [2])
        pools.deliver(using: &generator)
        #expect(pools.busy(2) == 1)
    }

    @Test func `bring the reactors of one route to equal shares, and then leave them alone`() {
        let pools = PoolsModel(perRoute: 7, total: nil, routes: 1, reactors: 2)
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<1000 { pools.ask(0) }
        pools.deliver(using: &generator)
        #expect(pools.busy(0) == 7)
        for _ in 0..<1000 { pools.ask(1) }
        for _ in 0..<8 {
            pools.finishAll(using: &generator)
            pools.deliver(using: &generator)
        }
        #expect((pools.busy(0), pools.busy(1)) == (4, 3))
        #expect(pools.closedCount == 3)
    }

    @Test(arguments: [(100, 10, 8), (25, 40, 8), (100, 3, 8)])
    func `serve a few requests on a connection, where more routes want one than there may be`(
        routes: Int, requests: Int, total: Int
    ) {
        let pools = PoolsModel(perRoute: 4, total: total, routes: routes, reactors: 1)
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<requests { for route in 0..<routes { pools.ask(route) } }
        pools.finish(using: &generator)
        #expect(pools.complaints == [])
        // Four requests each time, or all that there are.
        #expect(pools.openedCount <= routes * ((requests + 3) / 4) + total)
    }

    @Test func `rotate between more routes than there may be connections`() {
        let pools = PoolsModel(perRoute: 4, total: 2, routes: 9, reactors: 1)
        var generator = SeededGenerator(seed: 1)
        for route in 0..<9 { for _ in 0..<10 { pools.ask(route) } }
        for _ in 0..<90 where (0..<9).contains(where: { pools.waiting($0) > 0 }) {
            pools.deliver(using: &generator)
            pools.finishAll(using: &generator)
            let left = (0..<9).map { pools.waiting($0) + pools.busy($0) }
            #expect((left.max() ?? 0) - (left.min() ?? 0) <= 2 * PermitHolder.quantum)
        }
        pools.finish(using: &generator)
        #expect(pools.complaints == [])
    }

    @Test(arguments: [.min, 0, 1 << 53, .max - 512, .max - 511, .max]) func `take any number as a limit`(number: Int) {
        for least in [nil, .min, 1, number] {
            let permits = ConnectionPermits(
                perRoute: number, adaptsFrom: least, total: number, idlePerRoute: number)
            let holder = permits.enter(Route(to: HTTPOrigin(scheme: .http, host: "host", port: 80)))
            final class User: PermitUser {
                func permitGranted() {}
                func reclaimIdle() {}
            }
            let user = User()
            #expect(permits.takeNow(holder, for: user))
            for isOverloaded in [true, false, true, false] { permits.answered(holder, isOverloaded: isOverloaded) }
            #expect(!permits.hasTooManyIdle(holder))
            permits.leave(holder)
        }
    }

    @Test(arguments: [.min, 0, .max]) func `a session takes any number as each limit`(number: Int) async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited(to: number) {
            $0.httpMinimumConnectionsPerHost = number
            $0.maximumConnections = number
            $0.maximumIdleConnectionsPerHost = number
            $0.maximumIdleConnections = number
            $0.maximumQueuedRequestsPerHost = number
            $0.maximumRequestsPerConnection = number
            let rate = RateLimit(requestsPerSecond: Double(number), requestBurst: number, bytesPerSecond: number)
            ($0.rateLimit, $0.rateLimitPerHost) = (rate, rate)
        }
        for _ in 0..<3 { #expect(try await session.data(for: URLRequest(origin)).1.statusCode == 200) }
        #expect(try await session.prepare(for: URLRequest(origin)) <= 1)
    }

    @Test func `a session keeps to its limit in total, and closes idle connections of other hosts first`() async throws
    {
        let origins = try (0..<4).map { _ in try ScriptedOrigin { _, request in [.ok(request.target)] } }
        let session = Session.limited(to: 4) { $0.maximumConnections = 2 }
        for _ in 0..<3 {
            for origin in origins { #expect(try await session.text(URLRequest(origin, "/a")) == "/a") }
        }
        #expect(session.connectionGauges.idle == 2)
        #expect(await eventually { origins.map(\.observations.openConnections).reduce(0, +) == 2 })
    }

    @Test func `a request to one host is not delayed by a thousand to another`() async throws {
        let isServed = Lock(false)
        let busy = try ScriptedOrigin { _, _ in isServed.withLock { $0 } ? [.ok()] : [.hold, .ok()] }
        let quiet = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited(to: 2) { $0.maximumConnections = 2 }
        let (request, other) = (try URLRequest(busy), try URLRequest(quiet))
        let delegates = (0...1000).map { _ in RecordingDelegate() }
        await session.onReactor {
            for (index, delegate) in delegates.enumerated() {
                session.dataTask(with: index == 1000 ? other : request, delegate: delegate).resume()
            }
        }
        #expect(await busy.waitFor { $0.requests.count == 2 })
        // Two requests are answered, and no other is before the quiet host's.
        try busy.release()
        #expect(await delegates[1000].end().error == nil)
        isServed.withLock { $0 = true }
        try busy.release()
        for delegate in delegates { #expect(await delegate.end().error == nil) }
        #expect(quiet.connectionCount == 1)
    }

    /// Whose connections are lost, or cannot be opened.
    enum Trouble: CaseIterable { case closes, refuses }

    @Test(arguments: Trouble.allCases)
    func `a request is not delayed by a thousand to a host whose connections are gone`(_ trouble: Trouble) async throws
    {
        let bad = try ScriptedOrigin { _, _ in [.respond(fields: [("Connection", "close")]), .close] }
        let quiet = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited(to: 2) { $0.maximumConnections = 2 }
        // Port 1 is privileged, and no test listens there.
        let request =
            trouble == .closes ? try URLRequest(bad) : URLRequest(url: try #require(URL(string: "http://127.0.0.1:1/")))
        let other = try URLRequest(quiet)
        let order = Lock<[Int]>([])
        let delegates = (0...1000).map { index in
            EndingDelegate { order.withLock { $0.append(index) } }
        }
        await session.onReactor {
            for (index, delegate) in delegates.enumerated() {
                session.dataTask(with: index == 1000 ? other : request, delegate: delegate).resume()
            }
        }
        #expect(await eventually { order.withLock { $0.count } == 1001 })
        #expect(order.withLock { $0.firstIndex(of: 1000) } ?? .max < 200)
    }

    @Test func `one reactor may use all connections to a host, until another needs some`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold, .ok()] }
        let session = Session.limited(to: 4) { $0.reactorCount = 2 }
        let request = try URLRequest(origin)
        let delegates = (0..<4).map { _ in RecordingDelegate() }
        await session.onReactor {
            for delegate in delegates { session.dataTask(with: request, delegate: delegate).resume() }
        }
        #expect(await origin.waitFor { $0.requestCount == 4 })
        let fifth = RecordingDelegate()
        let last = try #require(session.executors.last)
        await Task(executorPreference: last) { session.dataTask(with: request, delegate: fifth).resume() }.value
        #expect(await eventually { session.connectionGauges.waiting == 1 })
        #expect(session.connectionGauges.leased == 4)
        try origin.release()
        for delegate in delegates { #expect(await delegate.end().error == nil) }
        #expect(await origin.waitFor { $0.requestCount == 5 })
        #expect(origin.connectionCount == 5)
        try origin.release()
        #expect(await fifth.end().error == nil)
        #expect(await eventually { session.connectionGauges.idle == 4 })
    }
}

private final class EndingDelegate: SessionTaskDelegate {
    private let ended: @Sendable () -> Void

    init(_ ended: @escaping @Sendable () -> Void) { self.ended = ended }

    func task(_ task: SessionTask, didCompleteWith error: SessionError?) { ended() }
}

/// Pools in their simplest form, which take, wait for and return permits as a pool does; and the promises of the permits.
private final class PoolsModel {
    private final class Pool: PermitUser, @unchecked Sendable {
        let holder: PermitHolder
        var waiting = 0
        var busy = 0
        var idle = 0
        var permits = 0
        var awaitsPermit = false
        let calls: Calls

        init(_ holder: PermitHolder, _ calls: Calls) { (self.holder, self.calls) = (holder, calls) }

        func permitGranted() { calls.list.append((self, true)) }

        func reclaimIdle() { calls.list.append((self, false)) }
    }

    /// Calls that have not arrived.
    private final class Calls {
        var list: [(pool: Pool, isGrant: Bool)] = []
    }

    private(set) var complaints: [String] = []
    private(set) var closedCount = 0
    private(set) var openedCount = 0
    private let permits: ConnectionPermits
    private let pools: [Pool]
    private let calls = Calls()
    private let (perRoute, total, reactors): (Int, Int?, Int)

    /// Pool `n` is that of route `n / reactors`.
    init(perRoute: Int, total: Int?, routes: Int, reactors: Int) {
        (self.perRoute, self.total, self.reactors) = (perRoute, total, reactors)
        let (permits, calls) = (ConnectionPermits(perRoute: perRoute, total: total), calls)
        self.permits = permits
        pools = (0..<routes * reactors).map { number in
            let origin = HTTPOrigin(scheme: .http, host: "host\(number / reactors)", port: 80)
            return Pool(permits.enter(Route(to: origin)), calls)
        }
    }

    deinit {
        for pool in pools { permits.leave(pool.holder) }
        // A call that has not arrived holds its pool, and the pool holds the calls.
        calls.list = []
    }

    func waiting(_ pool: Int) -> Int { pools[pool].waiting }

    func busy(_ pool: Int) -> Int { pools[pool].busy }

    func step(using generator: inout SeededGenerator) {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<3: ask(Int.random(in: pools.indices, using: &generator))
        case 3..<6:
            if let pool = pools.filter({ $0.busy > 0 }).randomElement(using: &generator) { finishOne(pool) }
        case 6:
            if let pool = pools.filter({ $0.idle > 0 }).randomElement(using: &generator) {
                pool.idle -= 1
                settle(pool)
            }
        case 7:
            let waiting = pools.indices.filter { pools[$0].waiting > 0 }
            if let pool = waiting.randomElement(using: &generator) { leave(pool) }
        case 8: if let pool = pools.filter({ $0.busy > 0 }).randomElement(using: &generator) { lose(pool) }
        default: deliverOne(using: &generator)
        }
        check()
    }

    /// Every request is served, although none leaves and no idle connection closes by itself.
    func finish(using generator: inout SeededGenerator) {
        for _ in 0..<100_000 where pools.contains(where: { $0.waiting > 0 || $0.busy > 0 }) {
            deliver(using: &generator)
            guard let pool = pools.filter({ $0.busy > 0 }).randomElement(using: &generator) else { break }
            finishOne(pool)
            check()
        }
        deliver(using: &generator)
        let left = pools.map(\.waiting).reduce(0, +)
        if left > 0 { complaints.append("\(left) wait, and nothing is in use") }
    }

    func finishAll(using generator: inout SeededGenerator) {
        for pool in pools { for _ in 0..<pool.busy { finishOne(pool) } }
        check()
    }

    func deliver(using generator: inout SeededGenerator) { while deliverOne(using: &generator) {} }

    func ask(_ number: Int) {
        let pool = pools[number]
        if pool.idle > 0 {
            pool.idle -= 1
            pool.busy += 1
        } else {
            pool.waiting += 1
        }
        settle(pool)
    }

    /// A request waits no more.
    func leave(_ number: Int) {
        pools[number].waiting -= 1
        settle(pools[number])
    }

    /// The pools that are about to be told something.
    var called: [Int?] { calls.list.map { call in pools.firstIndex { $0 === call.pool } } }

    @discardableResult
    private func deliverOne(using generator: inout SeededGenerator) -> Bool {
        guard let index = calls.list.indices.randomElement(using: &generator) else { return false }
        let (pool, isGrant) = calls.list.remove(at: index)
        if isGrant {
            pool.awaitsPermit = false
            pool.permits += 1
        } else {
            permits.reclaimed(pool.holder)
            giveUpIdle(pool)
        }
        settle(pool)
        return true
    }

    private func finishOne(_ pool: Pool) {
        if pool.waiting > 0 {
            if permits.takesBack(pool.holder, .wanted) {
                pool.busy -= 1
                pool.permits -= 1
                closedCount += 1
            } else {
                pool.waiting -= 1
            }
        } else {
            pool.busy -= 1
            pool.idle += 1
            pool.holder.counts.publish(idle: pool.idle)
            giveUpIdle(pool)
        }
        settle(pool)
    }

    /// A connection in use is gone.
    private func lose(_ pool: Pool) {
        pool.busy -= 1
        if pool.waiting > 0, permits.takesBack(pool.holder, .lost) { pool.permits -= 1 }
        settle(pool)
    }

    private func giveUpIdle(_ pool: Pool) {
        while pool.idle > 0, permits.takesBack(pool.holder, .idle) {
            pool.idle -= 1
            pool.permits -= 1
            closedCount += 1
        }
    }

    private func settle(_ pool: Pool) {
        while pool.waiting > 0 {
            if pool.busy + pool.idle < pool.permits {
                openedCount += 1
                pool.waiting -= 1
                pool.busy += 1
            } else if pool.awaitsPermit {
                break
            } else if permits.take(pool.holder, for: pool) {
                pool.permits += 1
            } else {
                pool.awaitsPermit = true
            }
        }
        if pool.awaitsPermit, pool.waiting == 0, permits.withdraw(pool.holder) { pool.awaitsPermit = false }
        while pool.busy + pool.idle < pool.permits {
            pool.permits -= 1
            permits.release(pool.holder)
        }
        pool.holder.counts.publish(idle: pool.idle)
    }

    private func check() {
        let counts = pools.map { $0.busy + $0.idle }
        if let total, counts.reduce(0, +) > total { complaints.append("\(counts) are more than \(total)") }
        for first in stride(from: 0, to: counts.count, by: reactors) {
            let count = counts[first..<first + reactors].reduce(0, +)
            if count > perRoute { complaints.append("\(count) to one route") }
        }
    }
}
