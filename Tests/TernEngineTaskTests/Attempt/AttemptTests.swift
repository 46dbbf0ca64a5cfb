// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// The routes of attempts, and what an error says about all attempts of its task.
@Suite(.timeLimit(.minutes(1))) struct AttemptTests {
    private final class Rerouting: SessionTaskDelegate {
        let proxy: Proxy
        let record = RecordingDelegate()

        init(_ proxy: Proxy) { self.proxy = proxy }

        func task(
            _ task: SessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
            _ question: DelegateQuestion<RedirectAnswer>
        ) {
            var request = request
            request.proxy = .through(proxy)
            question.answer(.follow(request))
        }

        func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
            record.task(task, didCompleteWith: error)
        }
    }

    @Test func `a proxy that a delegate names for the next hop is used`() async throws {
        let proxy = try ScriptedOrigin { _, _ in [.ok("proxied")] }
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 302, fields: [("Location", "/b")])] }
        let delegate = Rerouting(Proxy(.http, host: "127.0.0.1", port: proxy.port))
        let session = Session.limited()
        session.dataTask(with: try URLRequest(origin, "/a"), delegate: delegate).resume()
        #expect(await delegate.record.end().error == nil)
        #expect(proxy.requests.map(\.target) == [origin.url("/b")] && origin.requests.map(\.target) == ["/a"])
    }

    @Test func `a proxy is chosen for each attempt`() async throws {
        let origin = try ScriptedOrigin { connection, request in
            // The kept-alive connection is dead for the second request.
            request.index == 0 ? [.ok("direct")] : [.reset]
        }
        let proxy = try ScriptedOrigin { _, _ in [.ok("proxied")] }
        let isBehind = Lock(false)
        let session = Session.limited {
            $0.proxySettings = ProxySettings { _ in
                isBehind.withLock { $0 } ? Proxy(.http, host: "127.0.0.1", port: proxy.port) : nil
            }
        }
        #expect(try await session.text(URLRequest(origin)) == "direct")
        let delegate = RecordingDelegate()
        let switching = Switching(delegate) { isBehind.withLock { $0 = true } }
        session.dataTask(with: try URLRequest(origin), delegate: switching).resume()
        #expect(String(decoding: await delegate.end().body, as: UTF8.self) == "proxied")
    }

    /// Calls a closure when a request is about to be sent.
    private final class Switching: SessionTaskDelegate {
        let record: RecordingDelegate
        let whenSending: @Sendable () -> Void

        init(_ record: RecordingDelegate, _ whenSending: @escaping @Sendable () -> Void) {
            (self.record, self.whenSending) = (record, whenSending)
        }

        func handle(_ event: TaskEvent, of task: SessionTask) {
            if case .willSend = event { whenSending() }
            record.handle(event, of: task)
        }

        func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) { record.task(task, didReceive: bytes) }

        func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
            record.task(task, didCompleteWith: error)
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308], ["closed", "cut", "silent"])
    func `a payment that a server has taken is not called safe to repeat`(status: Int, then: String) async throws {
        let origin = try ScriptedOrigin { _, request in
            if request.target == "/pay" { return [.respond(status: status, fields: [("Location", "/thanks")])] }
            return switch then {
            case "closed": [.close]
            case "cut": [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"), .close]
            default: [.hold]
            }
        }
        var request = try URLRequest(origin, "/pay", method: "POST", body: Data("pay=100".utf8))
        request.timeouts = Timeouts(idle: .milliseconds(100))
        let error = try #require(await Session.limited().failure(of: request))
        #expect(error.wasSent && !error.isSafeToRepeat)
    }

    @Test func `a payment whose redirect leads to a closed port was sent, and is not safe to repeat`() async throws {
        let gone = try ScriptedOrigin { _, _ in [.ok()] }
        gone.stop()
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 303, fields: [("Location", gone.url("/thanks"))])] }
        var request = try URLRequest(origin, "/pay", method: "POST", body: Data("pay=100".utf8))
        let error = try #require(await Session.limited().failure(of: request))
        #expect(error.phase == .connect && error.wasSent && !error.isSafeToRepeat)
        // The server recognises a repeat.
        request.headers["Idempotency-Key"] = "1"
        #expect(await Session.limited().failure(of: request)?.isSafeToRepeat == true)
    }

    @Test func `a payment that was refused before it was processed is safe to repeat`() throws {
        var request = try URLRequest(string: "http://a.test/pay")
        request.httpMethod = "POST"
        request.credential = PasswordCredential(user: "a", password: "b")
        var machine = TaskMachine(request, policies: HopPolicies(of: SessionConfiguration()))
        _ = machine.start()
        let head = try ResponseHead(status: 401, fields: ["WWW-Authenticate": "Basic realm=\"r\""])
        let words = [machine.begin().word, machine.head(head).word, machine.ended().word]
        #expect(words == ["send", "discard", "send"])
        let end = machine.failed(AttemptFailure(reason: .connecting(.queueFull(limit: 1)), phase: .pool)).word
        #expect(end == "fail queue-full, may be repeated")
    }

    @Test func `a field for proxies reaches no origin`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited { $0.httpAdditionalHeaders["Proxy-Authorization"] = "Basic c2Vzc2lvbg==" }
        _ = try await session.data(for: try URLRequest(origin))
        var request = try URLRequest(origin)
        request.headers["Proxy-Authorization"] = "Basic b3du"
        _ = try await session.data(for: request)
        #expect(origin.requests.count == 2)
        #expect(origin.requests.allSatisfy { $0.value(of: "Proxy-Authorization") == nil })
    }

    @Test func `each part of a route is part of the key of stored responses, or has no effect on them`() {
        let parts = Mirror(reflecting: RouteSettings.Parts()).children.compactMap(\.label)
        let counted = ["dialer", "socket", "proxies", "identity", "egressPolicy", "names"]
        // These change how the same server is reached, and not what it answers.
        // What the end of a tunnel is follows from the names.
        // What a request says about proxies has chosen them.
        let ignored = ["isTunnelled", "proxyProtocol", "proxyChoice", "socketOptions", "tunnelEnd"]
        #expect(Set(parts) == Set(counted + ignored), "RouteRule.cacheKey(of:) must know the part")
    }
}

// Rates and connections
extension AttemptTests {
    /// When requests arrived, on the origin's threads.
    private final class Arrivals: Sendable {
        private let times = Lock<[MonotonicInstant]>([])

        func note() { times.withLock { $0.append(.now) } }

        /// The largest number within a second.
        var mostInASecond: Int {
            let times = times.withLock { $0.sorted() }
            return times.map { start in
                times.count { $0 >= start && $0.seconds(since: start) < 1 }
            }.max() ?? 0
        }
    }

    @Test(arguments: ["cancelled", "timed out", "invalidated"])
    func `waits that end without a request hold no other one up`(end: String) async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited(to: 4) { $0.rateLimit = RateLimit(requestsPerSecond: 10) }
        _ = try await session.data(for: URLRequest(origin))
        var request = try URLRequest(origin, "/never")
        if end == "timed out" { request.timeouts = Timeouts(total: .milliseconds(1)) }
        let delegates = (0..<100).map { _ in RecordingDelegate() }
        let tasks = delegates.map { session.dataTask(with: request, delegate: $0) }
        for task in tasks { task.resume() }
        if end == "cancelled" { for task in tasks { task.cancel() } }
        if end == "invalidated" {
            session.invalidateAndCancel()
            for delegate in delegates { _ = await delegate.end() }
            #expect(session.taskDefaults.rates?.requests?.count == 0)
            return
        }
        for delegate in delegates { _ = await delegate.end() }
        let start = MonotonicInstant.now
        _ = try await session.data(for: URLRequest(origin))
        // Behind a hundred places it would take ten seconds.
        #expect(MonotonicInstant.now.seconds(since: start) < 5)
        #expect(session.taskDefaults.rates?.requests?.count == 0)
    }

    @Test func `the rate is kept where requests queue for a connection`() async throws {
        let arrivals = Arrivals()
        let origin = try ScriptedOrigin { _, request in
            arrivals.note()
            return request.index == 0 ? [.hold, .ok()] : [.ok()]
        }
        let session = Session.limited { $0.rateLimit = RateLimit(requestsPerSecond: 100) }
        try await withThrowingTaskGroup { group in
            for _ in 0..<60 {
                let request = try URLRequest(origin)
                group.addTask { _ = try await session.data(for: request) }
            }
            // By now the rate would have let all of them go.
            #expect(await origin.waitFor { $0.requestCount == 1 })
            let start = MonotonicInstant.now
            while MonotonicInstant.now.seconds(since: start) < 0.7 { await session.settle() }
            let release = MonotonicInstant.now
            try origin.release()
            try await group.waitForAll()
            #expect(MonotonicInstant.now.seconds(since: release) >= 0.5)
        }
        #expect(origin.requests.count == 60 && origin.connectionCount == 1)
    }

    @Test func `requests that wait for a slow host leave the session's rate to others`() async throws {
        let slow = try ScriptedOrigin { _, _ in [.ok()] }
        let other = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited(to: 4) {
            $0.rateLimit = RateLimit(requestsPerSecond: 10)
            $0.rateLimitPerHost = RateLimit(requestsPerSecond: 1)
        }
        let tasks = try (0..<40).map { _ in
            session.dataTask(with: try URLRequest(slow, host: "localhost"), delegate: NoOpTaskDelegate.shared)
        }
        for task in tasks { task.resume() }
        #expect(await slow.waitFor { $0.requestCount == 1 })
        _ = try await session.data(for: URLRequest(other))
        // In line behind all of them it would come last.
        #expect(slow.requests.count < 20)
        for task in tasks { task.cancel() }
    }
}
