// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Synchronization
import TernHTTP1
import TernIO
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(1))) struct CircuitsTests {
    /// What an origin answers with: 0 for a connection that is closed abruptly.
    private final class Status: Sendable {
        private let value: Atomic<Int>

        init(_ value: Int) { self.value = Atomic(value) }

        var current: Int { value.load(ordering: .relaxed) }

        func change(to status: Int) { value.store(status, ordering: .relaxed) }
    }

    private let clock = TestClock()

    /// Opens after four requests, half of which failed, for five seconds.
    private static let breaker: CircuitBreaker = {
        var breaker = CircuitBreaker()
        breaker.minimumRequests = 4
        return breaker
    }()

    /// A session whose breaker goes by the clock of the test.
    private func session(
        _ breaker: CircuitBreaker = breaker, connections: Int = 2,
        _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) throws -> (session: Session, table: CircuitTable) {
        let session = Session.limited(to: connections) { [clock] in
            $0.circuitBreaker = breaker
            $0.clock = clock
            change(&$0)
        }
        return (session, try #require(session.taskDefaults.policies.circuits).table)
    }

    private func origin(_ status: Status) throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in
            if request.target == "/hold" { return [.hold, .ok("held")] }
            let status = status.current
            return status == 0 ? [.closeAbruptly] : [.respond(status: status, body: "\(status)")]
        }
    }

    /// The states of the hosts, such as `open 4/4`.
    private func states(_ table: CircuitTable) -> [String] {
        table.readings(at: clock.now).map { "\($0.reading.state) \($0.reading.failures)/\($0.reading.requests)" }
    }

    private func isRefused(_ session: Session, _ request: URLRequest) async -> Bool {
        await session.failure(of: request)?.reason.kind == .circuitOpen
    }

    private func send(_ session: Session, _ request: URLRequest, times: Int = 4) async {
        for _ in 0..<times { _ = await session.failure(of: request) }
    }

    @Test(arguments: [503, 0])
    func `a host that fails is asked no more, and the error names the breaker, the host and the next probe`(
        status: Int
    ) async throws {
        let origin = try ScriptedOrigin { _, _ in status == 0 ? [.closeAbruptly] : [.respond(status: status)] }
        let healthy = try ScriptedOrigin { _, _ in [.ok("well")] }
        var breaker = Self.breaker
        breaker.openTime = .seconds(3600)
        let session = Session.limited { $0.circuitBreaker = breaker }
        await send(session, try URLRequest(origin))
        let connections = origin.connectionCount
        let error = try #require(await session.failure(of: URLRequest(origin)))
        guard case .connecting(.circuitOpen(let circuit)) = error.reason else { throw error }
        #expect(circuit.origin.port == origin.port && circuit.delay > .seconds(3500) && !circuit.isHalfOpen)
        #expect(MonotonicInstant.now.duration(to: circuit.nextProbe) > .seconds(3500))
        let text =
            "the circuit breaker of 127.0.0.1:\(origin.port) is open: too many requests failed, and the next one "
        let sentence = "\(error)"
        #expect(sentence.hasPrefix(text + "may pass in 3"), "\(sentence)")
        #expect(error.phase == .request && !error.wasSent && error.isSafeToRepeat && error.retries.isEmpty)
        #expect(origin.observations.requestCount == 4 && origin.connectionCount == connections)
        #expect(try await session.text(URLRequest(healthy)) == "well")
        let gauges = session.connectionGauges.circuits.map { "\($0.host) \($0.state) \($0.failures)/\($0.requests)" }
        let expected = ["127.0.0.1:\(origin.port) open 4/4", "127.0.0.1:\(healthy.port) closed 0/1"]
        #expect(gauges.sorted() == expected.sorted())
    }

    @Test func `without a breaker nothing is counted, and nothing is asked between preparation and attempt`() {
        let policies = HopPolicies(of: SessionConfiguration())
        #expect(policies.circuits == nil && !policies.actsOnDeparture && policies.departing.isEmpty)
        #expect(Session.limited().connectionGauges.circuits.isEmpty)
    }

    @Test func `a probe that succeeds lets requests pass again, and one that fails does not`() async throws {
        let status = Status(503)
        let origin = try origin(status)
        let request = try URLRequest(origin)
        let (session, table) = try session()
        await send(session, request)
        clock.advance(by: .seconds(4))
        #expect(await isRefused(session, request))
        clock.advance(by: .seconds(1))
        #expect(try await session.data(for: request).1.statusCode == 503)
        #expect(await isRefused(session, request))
        clock.advance(by: .seconds(5))
        #expect(await isRefused(session, request))
        status.change(to: 200)
        clock.advance(by: .seconds(5))
        #expect(try await session.text(request) == "200" && origin.observations.requestCount == 6)
        #expect(states(table).isEmpty)
        #expect(try await session.text(request) == "200" && states(table) == ["closed 0/1"])
    }

    @Test func `while a probe is on its way others are refused, and one that is cancelled gives its place back`()
        async throws
    {
        let status = Status(503)
        let origin = try origin(status)
        let (request, held) = (try URLRequest(origin), try URLRequest(origin, "/hold"))
        let (session, table) = try session()
        await send(session, request)
        status.change(to: 200)
        clock.advance(by: .seconds(5))
        let delegate = RecordingDelegate()
        let probe = session.dataTask(with: held, delegate: delegate)
        probe.resume()
        #expect(await origin.waitFor { $0.requestCount == 5 })
        let error = await session.failure(of: request)
        guard case .connecting(.circuitOpen(let circuit))? = error?.reason else {
            Issue.record("not refused: \(error.map { "\($0)" } ?? "")")
            return
        }
        #expect(circuit.isHalfOpen && circuit.delay == .seconds(5) && states(table) == ["halfOpen 4/4"])
        probe.cancel()
        #expect(await delegate.end().error?.reason.kind == .cancelled)
        #expect(try await session.text(request) == "200" && states(table).isEmpty)
    }

    @Test func `a probe that never ends loses its place, and cancelled requests count for nothing`() async throws {
        let status = Status(503)
        let origin = try origin(status)
        let (request, held) = (try URLRequest(origin), try URLRequest(origin, "/hold"))
        let (session, table) = try session(connections: 8)
        func start() async -> (SessionDataTask, RecordingDelegate) {
            let (delegate, count) = (RecordingDelegate(), origin.observations.requestCount)
            let task = session.dataTask(with: held, delegate: delegate)
            task.resume()
            #expect(await origin.waitFor { $0.requestCount == count + 1 })
            return (task, delegate)
        }
        for _ in 0..<4 {
            let (task, delegate) = await start()
            task.cancel()
            #expect(await delegate.end().error?.reason.kind == .cancelled)
        }
        #expect(states(table).isEmpty)
        await send(session, request)
        clock.advance(by: .seconds(5))
        _ = await start()
        #expect(await isRefused(session, request))
        clock.advance(by: .seconds(5))
        status.change(to: 200)
        #expect(try await session.text(request) == "200" && states(table).isEmpty)
    }

    @Test func `each hop is asked for its own server, which another one cannot have held back`() async throws {
        let status = Status(503)
        let bad = try origin(status)
        let (url, other) = (bad.url(), "http://localhost:\(bad.port)/")
        let good = try ScriptedOrigin { _, request in [.redirect(to: request.target == "/" ? url : other)] }
        let (session, table) = try session()
        // Redirects to another port of the same host count, and those to another host do not.
        await send(session, try URLRequest(good, "/other"))
        #expect(states(table).sorted() == ["closed 0/4"])
        await send(session, try URLRequest(good))
        #expect(states(table).sorted() == ["closed 0/8", "open 4/4"])
        let error = await session.failure(of: try URLRequest(good))
        guard case .connecting(.circuitOpen(let circuit))? = error?.reason else {
            Issue.record("not refused")
            return
        }
        #expect(circuit.origin.port == bad.port && error?.origin?.port == bad.port && error?.phase == .request)
        #expect(good.observations.requestCount == 9 && bad.observations.requestCount == 8)
    }

    @Test func `what fails through a dialer or a socket holds back no other requests of that name`() async throws {
        struct Unreachable: Error {}
        let origin = try origin(Status(200))
        let (session, table) = try session()
        var (dialled, other, socket) = (try URLRequest(origin), try URLRequest(origin), try URLRequest(origin))
        dialled.dialer = ConnectionDialer { _ in throw Unreachable() }
        other.dialer = ConnectionDialer { _ in throw Unreachable() }
        socket.unixSocket = try UnixSocketName(path: "/nowhere")
        await send(session, dialled)
        await send(session, socket)
        #expect(await isRefused(session, dialled))
        #expect(await isRefused(session, socket))
        #expect(await session.failure(of: other)?.reason.kind == .dialer)
        #expect(try await session.text(URLRequest(origin)) == "200")
        #expect(states(table).sorted() == ["closed 0/1", "closed 1/1", "open 4/4", "open 4/4"])
    }

    @Test func `each retry is asked and counted, and none that would be refused is made`() async throws {
        let origin = try origin(Status(503))
        var breaker = Self.breaker
        breaker.minimumRequests = 2
        let (session, table) = try session(breaker) {
            $0.observers = [ClockMover(clock, by: .milliseconds(2))]
            $0.retryPolicy = .standard
            $0.retryPolicy.backOff.base = .milliseconds(2)
        }
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: try URLRequest(origin), delegate: delegate)
        task.resume()
        // The second response is the answer: the breaker would hold a third attempt back.
        let record = await delegate.end()
        #expect(record.error == nil && task.response?.statusCode == 503)
        #expect(task.metrics?.attempts.map(\.description) == ["503, retry", "503, no retry: circuit breaker"])
        #expect(origin.observations.requestCount == 2 && states(table) == ["open 2/2"])
        let next = await session.failure(of: try URLRequest(origin))
        #expect(next?.reason.kind == .circuitOpen && next?.retries.isEmpty == true)
        var stubborn = try URLRequest(origin)
        stubborn.retryPolicy = .standard
        stubborn.retryPolicy?.failures = .all
        stubborn.retryPolicy?.backOff.base = .milliseconds(2)
        // It waits for the next probe, which does not pass by a clock that stands.
        stubborn.timeouts = Timeouts(total: .seconds(2))
        let last = await session.failure(of: stubborn)
        #expect(last?.reason.kind == .circuitOpen && last?.retryRefusal == .time)
        #expect(origin.observations.requestCount == 2)
    }

    @Test func `which failures and which status codes count is said`() async throws {
        let status = Status(500)
        let origin = try origin(status)
        let request = try URLRequest(origin)
        var breaker = Self.breaker
        breaker.failures = []
        breaker.statusCodes = [500, 200]
        let (session, table) = try session(breaker)
        await send(session, request, times: 1)
        for other in [200, 503, 0] {
            status.change(to: other)
            await send(session, request, times: 1)
        }
        #expect(states(table) == ["closed 2/3"])
    }

    @Test func `a host that nothing listens at is a failure, and a refused address is none`() async throws {
        let (session, table) = try session()
        var guarded = try URLRequest(string: "http://127.0.0.1:1/")
        guarded.egressPolicy = .publicInternet
        #expect(await session.failure(of: guarded)?.reason.kind == .egressRefused)
        #expect(states(table).isEmpty)
        await send(session, try URLRequest(string: "http://127.0.0.1:1/"))
        #expect(states(table) == ["open 4/4"])
    }

    @Test func `behind a proxy the hosts of the requests count`() async throws {
        let proxy = try ScriptedOrigin { _, request in
            request.target.contains("bad.test") ? [.respond(status: 502)] : [.ok("well")]
        }
        let (session, table) = try session {
            $0.proxySettings = ProxySettings(Proxy(.http, host: "127.0.0.1", port: proxy.port))
        }
        await send(session, try URLRequest(string: "http://bad.test/"))
        let error = await session.failure(of: try URLRequest(string: "http://bad.test/"))
        let text = error?.reason.description ?? ""
        #expect(text.hasPrefix("the circuit breaker of bad.test:80 is open"), "\(text)")
        #expect(try await session.text(URLRequest(string: "http://good.test/")) == "well")
        #expect(states(table).sorted() == ["closed 0/1", "open 4/4"] && proxy.observations.requestCount == 5)
    }

    @Test func `a proxy that wants a password says nothing about the host`() async throws {
        let proxy = try ScriptedOrigin { _, _ in [.respond(status: 407)] }
        let (session, table) = try session {
            $0.proxySettings = ProxySettings(Proxy(.http, host: "127.0.0.1", port: proxy.port))
        }
        await send(session, try URLRequest(string: "http://a.test/"))
        #expect(states(table).isEmpty && proxy.observations.requestCount == 4)
    }

    @Test func `an answer of the cache is neither asked nor counted, and a stale one takes the place of a refusal`()
        async throws
    {
        let status = Status(200)
        let origin = try ScriptedOrigin { _, request in
            let status = status.current
            let age = request.target == "/fresh" ? 600 : 0
            return [
                .respond(
                    status: status,
                    fields: [("Cache-Control", "max-age=\(age), stale-if-error=600"), ("ETag", "\"1\"")],
                    body: "stored")
            ]
        }
        let cache = URLCache(memoryCapacity: 1 << 22)
        let (session, table) = try session { $0.urlCache = cache }
        let (fresh, stale) = (try URLRequest(origin, "/fresh"), try URLRequest(origin, "/stale"))
        #expect(try await session.text(fresh) == "stored")
        #expect(try await session.text(stale) == "stored")
        for _ in 0..<5 { #expect(try await session.text(fresh) == "stored") }
        #expect(states(table) == ["closed 0/2"])
        // What a stored response hides is counted.
        status.change(to: 503)
        for _ in 0..<2 { #expect(try await session.text(stale) == "stored") }
        #expect(states(table) == ["open 2/4"] && origin.observations.requestCount == 4)
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: stale, delegate: delegate)
        task.resume()
        let record = await delegate.end()
        #expect(record.error == nil && String(decoding: record.body, as: UTF8.self) == "stored")
        #expect(task.metrics?.cacheStatus != nil && task.metrics?.resourceFetchType == .localCache)
        #expect(try await session.text(fresh) == "stored" && origin.observations.requestCount == 4)
        #expect(await isRefused(session, try URLRequest(origin, "/other")))
    }

    @Test func `a lost connection that a stored response hides is counted`() async throws {
        let isDown = Lock(false)
        let origin = try ScriptedOrigin { _, _ in
            isDown.withLock { $0 }
                ? [.closeAbruptly]
                : [.respond(fields: [("Cache-Control", "max-age=0, stale-if-error=600")], body: "stored")]
        }
        let (session, table) = try session {
            $0.urlCache = URLCache(memoryCapacity: 1 << 22)
            $0.retryPolicy = .never
        }
        let request = try URLRequest(origin)
        for _ in 0..<5 {
            #expect(try await session.text(request) == "stored")
            isDown.withLock { $0 = true }
        }
        #expect(states(table) == ["open 3/4"])
    }

    @Test func `connections that are prepared neither ask nor count`() async throws {
        let origin = try origin(Status(503))
        let (session, table) = try session()
        let request = try URLRequest(origin)
        try await session.prepare(for: request, count: 1)
        #expect(states(table).isEmpty)
        await send(session, request)
        #expect(await isRefused(session, request))
        try await session.prepare(for: request, count: 2)
        #expect(states(table) == ["open 4/4"])
    }

    @Test func `many requests at once are refused or answered, and the probe among them is one`() async throws {
        let status = Status(503)
        let origin = try origin(status)
        let request = try URLRequest(origin)
        let (session, table) = try session(connections: 8)
        await send(session, request)
        status.change(to: 200)
        clock.advance(by: .seconds(5))
        let counts = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 { group.addTask { await isRefused(session, request) } }
            return await group.reduce(into: (refused: 0, passed: 0)) { counts, isRefused in
                if isRefused { counts.refused += 1 } else { counts.passed += 1 }
            }
        }
        #expect(counts.refused + counts.passed == 64 && counts.passed >= 1)
        #expect(origin.observations.requestCount == 4 + counts.passed)
        // The probe has closed it, and the others were counted.
        #expect(states(table) == (counts.passed == 1 ? [] : ["closed 0/\(counts.passed - 1)"]))
    }
}
