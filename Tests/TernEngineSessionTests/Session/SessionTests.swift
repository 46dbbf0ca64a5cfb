// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import TestProofs
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct SessionTests {
    @Test func `ends a waiting, a sent and a half-answered request when it is dropped`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/half" ? [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .hold] : [.hold]
        }
        var session: Session? = .limited(to: 2)
        let delegates = ["/half", "/sent", "/waiting"].map { _ in RecordingDelegate() }
        for (delegate, path) in zip(delegates, ["/half", "/sent", "/waiting"]) {
            session?.dataTask(with: try URLRequest(origin, path), delegate: delegate).resume()
        }
        await delegates[0].wait { $0.body.count == 4 }
        #expect(await origin.waitFor { $0.requestCount == 2 })
        session = nil
        for delegate in delegates {
            let record = await delegate.end()
            #expect(record.error?.reason.isInvalidation == true)
        }
        #expect(await origin.waitFor { $0.openConnections == 0 })
        #expect(ClientSockets.count(to: origin.port) == 0)
        #expect(delegates.map(\.record.completions) == [1, 1, 1])
        #expect(delegates.map(\.record.error?.wasSent) == [true, true, false])
    }

    @Test func `ends a request that was sent again when it is dropped`() async throws {
        let origin = try ScriptedOrigin { connection, request in
            request.index == 0 && connection == 1 ? [.ok()] : connection == 1 ? [.close] : [.hold]
        }
        var session: Session? = .limited()
        _ = try await session?.data(for: URLRequest(origin))
        let delegate = RecordingDelegate()
        session?.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
        #expect(await origin.waitFor { $0.requestCount == 3 })
        session = nil
        #expect(await delegate.end().error?.reason.isInvalidation == true)
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test func `closes idle connections when it is dropped`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        var session: Session? = .limited(to: 4)
        try await withThrowingTaskGroup(of: Void.self) { [session] group in
            for _ in 0..<8 { group.addTask { _ = try await session?.data(for: URLRequest(origin)) } }
            try await group.waitForAll()
        }
        #expect(origin.observations.openConnections >= 1)
        session = nil
        #expect(await origin.waitFor { $0.openConnections == 0 })
        #expect(ClientSockets.count(to: origin.port) == 0)
    }

    @Test func `fails a task that is started after it was dropped`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let delegate = RecordingDelegate()
        let task = Session.limited().dataTask(with: try URLRequest(origin), delegate: delegate)
        task.resume()
        let record = await delegate.end()
        #expect(record.error?.reason.isInvalidation == true)
        #expect(record.error?.wasSent == false)
        #expect(origin.connectionCount == 0)
    }

    @Test(.proves("14.15a"))
    func `lists the tasks that this thread has resumed, wherever their reactors are with them`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        let session = Session.limited(to: 5) { $0.reactorCount = 2 }
        for _ in 0..<1000 {
            let tasks = try (0..<5).map { _ in
                session.dataTask(with: try URLRequest(origin), delegate: RecordingDelegate())
            }
            for (count, task) in tasks.enumerated() {
                task.resume()
                let listed = session.allTasks.map(\.taskIdentifier)
                let missing = tasks[...count].filter { !listed.contains($0.taskIdentifier) }
                if !missing.isEmpty { Issue.record("\(missing.count) of \(count + 1) are missing") }
                if Set(listed).count != listed.count { Issue.record("\(listed) has a task twice") }
            }
            tasks.forEach { $0.cancel() }
        }
        while !session.allTasks.isEmpty { await session.settle() }
        session.invalidateAndCancel()
    }

    @Test func `may be dropped from the callback of its own task`() async throws {
        final class Holder: @unchecked Sendable {
            // Written before the task starts and cleared on the reactor's thread.
            var session: Session?
        }
        let origin = try ScriptedOrigin { _, _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .hold] }
        let holder = Holder()
        let delegate = RecordingDelegate { _, event in if case .head = event { holder.session = nil } }
        holder.session = .limited()
        holder.session?.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
        let record = await delegate.end()
        #expect(record.error?.reason.isInvalidation == true)
        #expect(record.events.last == .end(failed: true))
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test func `shares its reactors with other sessions unless asked for its own`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("answer")] }
        let sessions = (0..<3).map { _ in Session.limited { $0.reactorCount = nil } }
        for session in sessions { #expect(try await session.text(URLRequest(origin)) == "answer") }
        let executors = sessions.map { $0.executors.map { ObjectIdentifier($0) } }
        #expect(!executors[0].isEmpty)
        #expect(executors == [executors[0], executors[0], executors[0]])
    }

    @Test func `runs on reactors of its own when asked`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("answer")] }
        let session = Session.limited(to: 3) { $0.reactorCount = 3 }
        #expect(session.executors.count == 3)
        for _ in 0..<6 { #expect(try await session.text(URLRequest(origin)) == "answer") }
    }

    @Test func `serves a limit below its number of reactors`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("answer")] }
        let session = Session.limited(to: 1) { $0.reactorCount = 4 }
        for _ in 0..<8 { #expect(try await session.text(URLRequest(origin)) == "answer") }
        #expect(origin.connectionCount == 1)
    }

    @Test func `serves tasks that prefer its executors`() async throws {
        let origin = try ScriptedOrigin { _, request in [.ok(request.target)] }
        let session = Session.limited(to: 4)
        let executor = try #require(session.executors.first)
        let texts = try await Task(executorPreference: executor) {
            var texts: [String] = []
            for index in 0..<50 { texts.append(try await session.text(URLRequest(origin, "/\(index)"))) }
            return texts
        }.value
        #expect(texts == (0..<50).map { "/\($0)" })
        #expect(origin.connectionCount == 1)
    }

    @Test func `twenty thousand requests over 64 connections leave no socket behind`() async throws {
        let count = Sanitizer.isWatching ? 5000 : Rounds.of(20_000)
        var configuration = ScriptedOrigin.Configuration()
        configuration.rememberedRequests = 0
        let origin = try ScriptedOrigin(configuration) { _, _ in [.ok("answer")] }
        let holder = SessionHolder(.limited(to: 64))
        let request = try URLRequest(origin)
        let executor = try #require(holder.session?.executors.first)
        let answered = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<64 {
                group.addTask(executorPreference: executor) {
                    var answered = 0
                    for _ in 0..<count / 64 where await holder.session?.failure(of: request) == nil { answered += 1 }
                    return answered
                }
            }
            return await group.reduce(0, +)
        }
        #expect(answered == count / 64 * 64)
        #expect(origin.connectionCount <= 64)
        holder.drop()
        #expect(await origin.waitFor { $0.openConnections == 0 })
        #expect(ClientSockets.count(to: origin.port) == 0)
    }
}
