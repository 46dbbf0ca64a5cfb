// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(2))) struct TaskPlacesTests {
    /// Remembers the threads that events come on.
    private final class Threads: SessionTaskDelegate {
        let record = RecordingDelegate()
        private let threads = Lock<Set<UInt>>([])

        var all: Set<UInt> { threads.withLock { $0 } }

        func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
            threads.withLock { _ = $0.insert(UInt(pthread_self())) }
            record.task(task, didCompleteWith: error)
        }
    }

    /// Sends `count` requests to each of the hosts at once, and returns the threads that served each host.
    private func threads(
        of session: Session, _ origin: ScriptedOrigin, hosts: Int, count: Int
    ) async throws -> [Set<UInt>] {
        var delegates: [[Threads]] = []
        for host in 0..<hosts {
            let request = try URLRequest(origin, host: "h\(host).localhost")
            delegates.append((0..<count).map { _ in Threads() })
            for delegate in delegates[host] { session.dataTask(with: request, delegate: delegate).resume() }
        }
        for delegate in delegates.joined() { #expect(await delegate.record.end().error == nil) }
        return delegates.map { Set($0.flatMap(\.all)) }
    }

    @Test func `one connection per host leaves no thread idle`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited(to: 1) { $0.reactorCount = 4 }
        let threads = try await threads(of: session, origin, hosts: 40, count: 5)
        #expect(threads.allSatisfy { $0.count == 1 })
        #expect(Set(threads.joined()).count > 1)
        #expect(origin.connectionCount == 40)
    }

    @Test func `as many threads serve a host as it may have connections`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited(to: 2) { $0.reactorCount = 4 }
        let threads = try await threads(of: session, origin, hosts: 10, count: 20)
        #expect(threads.allSatisfy { $0.count == 2 })
        #expect(Set(threads.joined()).count > 2)
    }

    @Test func `the limit in total limits the threads, and so does one for all hosts behind a proxy or a socket`()
        async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let limits: [(inout SessionConfiguration) -> Void] = [
            { $0.maximumConnections = 1 },
            { $0.proxySettings = ProxySettings(Proxy(.http, host: "127.0.0.1", port: origin.port)) },
        ]
        for limit in limits {
            let session = Session.limited(to: 1) {
                $0.reactorCount = 4
                limit(&$0)
            }
            let threads = try await threads(of: session, origin, hosts: 10, count: 2)
            #expect(Set(threads.joined()).count == 1)
        }
    }

    @Test func `requests from all reactors, and prepared connections, meet on the thread of their host`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited(to: 1) { $0.reactorCount = 4 }
        for host in 0..<4 {
            let request = try URLRequest(origin, host: "h\(host).localhost")
            #expect(try await session.prepare(for: request) == 1)
            for executor in session.executors {
                await Task(executorPreference: executor) {
                    for _ in 0..<5 { #expect(await session.failure(of: request) == nil) }
                }.value
            }
        }
        #expect(origin.connectionCount == 4)
    }

    @Test func `hosts that redirect to one another, across threads, do not wait for one another for ever`() async throws
    {
        let origin = try ScriptedOrigin { _, request in
            // The way is the digits that are left: `/1234` leads to host 1, then to `/234`.
            guard let next = request.target.dropFirst().first else { return [.ok()] }
            let port = request.fields.first { $0.name == "Host" }?.value.split(separator: ":").last ?? ""
            return [.redirect(to: "http://h\(next).localhost:\(port)/\(request.target.dropFirst(2))")]
        }
        let session = Session.limited(to: 1) { $0.reactorCount = 4 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                let way = String(number * 7919 % 10_000)
                let request = try URLRequest(origin, "/\(way)", host: "h\(number % 10).localhost")
                group.addTask { #expect(await session.failure(of: request) == nil) }
            }
            try await group.waitForAll()
        }
        #expect(await eventually { session.connectionGauges.leased + session.connectionGauges.waiting == 0 })
        #expect(session.connectionGauges.open <= 10)
    }
}
