// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Cancellation, suspension, timeouts and the end of the session, at every stage of a redirect.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RedirectSteeringTests {
    enum Stage: String, CaseIterable, Sendable { case discarding, pool, connect, head, body }

    /// A task that stays where it is: at `stage` of its second hop, or in the first one's body.
    private struct Scene {
        let origin: ScriptedOrigin
        let target: ScriptedOrigin
        let hole: BlackHole
        /// The number of connections that fill the hole.
        let knocking: Int
        let request: URLRequest
        let location: String

        init(_ stage: Stage) throws {
            target = try ScriptedOrigin { _, request in
                switch request.target {
                case "/head", "/first": [.hold, .ok("late")]
                case "/body": [.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf"), .hold, .send("half")]
                default: [.ok("fine")]
                }
            }
            hole = try BlackHole()
            knocking = ClientSockets.countConnecting(to: hole.port)
            let location = stage == .connect ? hole.url : target.url("/\(stage.rawValue)")
            self.location = location
            let isHeld = stage == .discarding
            origin = try ScriptedOrigin { _, _ in
                let head = "HTTP/1.1 302 \r\nLocation: \(location)\r\nContent-Length: 8\r\n\r\nhalf"
                return isHeld ? [.send(head), .hold, .send("half")] : [.send(head + "half")]
            }
            request = try URLRequest(origin, "/a")
        }

        /// Returns once the task is there.
        func wait(for stage: Stage, of task: SessionTask, _ delegate: RecordingDelegate, in session: Session) async {
            while task.currentRequest?.url?.absoluteString != location { await session.settle() }
            switch stage {
            // The hop has begun, and its connection with it.
            case .discarding, .pool, .connect: await session.settle()
            case .head: #expect(await target.waitFor { $0.requests.contains { $0.target == "/head" } })
            case .body: await delegate.wait { !$0.body.isEmpty }
            }
        }

        func port(of stage: Stage) -> UInt16 { stage == .connect ? hole.port : target.port }

        func release() throws {
            try origin.release()
            try target.release()
        }
    }

    /// Keeps the target's one connection busy if the task is to wait for it.
    private func occupy(_ scene: Scene, for stage: Stage, in session: Session) async throws -> SessionTask? {
        guard stage == .pool else { return nil }
        let task = session.dataTask(with: try URLRequest(scene.target, "/first"), delegate: RecordingDelegate())
        task.resume()
        #expect(await scene.target.waitFor { $0.requestCount == 1 })
        return task
    }

    private static func phase(_ stage: Stage) -> SessionError.Phase {
        switch stage {
        case .discarding, .body: .body
        case .pool, .connect: .pool
        case .head: .head
        }
    }

    @Test(arguments: Stage.allCases, 0..<3)
    func `cancelling ends it where it is, and leaves nothing behind`(stage: Stage, round: Int) async throws {
        let session = Session.limited()
        let scene = try Scene(stage)
        let first = try await occupy(scene, for: stage, in: session)
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: scene.request, delegate: delegate)
        task.resume()
        await scene.wait(for: stage, of: task, delegate, in: session)
        task.cancel()
        let record = await delegate.end()
        let error = try #require(record.error)
        #expect(error.reason.isCancellation)
        #expect(error.phase == Self.phase(stage))
        #expect(record.completions == 1)
        #expect(task.metrics?.redirectCount == (stage == .discarding ? 0 : 1))
        first?.cancel()
        #expect(try await session.text(URLRequest(scene.target)) == "fine")
        #expect(await scene.target.waitFor { $0.openConnections == 1 })
        if stage == .discarding { #expect(await scene.origin.waitFor { $0.openConnections == 0 }) }
        if stage == .connect { #expect(ClientSockets.countConnecting(to: scene.hole.port) <= scene.knocking) }
    }

    @Test(arguments: Stage.allCases)
    func `the end of the session is its end`(stage: Stage) async throws {
        let holder = SessionHolder(.limited())
        let scene = try Scene(stage)
        let delegate = RecordingDelegate()
        do {
            let session = try #require(holder.session)
            _ = try await occupy(scene, for: stage, in: session)
            let task = session.dataTask(with: scene.request, delegate: delegate)
            task.resume()
            await scene.wait(for: stage, of: task, delegate, in: session)
        }
        holder.drop()
        let record = await delegate.end()
        #expect(record.error?.reason.isInvalidation == true)
        #expect(record.completions == 1)
        #expect(await scene.target.waitFor { $0.openConnections == 0 })
        #expect(await scene.origin.waitFor { $0.openConnections == 0 })
    }

    struct Limit: Sendable, CustomTestStringConvertible {
        let stage: Stage
        let limit: SessionError.TimeLimit
        let phase: SessionError.Phase

        var testDescription: String { "\(limit) while \(stage)" }

        func timeouts(_ brief: Duration) -> Timeouts {
            var timeouts = Timeouts(connect: .seconds(20), idle: .seconds(20))
            switch limit {
            case .queue: timeouts.queue = brief
            case .connect: timeouts.connect = brief
            case .head: timeouts.head = brief
            case .idle: timeouts.idle = brief
            case .total: timeouts.total = brief
            case .sessionChallenge, .taskChallenge, .read, .write: break
            }
            return timeouts
        }
    }

    /// What ended a task, where and when, and what the next one gets.
    private struct Ending: Equatable {
        let limit: SessionError.TimeLimit?
        let phase: SessionError.Phase
        var isEarly = false
        var isOfTheHop = true
        var next = "fine"
    }

    private static let limits =
        Stage.allCases.map { Limit(stage: $0, limit: .total, phase: phase($0)) } + [
            Limit(stage: .head, limit: .idle, phase: .head),
            Limit(stage: .body, limit: .idle, phase: .body), Limit(stage: .head, limit: .head, phase: .head),
            Limit(stage: .pool, limit: .queue, phase: .pool), Limit(stage: .connect, limit: .queue, phase: .pool),
            Limit(stage: .connect, limit: .connect, phase: .connect),
        ]

    @Test(arguments: limits)
    func `each limit ends it, and the error says which and where`(_ limit: Limit) async throws {
        try await BriefLimit.expect(Ending(limit: limit.limit, phase: limit.phase)) { brief in
            let session = Session.limited()
            let scene = try Scene(limit.stage)
            let first = try await occupy(scene, for: limit.stage, in: session)
            let start = ContinuousClock.now
            let error = try #require(await session.failure(of: scene.request.limited(to: limit.timeouts(brief))))
            let isEarly = ContinuousClock.now - start < brief
            first?.cancel()
            return Ending(
                limit: error.reason.limit, phase: error.phase, isEarly: isEarly,
                isOfTheHop: limit.stage == .discarding || error.origin?.port == scene.port(of: limit.stage),
                next: try await session.text(URLRequest(scene.target)))
        }
    }

    @Test(arguments: [Stage.discarding, .pool, .head, .body])
    func `suspended, it delivers nothing, and continues when it is resumed`(stage: Stage) async throws {
        let session = Session.limited()
        let scene = try Scene(stage)
        let first = try await occupy(scene, for: stage, in: session)
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: scene.request, delegate: delegate)
        task.resume()
        await scene.wait(for: stage, of: task, delegate, in: session)
        let told = delegate.record.events
        task.suspend()
        await session.settle()
        try scene.release()
        // Whatever it was waiting for has come.
        let sent = stage == .discarding ? scene.origin : scene.target
        #expect(await sent.waitFor { $0.bytesSent > 0 })
        for _ in 0..<20 { await session.settle() }
        #expect(delegate.record.events == told)
        #expect(task.state == .suspended)
        task.resume()
        let record = await delegate.end()
        #expect(record.error == nil)
        let texts: [Stage: String] = [.discarding: "fine", .pool: "fine", .head: "late", .body: "halfhalf"]
        #expect(String(decoding: record.body, as: UTF8.self) == texts[stage])
        withExtendedLifetime(first) {}
    }

    @Test func `its delegate may cancel it before the second hop is sent`() async throws {
        let (target, scene) = (try ScriptedOrigin { _, _ in [.ok()] }, Second())
        let location = target.url("/there")
        let origin = try ScriptedOrigin { _, _ in [.redirect(to: location)] }
        let session = Session.limited()
        let task = session.dataTask(with: try URLRequest(origin), delegate: scene)
        task.resume()
        #expect(await scene.recording.end().error?.reason.isCancellation == true)
        #expect(await target.waitFor { $0.connectionCount == 1 && $0.openConnections == 0 })
        #expect(target.requests.isEmpty)
    }

    /// Cancels its task when it is about to be sent for the second time.
    private final class Second: SessionTaskDelegate {
        let recording = RecordingDelegate()

        func task(_ task: SessionTask, willSendOn connection: ConnectionMetrics) {
            if task.currentRequest?.url?.path() == "/there" { task.cancel() }
        }

        func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
            recording.task(task, didCompleteWith: error)
        }
    }
}
