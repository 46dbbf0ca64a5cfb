// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernIO
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// All limits are a minute, and no test takes nearly as long.
@Suite(.timeLimit(.minutes(1))) struct SessionClockTests {
    private static let limit = Duration.seconds(60)
    private static let none = Timeouts(connect: .seconds(100_000), idle: nil)

    /// What a request waits for.
    enum Wait: String, CaseIterable {
        case resolver, handshake, connection, head, firstByte, nextByte, end, challenge
    }

    /// A request that waits, and what ends its wait.
    private struct Situation {
        let session: Session
        let delegate: Recorder
        let expected: SessionError.TimeLimit
        let end: @Sendable () throws -> Void
    }

    /// Records the events of a task, and keeps the question about its server.
    private final class Recorder: SessionTaskDelegate {
        let recording = RecordingDelegate()
        let answersServerTrustChallenges: Bool
        private let question = Lock<ServerTrustQuestion?>(nil)

        init(asked: Bool = false) { answersServerTrustChallenges = asked }

        func answer() { question.withLock { $0.take() }?.answer(.performDefaultHandling) }

        func task(_ task: SessionTask, didReceive challenge: ServerTrustChallenge, _ question: ServerTrustQuestion) {
            self.question.withLock { $0 = question }
        }

        func task(_ task: SessionTask, didReceive response: HTTPURLResponse) {
            recording.task(task, didReceive: response)
        }

        func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) { recording.task(task, didReceive: bytes) }

        func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
            recording.task(task, didCompleteWith: error)
        }
    }

    /// Says what tasks and connections do, and waits for it.
    private final class Watch: SessionObserver {
        private let seen = Lock<[String]>([])

        func observe(_ observation: TaskObservation) {
            switch observation.event {
            case .waiting(let wait): add("waiting for \(wait)")
            case .connecting(let step): add(step.name)
            default: add(observation.event.name)
            }
        }

        func observe(_ observation: ConnectionObservation) {
            switch observation.event {
            case .opened: add("opened")
            case .inUse: add("in use")
            case .idle: add("idle")
            case .closed(let reason): add("closed: \(reason)")
            }
        }

        private func add(_ event: String) { seen.withLock { $0.append(event) } }

        func count(of event: String) -> Int { seen.withLock { $0.count { $0 == event } } }

        func sees(_ event: String, times: Int = 1) async {
            while count(of: event) < times { await Task.yield() }
        }
    }

    /// Finds the address when it is told to.
    private final class Resolver: HostResolver {
        private let (stream, continuation) = AsyncStream.makeStream(of: Void.self)

        func release() { continuation.finish() }

        func addresses(of host: String, family: AddressFamily) async throws -> [IPAddress] {
            for await _ in stream {}
            return [IPAddress(literal: "127.0.0.1")].compactMap(\.self)
        }
    }

    private func session(
        _ clock: TestClock?, _ watch: Watch = Watch(), timeouts: Timeouts = none, connections: Int = 1,
        _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) -> Session {
        Session.limited(to: connections) {
            $0.reactorCount = nil
            ($0.clock, $0.timeouts, $0.observers) = (clock, timeouts, [watch])
            change(&$0)
        }
    }

    /// Starts a request, and returns when it waits.
    private func situation(_ wait: Wait, _ clock: TestClock) async throws -> Situation {
        let (watch, resolver) = (Watch(), Resolver())
        var timeouts = Self.none
        let expected: SessionError.TimeLimit
        let authority = try CertificateAuthority()
        var steps: [OriginStep] = [.hold, .ok("answer")]
        switch wait {
        case .resolver, .handshake: (timeouts.connect, expected) = (Self.limit, .connect)
        case .connection: (timeouts.queue, expected) = (Self.limit, .queue)
        case .head: (timeouts.head, expected) = (Self.limit, .head)
        case .firstByte: (timeouts.idle, expected) = (Self.limit, .idle)
        case .nextByte:
            (timeouts.idle, expected) = (Self.limit, .idle)
            steps = [.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nans"), .hold, .send("wer")]
        case .end: (timeouts.total, expected) = (Self.limit, .total)
        case .challenge: expected = .taskChallenge
        }
        let isSecure = wait == .handshake || wait == .challenge
        let origin = try ScriptedOrigin(
            tls: isSecure ? authority.issue() : nil,
            onAccept: { _ in wait == .handshake ? [.receive(1), .hold] : [] }
        ) { [steps] _, request in
            isSecure || wait == .resolver || request.index > 0 ? [.ok("answer")] : steps
        }
        let anchor = try X509Certificate(pem: authority.certificatePEM)
        let session = session(clock, watch, timeouts: timeouts) {
            $0.tls.anchors = .only([anchor])
            $0.challengeTimeout = Self.limit
            if wait == .resolver { $0.resolver = resolver }
        }
        let delegate = Recorder(asked: wait == .challenge)
        let request = try URLRequest(origin, host: wait == .resolver ? "a.test" : nil)
        if wait == .connection {
            session.dataTask(with: request.limited(to: Self.none), delegate: RecordingDelegate()).resume()
            #expect(await origin.waitFor { $0.requestCount == 1 })
        }
        session.dataTask(with: request, delegate: delegate).resume()
        switch wait {
        case .resolver: await watch.sees("resolving")
        case .handshake: #expect(await origin.waitFor { $0.bytesReceived > 0 })
        case .connection: await watch.sees("waiting for connection")
        case .head, .firstByte, .end: #expect(await origin.waitFor { $0.requestCount == 1 })
        case .nextByte: await delegate.recording.wait { !$0.body.isEmpty }
        case .challenge: await watch.sees("server-trust")
        }
        return Situation(session: session, delegate: delegate, expected: expected) {
            resolver.release()
            delegate.answer()
            try origin.release()
        }
    }

    @Test(arguments: Wait.allCases)
    func `a limit of a minute passes with a minute of the clock`(wait: Wait) async throws {
        for move in [Self.limit, .seconds(61), .seconds(100_000_000)] {
            let clock = TestClock()
            let situation = try await situation(wait, clock)
            let start = ContinuousClock.now
            clock.advance(by: move)
            let error = await situation.delegate.recording.end().error
            #expect(error?.reason.limit == situation.expected, "\(wait): \(String(describing: error))")
            #expect(ContinuousClock.now - start < .seconds(20))
        }
    }

    @Test(arguments: Wait.allCases)
    func `what comes within the minute is in time`(wait: Wait) async throws {
        let clock = TestClock()
        let situation = try await situation(wait, clock)
        for _ in 0..<59 { clock.advance(by: .seconds(1)) }
        clock.advance(by: .nanoseconds(999_999_999))
        await situation.session.settle()
        try situation.end()
        let record = await situation.delegate.recording.end()
        #expect(record.error == nil && String(decoding: record.body, as: UTF8.self) == "answer", "\(wait)")
    }

    @Test func `time stands still while nothing moves the clock`() async throws {
        let clock = TestClock()
        let origin = try ScriptedOrigin { _, _ in [.pause(.milliseconds(60)), .ok("late")] }
        let brief = Timeouts(connect: .milliseconds(1), idle: .milliseconds(1), total: .milliseconds(1))
        let session = session(clock, timeouts: brief)
        #expect(try await session.text(URLRequest(origin)) == "late")
    }

    @Test func `content waits for the server's permission for as long as the clock says`() async throws {
        let clock = TestClock()
        let origin = try ScriptedOrigin(onHead: { _, _ in [.receive(7)] }) { _, request in [.ok(request.bodyText)] }
        var timeouts = Self.none
        timeouts.continue = Self.limit
        let session = session(clock, timeouts: timeouts)
        var request = try URLRequest(origin, method: "PUT", body: Data("content".utf8))
        request.setValue("100-continue", forHTTPHeaderField: "Expect")
        async let text = session.text(request)
        #expect(await origin.waitFor { $0.headCount == 1 })
        let received = origin.observations.bytesReceived
        clock.advance(by: .seconds(59))
        await session.settle()
        #expect(origin.observations.bytesReceived == received)
        clock.advance(by: .seconds(1))
        #expect(try await text == "content")
    }

    @Test func `the times of a task are those of the clock`() async throws {
        let clock = TestClock()
        clock.advance(by: .seconds(3600))
        let start = clock.now
        let origin = try ScriptedOrigin { _, _ in [.hold, .ok("x")] }
        let session = session(clock)
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: try URLRequest(origin), delegate: delegate)
        task.resume()
        #expect(await origin.waitFor { $0.requestCount == 1 })
        clock.advance(by: .seconds(5))
        try origin.release()
        #expect(await delegate.end().error == nil)
        let metrics = try #require(task.metrics)
        #expect(metrics.start == start && metrics.end == clock.now)
        let attempt = try #require(metrics.attempts.first)
        #expect(attempt.connectionAcquired == start && attempt.requestSent == start)
        #expect(attempt.responseStart == clock.now && attempt.connection?.connectTime == .zero)
    }

    @Test func `retries wait for hours that take no time, as the policy and the server say`() async throws {
        let clock = TestClock()
        let origin = try ScriptedOrigin { _, request in
            switch request.index {
            case 0..<3: [.respond(status: 503)]
            case 3: [.respond(status: 503, fields: [("Retry-After", "7200")])]
            default: [.ok("well")]
            }
        }
        let watch = Watch()
        let session = session(clock) {
            $0.observers = [ClockMover(clock, by: .seconds(3600)), watch]
            $0.maximumIdleTime = .seconds(100_000)
            $0.retryPolicy.maximumRetries = 5
            $0.retryPolicy.maximumDelay = .seconds(10_000)
            $0.retryPolicy.backOff = RetryPolicy.BackOff(
                base: .seconds(3600), factor: 1, maximum: .seconds(3600), jitter: .none)
        }
        let before = clock.now
        let start = ContinuousClock.now
        let (delegate, request) = (RecordingDelegate(), try URLRequest(origin))
        let task = session.dataTask(with: request, delegate: delegate)
        task.resume()
        await watch.sees("waiting for delay", times: 4)
        clock.advance(by: .seconds(3600))
        #expect(await delegate.end().error == nil && origin.observations.requestCount == 5)
        #expect(task.metrics?.retries.map(\.delay) == [3600, 3600, 3600, 7200].map { .seconds($0) })
        #expect(before.duration(to: clock.now) == .seconds(5 * 3600) && ContinuousClock.now - start < .seconds(20))
    }

    @Test func `a budget of retries is full again when the clock has moved beyond its window`() async throws {
        let clock = TestClock()
        let origin = try ScriptedOrigin { _, request in [.respond(status: request.index % 2 == 0 ? 503 : 200)] }
        let session = session(clock) {
            $0.observers = [ClockMover(clock, by: .milliseconds(1))]
            $0.retryPolicy.maximumRetries = 1
            $0.retryPolicy.backOff = RetryPolicy.BackOff(base: .milliseconds(1), jitter: .none)
            $0.retryPolicy.budget = RetryPolicy.Budget(share: 0, floor: 1)
        }
        let request = try URLRequest(origin)
        #expect(try await session.data(for: request).1.statusCode == 200)
        #expect(try await session.data(for: request).1.statusCode == 503)
        #expect(try await session.data(for: request).1.statusCode == 200)
        clock.advance(by: .seconds(20))
        #expect(try await session.data(for: request).1.statusCode == 200)
        #expect(origin.observations.requestCount == 6)
    }

    @Test func `a second attempt begins when the clock says so`() async throws {
        let clock = TestClock()
        let origin = try ScriptedOrigin { connection, _ in connection == 1 ? [.hold, .ok("first")] : [.ok("second")] }
        let session = session(clock, connections: 2) { $0.retryPolicy.hedging = .after(Self.limit) }
        async let text = session.text(URLRequest(origin))
        #expect(await origin.waitFor { $0.requestCount == 1 })
        clock.advance(by: .seconds(59))
        await session.settle()
        #expect(origin.connectionCount == 1)
        clock.advance(by: .seconds(1))
        #expect(try await text == "second")
    }

    @Test func `requests that are more than the rate wait for the clock`() async throws {
        let clock = TestClock()
        let origin = try ScriptedOrigin { _, _ in [.ok("x")] }
        let watch = Watch()
        let session = session(clock, watch, connections: 4) { $0.rateLimit = RateLimit(requestsPerSecond: 1 / 60) }
        let request = try URLRequest(origin)
        #expect(try await session.text(request) == "x")
        for count in 2...4 {
            async let text = session.text(request)
            await watch.sees("waiting for rate", times: count - 1)
            clock.advance(by: .seconds(59))
            await session.settle()
            #expect(origin.observations.requestCount == count - 1)
            // A moment more, because numbers are rounded.
            clock.advance(by: .milliseconds(1001))
            #expect(try await text == "x")
        }
    }

    @Test func `bytes that are more than the rate wait for the clock`() async throws {
        let clock = TestClock()
        let origin = try ScriptedOrigin { _, _ in [.ok(String(repeating: "x", count: 20_000))] }
        let session = session(clock) { $0.rateLimit = RateLimit(bytesPerSecond: 1000) }
        let (delegate, before) = (RecordingDelegate(), clock.now)
        session.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
        while delegate.record.completions == 0 {
            clock.advance(by: .milliseconds(100))
            await session.settle()
        }
        #expect(delegate.record.error == nil && before.duration(to: clock.now) > .seconds(15))
    }

    @Test func `idle connections and old ones are closed by the clock`() async throws {
        let clock = TestClock()
        let origin = try ScriptedOrigin { _, _ in [.ok("x")] }
        let watch = Watch()
        let session = session(clock, watch) { $0.maximumConnectionAge = .seconds(200) }
        let request = try URLRequest(origin)
        for count in 1...3 {
            #expect(try await session.text(request) == "x")
            await watch.sees("idle", times: count)
            clock.advance(by: .milliseconds(29_999))
            await session.settle()
            #expect(session.connectionGauges.idle == 1 && origin.connectionCount == 1)
        }
        clock.advance(by: .milliseconds(1))
        await watch.sees("closed: expired")
        #expect(await origin.waitFor { $0.openConnections == 0 })
        for _ in 0..<8 {
            #expect(try await session.text(request) == "x")
            clock.advance(by: .seconds(25))
        }
        #expect(await origin.waitFor { $0.openConnections == 0 && $0.connectionCount == 2 })
    }

    @Test func `a stream of events is resumed by the clock`() async throws {
        let clock = TestClock()
        let origin = try ScriptedOrigin { connection, _ in
            let text = "retry: 3600000\ndata: \(connection)\n\n"
            return [.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n\(text)"), .close]
        }
        let session = session(clock)
        var events = session.events(for: try URLRequest(origin)).makeAsyncIterator()
        #expect(try await events.next()?.data == "1")
        let mover = Task {
            while clock.sleepCount == 0 { await Task.yield() }
            clock.advance(by: .seconds(3600))
        }
        #expect(try await events.next()?.data == "2")
        await mover.value
    }

    @Test func `the time that tasks have at the end of their session is of the clock`() async throws {
        let clock = TestClock()
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        let session = session(clock)
        let delegate = RecordingDelegate()
        session.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
        #expect(await origin.waitFor { $0.requestCount == 1 })
        async let end: Void = session.finish(within: Self.limit)
        while clock.sleepCount == 0 { await Task.yield() }
        clock.advance(by: Self.limit)
        await end
        #expect(await delegate.end().error?.reason.isCancellation == true)
    }

    @Test func `each session has the time of its own clock`() async throws {
        let (one, two) = (TestClock(), TestClock())
        let origin = try ScriptedOrigin { _, _ in [.hold, .ok("x")] }
        let limits = Timeouts(idle: Self.limit)
        let sessions = [one, one, two, nil].map { session($0, timeouts: limits) }
        let delegates = try sessions.map { session in
            let delegate = RecordingDelegate()
            session.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
            return delegate
        }
        #expect(await origin.waitFor { $0.requestCount == 4 })
        one.advance(by: .seconds(61))
        for delegate in delegates.prefix(2) { #expect(await delegate.end().error?.reason.limit == .idle) }
        #expect(delegates.suffix(2).allSatisfy { $0.record.completions == 0 })
        try origin.release()
        for delegate in delegates.suffix(2) { #expect(await delegate.end().error == nil) }
    }

    @Test func `a test that has seen an event may move the clock at once`() async throws {
        let clock = TestClock()
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        for event in ["attempt-began", "will-send", "opened", "in use"] {
            for _ in 0..<40 {
                let watch = Watch()
                let session = session(clock, watch, timeouts: Timeouts(idle: Self.limit))
                // On another thread, while the reactor is in the same tick.
                let mover = Task.detached {
                    await watch.sees(event)
                    clock.advance(by: Self.limit)
                }
                let error = await session.failure(of: try URLRequest(origin))
                #expect(error?.reason.limit == .idle || error?.reason.limit == .connect, "\(event)")
                await mover.value
            }
        }
    }

    @Test func `a session that is released ends its tasks while others move its clock, and the clock outlives it`()
        async throws
    {
        let clock = TestClock()
        let origin = try ScriptedOrigin { _, _ in [.hold, .ok()] }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    while !Task.isCancelled {
                        clock.advance(by: .milliseconds(1))
                        await Task.yield()
                    }
                }
            }
            for _ in 0..<20 {
                var session: Session? = self.session(clock, connections: 4) { $0.reactorCount = 2 }
                let delegates = (0..<10).map { _ in RecordingDelegate() }
                for delegate in delegates {
                    guard let request = try? URLRequest(origin) else { continue }
                    session?.dataTask(with: request, delegate: delegate).resume()
                }
                session = nil
                for delegate in delegates { #expect(await delegate.end().completionsAndFailure) }
            }
            group.cancelAll()
        }
        #expect(await eventually { clock.loopCount == 0 })
        clock.advance(by: .seconds(61))
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }
}

extension RecordingDelegate.Record {
    /// Whether the task has ended once, with an error.
    fileprivate var completionsAndFailure: Bool { completions == 1 && error != nil }
}
