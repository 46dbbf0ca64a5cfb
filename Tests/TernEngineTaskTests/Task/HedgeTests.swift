// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Second attempts beside a first that is late.
@Suite(.timeLimit(.minutes(1))) struct HedgeTests {
    private func session(
        _ hedging: RetryPolicy.Hedging? = .after(.milliseconds(20)),
        _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) -> Session {
        .limited(to: 8) {
            $0.retryPolicy.hedging = hedging
            $0.retryPolicy.budget = nil
            change(&$0)
        }
    }

    /// An origin whose steps depend on how many requests came before.
    private func origin(_ steps: @escaping @Sendable (Int) -> [OriginStep]) throws -> ScriptedOrigin {
        let count = Lock(0)
        return try ScriptedOrigin { _, _ in
            steps(
                count.withLock { count in
                    defer { count += 1 }
                    return count
                })
        }
    }

    @Test func `a late first attempt is overtaken, and left`() async throws {
        let origin = try origin { $0 == 0 ? [.hold, .ok("late")] : [.ok("\($0)")] }
        let session = session()
        let record = RecordingDelegate()
        let task = session.dataTask(with: try URLRequest(origin), delegate: record)
        task.resume()
        #expect(String(decoding: await record.end().body, as: UTF8.self) == "1")
        let hop = try #require(task.metrics?.hops.first)
        #expect(hop.hedge?.isAnswer == true && hop.attemptCount == 2 && hop.statusCode == 200)
        #expect(origin.observations.requestCount == 2)
        try origin.release()
        #expect(try await session.text(URLRequest(origin)) == "2")
        await session.settle()
        #expect((session.connectionGauges.leased, session.connectionGauges.waiting) == (0, 0))
    }

    @Test func `an early first attempt has no second`() async throws {
        let origin = try origin { [.ok("\($0)")] }
        let session = session(.after(.seconds(20)))
        for number in 0..<20 { #expect(try await session.text(URLRequest(origin)) == "\(number)") }
        #expect(origin.observations.requestCount == 20)
    }

    @Test func `the first answer wins, whichever attempt it is of`() async throws {
        let origin = try origin { $0 == 0 ? [.hold, .ok("0")] : [.awaitClose] }
        let record = RecordingDelegate()
        let session = session()
        let task = session.dataTask(with: try URLRequest(origin), delegate: record)
        task.resume()
        #expect(await origin.waitFor { $0.requestCount == 2 })
        try origin.release()
        #expect(String(decoding: await record.end().body, as: UTF8.self) == "0")
        #expect(task.metrics?.hops.first?.hedge?.isAnswer == false)
    }

    @Test func `what must not be done twice is not`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold, .ok("x")] }
        let session = session(.after(.milliseconds(1)))
        async let post = session.text(URLRequest(origin, method: "POST", body: Data("x".utf8)))
        var once = try URLRequest(origin)
        once.httpMethod = "PUT"
        once.body = .once(ProbingSource([Data("x".utf8)]))
        let put = once
        async let content = session.text(put)
        var own = try URLRequest(origin)
        own.retryPolicy = .lostConnections
        let plain = own
        async let other = session.text(plain)
        #expect(await origin.waitFor { $0.requestCount == 3 })
        // A request that may be has its second attempt while these wait.
        async let hedged = session.text(URLRequest(origin))
        #expect(await origin.waitFor { $0.requestCount == 5 })
        // Content that can be read once has no connection for a second attempt either.
        #expect(origin.connectionCount == 5)
        try origin.release()
        #expect(try await [post, content, other, hedged] == ["x", "x", "x", "x"])
        #expect(origin.observations.requestCount == 5 && origin.connectionCount == 5)
    }

    @Test func `a first attempt that fails waits for the second, and an error comes if both fail`() async throws {
        let origin = try origin {
            $0 == 0 ? [.hold, .closeAbruptly] : [.hold, .pause(.milliseconds(50)), .ok("second")]
        }
        let session = session()
        async let text = session.text(URLRequest(origin))
        #expect(await origin.waitFor { $0.requestCount == 2 })
        try origin.release()
        #expect(try await text == "second")
        let failing = try self.origin { _ in [.hold, .closeAbruptly] }
        async let failure = session.failure(of: URLRequest(failing))
        #expect(await failing.waitFor { $0.requestCount == 2 })
        try failing.release()
        #expect(try await failure?.reason.kind == .connectionLost)
    }

    @Test func `a second attempt that fails, or is told to come back later, leaves the first alone`() async throws {
        for step in [OriginStep.closeAbruptly, .respond(status: 503)] {
            let origin = try origin { $0 == 0 ? [.hold, .ok("first")] : [step] }
            let session = session()
            async let text = session.text(URLRequest(origin))
            #expect(await origin.waitFor { $0.requestCount == 2 })
            await session.settle()
            try origin.release()
            #expect(try await text == "first" && origin.observations.requestCount == 2)
        }
    }

    @Test func `both attempts are in the metrics, each with times and an outcome of its own`() async throws {
        let origin = try origin { $0 == 0 ? [.hold, .ok("late")] : [.pause(.milliseconds(20)), .ok("\($0)")] }
        let (session, record) = (session(), RecordingDelegate())
        let task = session.dataTask(with: try URLRequest(origin), delegate: record)
        task.resume()
        #expect(String(decoding: await record.end().body, as: UTF8.self) == "1")
        let metrics = try #require(task.metrics)
        #expect(metrics.attempts.map(\.description) == ["cancelled", "200"] && metrics.hops.count == 1)
        #expect(metrics.attempts.map(\.isHedge) == [false, true])
        let (first, second) = (try #require(metrics.attempts.first), try #require(metrics.attempts.last))
        let (sent, answered) = (try #require(second.requestSent), try #require(second.responseStart))
        #expect(first.start.duration(to: second.start) >= .milliseconds(20))
        #expect(try #require(second.connectionAcquired) <= sent && sent.duration(to: answered) >= .milliseconds(15))
        #expect(first.wasSent && first.responseStart == nil)
        #expect(first.connection?.localAddress != second.connection?.localAddress)
        #expect(metrics.connection?.localAddress == second.connection?.localAddress)
        try origin.release()
    }

    @Test func `a response to come back later waits for the other attempt, whichever has it`() async throws {
        for (step, expected) in [(OriginStep.ok("second"), "second"), (.closeAbruptly, "busy")] {
            let origin = try origin {
                $0 == 0 ? [.hold, .respond(status: 503, body: "busy")] : [.hold, .pause(.milliseconds(50)), step]
            }
            let session = session()
            async let text = session.text(URLRequest(origin))
            #expect(await origin.waitFor { $0.requestCount == 2 })
            try origin.release()
            #expect(try await text == expected && origin.observations.requestCount == 2)
            await session.settle()
            #expect((session.connectionGauges.leased, session.connectionGauges.waiting) == (0, 0))
        }
    }

    @Test func `a suspended task has no second attempt`() async throws {
        let origin = try ScriptedOrigin { _, request in [.hold, .ok(request.target)] }
        let session = session(.after(.milliseconds(100)))
        let (suspended, other) = (RecordingDelegate(), RecordingDelegate())
        let task = session.dataTask(with: try URLRequest(origin, "/suspended"), delegate: suspended)
        task.resume()
        #expect(await origin.waitFor { $0.requestCount == 1 })
        task.suspend()
        session.dataTask(with: try URLRequest(origin, "/other"), delegate: other).resume()
        // Its second attempt comes after the time for one of the first.
        #expect(await origin.waitFor { $0.requestCount == 3 })
        await session.settle()
        #expect(origin.requests.map(\.target).sorted() == ["/other", "/other", "/suspended"])
        task.resume()
        try origin.release()
        #expect(await suspended.end().error == nil)
        #expect(await other.end().error == nil)
    }

    @Test func `a second attempt is asked for by the circuit breaker, and counts for itself`() async throws {
        let clock = TestClock()
        let origin = try ScriptedOrigin { _, request in
            request.target == "/bad" ? [.respond(status: 503)] : [.hold, .ok("x")]
        }
        let session = session(.after(.milliseconds(5))) {
            $0.circuitBreaker = CircuitBreaker()
            $0.circuitBreaker?.minimumRequests = 2
            $0.clock = clock
        }
        for _ in 0..<2 { _ = try await session.data(for: URLRequest(origin, "/bad")) }
        clock.advance(by: .seconds(5))
        // Half open, the breaker lets one attempt pass.
        async let text = session.text(URLRequest(origin))
        #expect(await origin.waitFor { $0.requestCount == 3 })
        clock.advance(by: .milliseconds(5))
        await session.settle()
        let other = try ScriptedOrigin { _, _ in [.ok("y")] }
        #expect(try await session.text(URLRequest(other)) == "y")
        #expect(origin.observations.requestCount == 3)
        try origin.release()
        #expect(try await text == "x")
    }

    @Test func `a second attempt that is never sent costs nothing`() async throws {
        let origin = try origin { _ in [.hold, .ok("x")] }
        let session = Session.limited(to: 1) {
            $0.retryPolicy.hedging = .after(.milliseconds(5))
            $0.retryPolicy.budget = RetryPolicy.Budget(share: 0, floor: 1)
        }
        async let text = session.text(URLRequest(origin))
        // The second attempt waits for the only connection.
        #expect(await eventually { session.connectionGauges.waiting == 1 })
        try origin.release()
        #expect(try await text == "x")
        let budget = try #require(session.taskDefaults.policies.budget)
        #expect(budget.spend(on: "127.0.0.1:\(origin.port)", RetryPolicy.Budget(share: 0, floor: 1), at: .now))
    }

    @Test func `a percentile is not learnt from what has not answered`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        let session = session(.percentile(0.5))
        for _ in 0..<ResponseTimes.minimumCount {
            let (record, count) = (RecordingDelegate(), origin.observations.requestCount)
            let task = session.dataTask(with: try URLRequest(origin), delegate: record)
            task.resume()
            #expect(await origin.waitFor { $0.requestCount == count + 1 })
            task.cancel()
            _ = await record.end()
        }
        let times = session.taskDefaults.policies.responseTimes
        #expect(times.percentile(0.5, of: "127.0.0.1:\(origin.port)", at: .now) == nil)
    }

    @Test func `a cancelled task, one whose time is over and one whose session ends leave no attempt`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold, .ok("x")] }
        let session = session()
        func start(_ request: URLRequest) -> (SessionTask, RecordingDelegate) {
            let record = RecordingDelegate()
            let task = session.dataTask(with: request, delegate: record)
            task.resume()
            return (task, record)
        }
        let (task, cancelled) = start(try URLRequest(origin))
        #expect(await origin.waitFor { $0.requestCount == 2 })
        task.cancel()
        #expect(await cancelled.end().error?.reason.kind == .cancelled)
        let (_, timed) = start(try URLRequest(origin).limited(to: Timeouts(total: .milliseconds(200))))
        #expect(await timed.end().error?.reason.kind == .timedOut && origin.observations.requestCount == 4)
        await session.settle()
        #expect((session.connectionGauges.leased, session.connectionGauges.waiting) == (0, 0))
        let (_, invalidated) = start(try URLRequest(origin))
        #expect(await origin.waitFor { $0.requestCount == 6 })
        session.invalidateAndCancel()
        #expect(await invalidated.end().error?.reason.kind == .cancelled)
        try origin.release()
    }

    @Test func `policies see the answer once: cookies, redirects and credentials are those of one task`() async throws {
        let count = Lock(0)
        let origin = try ScriptedOrigin { _, request in
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            if number % 2 == 0 { return [.hold] }
            return request.target == "/"
                ? [.respond(status: 302, fields: [("Location", "/next"), ("Set-Cookie", "a=b")])]
                : [.ok(request.value(of: "Cookie") ?? "none")]
        }
        let storage = HTTPCookieStorage()
        let session = session { $0.httpCookieStorage = storage }
        #expect(try await session.text(URLRequest(origin)) == "a=b")
        #expect(origin.observations.requestCount == 4 && storage.cookies?.count == 1)
        try origin.release()
    }

    @Test func `a hedge costs the budget as a retry does`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold, .ok("x")] }
        let session = Session.limited(to: 64) {
            $0.retryPolicy.hedging = .after(.milliseconds(5))
            $0.retryPolicy.budget = RetryPolicy.Budget(share: 0.1, floor: 3)
        }
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await session.text(URLRequest(origin)) } }
            #expect(await origin.waitFor { $0.requestCount == 23 })
            await session.settle()
            try origin.release()
            for try await text in group { #expect(text == "x") }
        }
        #expect(origin.observations.requestCount == 23)
    }

    @Test func `the percentile of a host is learnt from its answers`() async throws {
        let origin = try origin { $0 == ResponseTimes.minimumCount ? [.hold] : [.ok("\($0)")] }
        let session = session(.percentile(0.95))
        for number in 0..<ResponseTimes.minimumCount {
            #expect(try await session.text(URLRequest(origin)) == "\(number)")
        }
        #expect(try await session.text(URLRequest(origin)) == "\(ResponseTimes.minimumCount + 1)")
        try origin.release()
    }

    @Test func `a percentile is the time of one of the last answers, whatever the share is`() {
        let times = ResponseTimes()
        let now = MonotonicInstant(nanoseconds: 1)
        #expect(times.percentile(0.5, of: "a", at: now) == nil)
        for number in 1...200 { times.add(.milliseconds(number), of: "a", at: now) }
        let rows: [(Double, Int)] = [(0, 73), (-1, 73), (0.5, 136), (0.95, 194), (1, 200), (9, 200), (.nan, 200)]
        for (share, expected) in rows {
            #expect(times.percentile(share, of: "a", at: now) == .milliseconds(expected), "\(share)")
        }
        #expect(times.percentile(0.5, of: "b", at: now) == nil)
        times.add(.seconds(1), of: "a", at: now.advanced(by: .seconds(601)))
        #expect(times.percentile(0.5, of: "a", at: now.advanced(by: .seconds(601))) == nil)
    }
}
