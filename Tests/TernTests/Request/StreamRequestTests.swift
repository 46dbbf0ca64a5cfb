// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestProofs
import Testing

@testable import Tern

@Suite(.timeLimit(.minutes(5))) struct StreamRequestTests {
    private let journal = Journal()

    private func server(_ steps: [ScriptedOrigin.Step]) throws -> ScriptedOrigin {
        try ScriptedOrigin(onAccept: { _ in steps }) { _, _ in [.awaitClose] }
    }

    private func read(_ task: StreamTask, _ count: Int) async throws -> String {
        let (data, _) = try await task.readData(ofMinLength: count, maxLength: count, timeout: .seconds(60))
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    @Test(.proves("2.16a", "4.1d", "11.8a")) func `a manager's stream speaks bytes, and is a request like any other`()
        async throws
    {
        let origin = try server([.send("hello"), .awaitClose])
        let manager = SessionManager()
        let request = manager.stream(withHostName: "127.0.0.1", port: Int(origin.port))
        let task = try #require(request.streamTask)
        #expect(try await read(task, 5) == "hello")
        #expect(request.task === task && request.request == nil && request.response == nil)
        #expect(manager.delegate[task] === request)
        #expect(request.description == "" && request.debugDescription == "$ curl command could not be created")
        request.cancel()
        #expect(await origin.waitFor { $0.openConnections == 0 })
        await request.delegate.isOver()
        #expect((request.delegate.error as? SessionError)?.reason.kind == .cancelled)
        #expect(manager.delegate[task] == nil)
    }

    @Test func `a stream that is not started opens nothing`() async throws {
        let origin = try server([.send("hello")])
        let manager = SessionManager()
        manager.startRequestsImmediately = false
        let request = manager.stream(withHostName: "127.0.0.1", port: Int(origin.port))
        #expect(request.task?.state == .suspended)
        request.resume()
        #expect(try await read(try #require(request.streamTask), 5) == "hello")
        request.cancel()
    }

    @Test(.proves("3.8a")) func `the manager's closures receive both ends, and then the task's`() async throws {
        let origin = try server([.send("x"), .close])
        let manager = SessionManager()
        manager.delegate.streamTaskReadClosed = { [journal] _, task in journal.note("read closed \(task.state)") }
        manager.delegate.streamTaskWriteClosed = { [journal] _, _ in journal.note("write closed") }
        manager.delegate.streamTaskBetterRouteDiscovered = { [journal] _, _ in journal.note("route") }
        manager.delegate.streamTaskDidBecomeInputAndOutputStreams = { [journal] _, _, _, _ in journal.note("streams") }
        manager.delegate.taskDidComplete = { [journal] _, _, error in journal.note("end \(error == nil)") }
        let request = manager.stream(withHostName: "localhost", port: Int(origin.port))
        let task = try #require(request.streamTask)
        #expect(try await read(task, 2) == "x")
        task.closeWrite()
        await request.delegate.isOver()
        let notes = journal.entries
        #expect(notes.map { $0.prefix(10) } == ["read close", "write clos", "end true"])
    }

    @Test func `tasks that were created on the session are reported, too`() async throws {
        let origin = try server([.send("x"), .close])
        let manager = SessionManager()
        let (told, tell) = AsyncStream.makeStream(of: String.self)
        manager.delegate.streamTaskReadClosed = { _, _ in tell.yield("read closed") }
        let task = manager.session.streamTask(withHostName: "localhost", port: Int(origin.port))
        task.resume()
        #expect(try await read(task, 2) == "x")
        #expect(await told.first { _ in true } == "read closed")
        task.cancel()
    }

    @Test(.proves("4.2b")) func `an invalid host is the error of a read, and of the request`() async throws {
        let manager = SessionManager()
        let request = manager.stream(withHostName: "a/b", port: 80)
        let task = try #require(request.streamTask)
        await #expect(throws: SessionError.self) { try await task.readData(ofMinLength: 1, maxLength: 1, timeout: nil) }
        await request.delegate.isOver()
        #expect((request.delegate.error as? SessionError)?.reason.kind == .invalidRequest)
    }

    @Test func `the end of a manager ends its streams`() async throws {
        let origin = try server([.send("hello"), .awaitClose])
        var manager: SessionManager? = SessionManager()
        let request = try #require(manager?.stream(withHostName: "127.0.0.1", port: Int(origin.port)))
        #expect(try await read(try #require(request.streamTask), 5) == "hello")
        manager = nil
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }
}

extension TaskDelegate {
    /// Waits for the end of its request.
    fileprivate func isOver() async {
        await withCheckedContinuation { continuation in queue.addOperation { continuation.resume() } }
    }
}
