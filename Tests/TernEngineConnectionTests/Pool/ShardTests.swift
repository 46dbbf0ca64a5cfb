// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernIO
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport
import TernLock

@Suite(.timeLimit(.minutes(5))) struct ShardTests {
    private static func shard(on group: ReactorGroup) throws -> Shard<AttemptDriver> {
        let configuration = SessionConfiguration()
        let settings = TrustSettings(tls: configuration.tls, policies: nil)
        let services = TrustServices(revocationSender: IdleSender(), reportSender: IdleSender())
        let trust = SessionTrust(
            TrustCell(origins: settings, proxies: settings), ofOrigins: services, ofProxies: services)
        let shared = SharedSettings(
            loop: try #require(group.reactors.first).loop, configuration: configuration, trust: trust,
            proxyLogins: ProxyLogins(), resolver: Resolver(), exchange: ExchangeSettings(configuration))
        return Shard(shared, ConnectionPermits(perRoute: 1, total: nil))
    }

    private static func request(_ url: String) throws -> URLRequest {
        URLRequest(url: try #require(URL(string: url)))
    }

    @Test(arguments: [false, true])
    func `is released when it closes at the end of a task that had no connection`(isCancelled: Bool) async throws {
        let group = try ReactorGroup(count: 1)
        let hole = try BlackHole()
        weak var released: Shard<AttemptDriver>?
        do {
            let shard = try Self.shard(on: group)
            released = shard
            let delegate = RecordingDelegate { [weak shard] _, event in if case .end = event { shard?.close() } }
            let task = SessionTask(
                request: try Self.request(isCancelled ? hole.url : "http://127.0.0.1:1/"), delegate: delegate,
                defaults: TaskDefaults(SessionConfiguration(), policies: HopPolicies([])), at: TaskPlace(shard: shard))
            task.resume()
            if isCancelled { task.cancel() }
            _ = await delegate.end()
        }
        // What the loop was doing then is done.
        await Task(executorPreference: group.reactors.first) {}.value
        #expect(released == nil)
    }

    @Test func `ends waiters in batches, and polls its sockets in between`() async throws {
        let group = try ReactorGroup(count: 1)
        let loop = try #require(group.reactors.first).loop
        let hole = try BlackHole()
        let shard = try Self.shard(on: group)
        let count = 20_000
        let ends = Lock<[UInt64]>([])
        let request = try Self.request(hole.url)
        let (stream, end) = AsyncStream<Void>.makeStream()
        let delegate = Counting { error in
            #expect(error?.reason.isInvalidation == true)
            let ended = ends.withLock { ends in
                ends.append(loop.tick)
                return ends.count
            }
            if ended == count { end.finish() }
        }
        for _ in 0..<count {
            SessionTask(
                request: request, delegate: delegate,
                defaults: TaskDefaults(SessionConfiguration(), policies: HopPolicies([])), at: TaskPlace(shard: shard)
            ).resume()
        }
        shard.perform { $0.close() }
        for await _ in stream {}
        let turns = ends.withLock { $0 }
        #expect(turns.count == count)
        #expect(Set(turns).count > 2)
    }

    @Test func `cancellations do not hold up what others send after them`() async throws {
        let group = try ReactorGroup(count: 1)
        let loop = try #require(group.reactors.first).loop
        let hole = try BlackHole()
        let shard = try Self.shard(on: group)
        defer { shard.perform { $0.close() } }
        let count = 5000
        let ended = Lock(0)
        let request = try Self.request(hole.url)
        let (stream, end) = AsyncStream<Void>.makeStream()
        let delegate = Counting { _ in
            let isLast = ended.withLock { ended in
                ended += 1
                return ended == count
            }
            if isLast { end.finish() }
        }
        let tasks = (0..<count).map { _ in
            SessionTask(
                request: request, delegate: delegate,
                defaults: TaskDefaults(SessionConfiguration(), policies: HopPolicies([])), at: TaskPlace(shard: shard))
        }
        for task in tasks { task.resume() }
        let (isHeld, hold) = AsyncStream<Void>.makeStream()
        let isFree = Lock(false)
        loop.execute {
            hold.finish()
            while !isFree.withLock({ $0 }) { sched_yield() }
        }
        for await _ in isHeld {}
        for task in tasks { task.cancel() }
        let endedBefore = await withCheckedContinuation { next in
            loop.execute { next.resume(returning: ended.withLock { $0 }) }
            isFree.withLock { $0 = true }
        }
        #expect(endedBefore < count)
        for await _ in stream {}
        #expect(ended.withLock { $0 } == count)
    }

    private final class Counting: SessionTaskDelegate {
        private let onEnd: @Sendable (SessionError?) -> Void

        init(onEnd: @escaping @Sendable (SessionError?) -> Void) { self.onEnd = onEnd }

        func task(_ task: SessionTask, didCompleteWith error: SessionError?) { onEnd(error) }
    }

    enum Ending: CaseIterable {
        case never, closed, loopEnded
    }

    @Test(arguments: Ending.allCases)
    func `a chain of tasks that come too late does not grow the stack`(ending: Ending) async throws {
        var group: ReactorGroup? = try ReactorGroup(count: 1)
        let shard = try group.map(Self.shard)
        switch ending {
        case .never: break
        case .closed: shard?.perform { $0.close() }
        case .loopEnded:
            group = nil
            while shard?.loop.execute({}) == true { sched_yield() }
        }
        let request = try Self.request("http://127.0.0.1:1/")
        let error = await withCheckedContinuation { done in
            Chain(of: 20_000, request, on: ending == .never ? nil : shard, done).next()
        }
        #expect(error?.reason.isInvalidation == true)
        withExtendedLifetime(group) {}
    }

    /// Starts a task from the end of the one before.
    private final class Chain: SessionTaskDelegate {
        private let left: Lock<Int>
        private let request: URLRequest
        private let shard: Shard<AttemptDriver>?
        private let done: CheckedContinuation<SessionError?, Never>

        init(
            of count: Int, _ request: URLRequest, on shard: Shard<AttemptDriver>?,
            _ done: CheckedContinuation<SessionError?, Never>
        ) {
            left = Lock(count)
            self.request = request
            self.shard = shard
            self.done = done
        }

        func next() {
            SessionTask(
                request: request, delegate: self,
                defaults: TaskDefaults(SessionConfiguration(), policies: HopPolicies([])),
                at: shard.map { TaskPlace(shard: $0) }
            ).resume()
        }

        func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
            let isLast = left.withLock { left in
                left -= 1
                return left == 0
            }
            if isLast { done.resume(returning: error) } else { next() }
        }
    }
}
