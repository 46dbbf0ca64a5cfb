// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Every limit of 100 ms passes after 100 ms and not much later, whatever it is that takes so long.
@Suite(.timeLimit(.minutes(5))) struct TimeoutsTests {
    private static let limit = Duration.milliseconds(100)
    private static let connect = Timeouts(connect: limit, idle: .seconds(20), total: .seconds(20))
    private static let idle = Timeouts(connect: .seconds(20), idle: limit, total: .seconds(20))
    private static let total = Timeouts(connect: .seconds(20), idle: .seconds(20), total: limit)

    /// Expects `request` to be ended by `limit`, never early, and on time in one of a few tries: other tests want the
    /// processor too.
    private func expect(
        _ limit: SessionError.TimeLimit, in phase: SessionError.Phase, _ request: URLRequest,
        _ session: Session = .limited(), sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        for isLast in [false, false, false, true] {
            let (error, duration) = await outcome(of: request, in: session)
            #expect(error?.reason.limit == limit, "\(String(describing: error))", sourceLocation: sourceLocation)
            // A limit begins with the tick that takes the request in, which a busy machine may have interrupted before.
            #expect(duration >= Self.limit - .milliseconds(20), sourceLocation: sourceLocation)
            let isInTime = duration >= Self.limit && duration < Self.limit + .milliseconds(100)
            if error?.phase == phase, isInTime { return }
            if isLast {
                #expect(duration >= Self.limit, sourceLocation: sourceLocation)
                // On a machine this busy, the limits of the other kinds are still far away.
                #expect(duration < .seconds(8), sourceLocation: sourceLocation)
                let phases = SessionError.Phase.allCases.prefix { $0 != phase } + [phase]
                #expect(phases.contains { $0 == error?.phase }, sourceLocation: sourceLocation)
            }
        }
    }

    /// The time is taken on the reactor's thread.
    private func outcome(of request: URLRequest, in session: Session) async -> (SessionError?, Duration) {
        let delegate = RecordingDelegate()
        let start = ContinuousClock.now
        session.dataTask(with: request, delegate: delegate).resume()
        let record = await delegate.end()
        return (record.error, record.end - start)
    }

    @Test func `connecting`() async throws {
        let hole = try BlackHole()
        let request = URLRequest(url: try #require(URL(string: hole.url)))
        await expect(.connect, in: .connect, request.limited(to: Self.connect))
        await expect(.total, in: .pool, request.limited(to: Self.total))
        let session = Session.limited { $0.timeouts = Self.connect }
        await expect(.connect, in: .connect, request, session)
    }

    @Test func `waiting in the queue, for a connection to be free or to be opened`() async throws {
        let queue = Timeouts(queue: Self.limit, connect: .seconds(20), idle: .seconds(20), total: .seconds(20))
        let hole = try BlackHole()
        await expect(.queue, in: .pool, URLRequest(url: try #require(URL(string: hole.url))).limited(to: queue))
        let origin = try ScriptedOrigin { _, request in request.target == "/first" ? [.hold, .ok()] : [.ok("answer")] }
        let session = Session.limited { $0.timeouts = queue }
        let first = RecordingDelegate()
        // Its own wait is over, so the limit does not concern it any more.
        session.dataTask(with: try URLRequest(origin, "/first"), delegate: first).resume()
        #expect(await origin.waitFor { $0.requestCount == 1 })
        await expect(.queue, in: .pool, try URLRequest(origin, "/late"), session)
        #expect(first.record.completions == 0)
        try origin.release()
        #expect(await first.end().error == nil)
        #expect(try await session.text(URLRequest(origin)) == "answer")
        #expect(origin.requests.map(\.target) == ["/first", "/"])
        #expect(origin.connectionCount == 1)
    }

    private static let head = head(limit)

    private static func head(_ limit: Duration) -> Timeouts {
        Timeouts(connect: .seconds(20), head: limit, idle: .seconds(20), total: .seconds(20))
    }

    @Test(
        arguments: [
            [.hold], [.send("HTTP/1.1 200 OK\r\nContent-Le"), .hold], [.send("HTTP/1.1 103 Early\r\n\r\n"), .hold],
            [.drip(Array("HTTP/1.1 200 OK\r\nServer: a server with little to say".utf8), every: .milliseconds(40))],
        ] as [[ScriptedOrigin.Step]], [false, true])
    func `waiting for the head, whatever else comes`(steps: [ScriptedOrigin.Step], isSecure: Bool) async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { _, _ in steps }
        let session = try Session.trusting(authority)
        await expect(.head, in: .head, try URLRequest(origin).limited(to: Self.head), session)
        let body = Data(repeating: 7, count: 100_000)
        await expect(
            .head, in: .head, try URLRequest(origin, method: "PUT", body: body).limited(to: Self.head), session)
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test func `a body that comes late is none of the head's business`() async throws {
        try await BriefLimit.expect("halfhalf") { limit in
            let origin = try ScriptedOrigin { _, _ in
                [.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf"), .pause(limit * 2), .send("half")]
            }
            return try await Session.limited().text(URLRequest(origin).limited(to: Self.head(limit)))
        }
    }

    @Test func `the head timeout starts once the request is sent, and until then the idle timeout counts`() async throws
    {
        try await BriefLimit.expect("answer") { limit in
            let slow = try ScriptedOrigin(.smallWindow, onHead: { _, _ in [.pause(limit * 2)] }) { _, _ in
                [.ok("answer")]
            }
            let request = try URLRequest(slow, method: "PUT", body: Data(repeating: 0, count: 16 << 20))
            return try await Session.limited().text(request.limited(to: Self.head(limit)))
        }
        let stuck = try ScriptedOrigin(.smallWindow, onHead: { _, _ in [.hold] }) { _, _ in [] }
        var upload = try URLRequest(stuck, method: "PUT", body: Data(repeating: 0, count: 16 << 20))
        upload.timeouts = Timeouts(connect: .seconds(20), head: .milliseconds(1), idle: Self.limit, total: .seconds(20))
        await expect(.idle, in: .head, upload)
    }

    @Test func `a pause before the head does not count as idle time either`() async throws {
        try await BriefLimit.expect(true) { limit in
            let origin = try ScriptedOrigin { _, _ in [.hold, .ok("answer")] }
            let clock = try ScriptedOrigin { _, request in
                [.pause(request.target == "/long" ? limit * 3 / 2 : limit / 4), .ok()]
            }
            let session = Session.limited(to: 2)
            let delegate = Pausing()
            let limits = Timeouts(head: limit, idle: .seconds(20))
            let task = session.dataTask(with: try URLRequest(origin).limited(to: limits), delegate: delegate)
            task.resume()
            _ = try await session.data(for: URLRequest(clock, "/long"))
            task.resume()
            // The timeout restarts, and this is the time in which it must not fire.
            _ = try await session.data(for: URLRequest(clock, "/short"))
            _ = await origin.waitFor { $0.requestCount == 1 }
            try origin.release()
            if let error = await delegate.recording.end().error { throw error }
            return true
        }
    }

    /// Suspends its task before it is sent.
    private final class Pausing: SessionTaskDelegate {
        let recording = RecordingDelegate()

        func task(_ task: SessionTask, willSendOn connection: ConnectionMetrics) { task.suspend() }

        func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
            recording.task(task, didCompleteWith: error)
        }
    }

    @Test func `shaking hands`() async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: authority.issue(), onAccept: { _ in [.receive(1), .hold] }) { _, _ in [] }
        let session = try Session.trusting(authority)
        await expect(.connect, in: .tls, try URLRequest(origin).limited(to: Self.connect), session)
        await expect(.total, in: .pool, try URLRequest(origin).limited(to: Self.total), session)
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test func `waiting for a connection`() async throws {
        let origin = try ScriptedOrigin { _, request in request.target == "/first" ? [.hold, .ok()] : [.ok("answer")] }
        let session = Session.limited()
        async let first = session.data(for: URLRequest(origin, "/first"))
        #expect(await origin.waitFor { $0.requestCount == 1 })
        await expect(.total, in: .pool, try URLRequest(origin, "/late").limited(to: Self.total), session)
        try origin.release()
        _ = try await first
        #expect(try await session.text(URLRequest(origin)) == "answer")
        #expect(!origin.requests.contains { $0.target == "/late" })
    }

    struct Stall: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [ScriptedOrigin.Step]
        let phase: SessionError.Phase
    }

    @Test(
        arguments: [
            Stall(testDescription: "before the head", steps: [.hold], phase: .head),
            Stall(testDescription: "in the head", steps: [.send("HTTP/1.1 200"), .hold], phase: .head),
            Stall(testDescription: "after a 103", steps: [.send("HTTP/1.1 103 Early\r\n\r\n"), .hold], phase: .head),
            Stall(
                testDescription: "in the body",
                steps: [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .hold],
                phase: .body),
            Stall(
                testDescription: "in a chunk",
                steps: [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf"), .hold], phase: .body),
        ], [false, true])
    func `waiting for the response`(_ stall: Stall, isSecure: Bool) async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { _, _ in stall.steps }
        let session = try Session.trusting(authority)
        await expect(.idle, in: stall.phase, try URLRequest(origin).limited(to: Self.idle), session)
        await expect(.total, in: stall.phase, try URLRequest(origin).limited(to: Self.total), session)
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test(arguments: [false, true]) func `an upload that is not read`(isSecure: Bool) async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(
            .smallWindow, tls: isSecure ? authority.issue() : nil, onHead: { _, _ in [.hold] }
        ) { _, _ in
            []
        }
        let session = try Session.trusting(authority)
        let request = try URLRequest(origin, method: "PUT", body: Data(repeating: 0, count: 16 << 20))
        await expect(.idle, in: .head, request.limited(to: Self.idle), session)
        await expect(.total, in: .head, request.limited(to: Self.total), session)
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test func `a drip starts the idle limit over, but not the total one`() async throws {
        try await BriefLimit.expect(20) { limit in
            // Takes two and a half limits.
            let origin = try Self.dripping(20, every: limit / 8)
            let limits = Timeouts(connect: .seconds(20), idle: limit, total: .seconds(60))
            return try await Session.limited().text(URLRequest(origin).limited(to: limits)).count
        }
        let origin = try Self.dripping(1000, every: .milliseconds(40))
        await expect(.total, in: .body, try URLRequest(origin).limited(to: Self.total))
    }

    private static func dripping(_ count: Int, every interval: Duration) throws -> ScriptedOrigin {
        try ScriptedOrigin { _, _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n"),
                .drip(Array(repeating: 0x78, count: count), every: interval),
            ]
        }
    }

    @Test func `no time at all`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        for timeouts in [
            Timeouts(total: .zero), Timeouts(total: .seconds(-1)), Timeouts(idle: .zero), Timeouts(head: .zero),
        ] {
            let error = await Session.limited().failure(of: try URLRequest(origin).limited(to: timeouts))
            let limit: SessionError.TimeLimit = timeouts.head != nil ? .head : timeouts.total != nil ? .total : .idle
            #expect(error?.reason.limit == limit)
        }
        let hole = try BlackHole()
        let unreachable = URLRequest(url: try #require(URL(string: hole.url))).limited(to: Timeouts(queue: .zero))
        #expect(await Session.limited().failure(of: unreachable)?.reason.limit == .queue)
        let end = Duration.seconds(Int64.max)
        let never = Timeouts(queue: end, connect: end, head: end, idle: end, total: end)
        let quick = try ScriptedOrigin { _, _ in [.ok("answer")] }
        #expect(try await Session.limited().text(URLRequest(quick).limited(to: never)) == "answer")
    }

    @Test func `more time than can be counted`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("answer")] }
        let forever = Duration.seconds(1e19)
        let session = Session.limited { $0.maximumIdleTime = forever }
        let never = Timeouts(queue: forever, connect: forever, head: forever, idle: forever, total: forever)
        for _ in 0..<2 { #expect(try await session.text(URLRequest(origin).limited(to: never)) == "answer") }
        #expect(origin.connectionCount == 1)
        let past = Duration.zero - forever
        let brief = Session.limited { $0.maximumIdleTime = past }
        for _ in 0..<2 { #expect(try await brief.text(URLRequest(origin)) == "answer") }
        let (hole, silent) = (try BlackHole(), try ScriptedOrigin { _, _ in [.hold] })
        let unreachable = URLRequest(url: try #require(URL(string: hole.url))).limited(to: Timeouts(connect: past))
        #expect(await brief.failure(of: unreachable)?.reason.limit == .connect)
        for timeouts in [Timeouts(head: past), Timeouts(idle: past), Timeouts(total: past)] {
            #expect(await brief.failure(of: try URLRequest(silent).limited(to: timeouts))?.reason.limit != nil)
        }
    }

    @Test func `a pause of the reader does not count as idle time`() async throws {
        try await BriefLimit.expect("halfhalf") { limit in
            let origin = try ScriptedOrigin { _, _ in
                [.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf"), .hold, .send("half")]
            }
            let clock = try ScriptedOrigin { _, request in
                [.pause(request.target == "/long" ? limit * 3 / 2 : limit / 4), .ok()]
            }
            let session = Session.limited()
            let delegate = RecordingDelegate { task, event in if case .head = event { task.suspend() } }
            let limits = Timeouts(idle: limit)
            let task = session.dataTask(with: try URLRequest(origin).limited(to: limits), delegate: delegate)
            task.resume()
            _ = try await session.data(for: URLRequest(clock, "/long"))
            task.resume()
            // The timeout restarts when the reader returns, and this is the time in which it must not fire.
            _ = try await session.data(for: URLRequest(clock, "/short"))
            try origin.release()
            let record = await delegate.end()
            if let error = record.error { throw error }
            return String(decoding: record.body, as: UTF8.self)
        }
    }

    @Test func `one request's limits are not another's`() async throws {
        let hole = try BlackHole()
        let session = Session.limited(to: 2)
        let request = URLRequest(url: try #require(URL(string: hole.url)))
        let patient = RecordingDelegate()
        let task = session.dataTask(with: request.limited(to: Timeouts(connect: .seconds(20))), delegate: patient)
        task.resume()
        await session.settle()
        await expect(.connect, in: .connect, request.limited(to: Self.connect), session)
        #expect(patient.record.completions == 0)
        task.cancel()
        #expect(await patient.end().error?.reason.isCancellation == true)
    }
}
