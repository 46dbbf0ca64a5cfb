// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct BodyStreamTests {
    /// A task that is never started, and whose pauses can be looked at.
    private func task(_ stream: BodyStream) throws -> SessionTask {
        Session.limited().dataTask(
            with: URLRequest(url: try #require(URL(string: "http://localhost/"))), delegate: stream)
    }

    private func deliver(_ bytes: [UInt8], to stream: BodyStream, _ task: SessionTask) {
        stream.task(task, didReceive: bytes.span)
    }

    @Test func `stops the socket above one mark and starts it below another`() async throws {
        let stream = BodyStream()
        let task = try task(stream)
        let piece = [UInt8](repeating: 1, count: 64 * 1024)
        for _ in 0..<Valve.highWater / piece.count { deliver(piece, to: stream, task) }
        #expect(!task.isSuspended)
        deliver([1], to: stream, task)
        #expect(task.isSuspended)
        deliver(piece, to: stream, task)
        #expect(task.isSuspended)
        #expect(try await stream.next(of: task).get()?.count == Valve.highWater + 1 + piece.count)
        #expect(!task.isSuspended)
    }

    @Test func `gives what came, then the end, again and again`() async throws {
        let stream = BodyStream()
        let task = try task(stream)
        deliver([1, 2], to: stream, task)
        deliver([3], to: stream, task)
        stream.task(task, didCompleteWith: nil)
        #expect(try await stream.next(of: task).get() == Data([1, 2, 3]))
        for _ in 0..<3 { #expect(try await stream.next(of: task).get() == nil) }
    }

    @Test func `gives what came, then the error, again and again`() async throws {
        let stream = BodyStream()
        let task = try task(stream)
        deliver([1], to: stream, task)
        stream.task(task, didCompleteWith: task.error(.transfer(.connectionLost(nil)), phase: .body))
        #expect(try await stream.next(of: task).get() == Data([1]))
        for _ in 0..<3 {
            let result = await stream.next(of: task)
            #expect(throws: SessionError.self) { try result.get() }
        }
    }

    /// The reader and the reactor change the pause from two threads, and the later call must not win by chance.
    @Test func `no order of stopping and starting leaves the socket stopped`() async throws {
        for _ in 0..<200 {
            let stream = BodyStream()
            let task = try task(stream)
            let piece = [UInt8](repeating: 1, count: Valve.highWater + 1)
            async let read = Task {
                var count = 0
                while let piece = try await stream.next(of: task).get() { count += piece.count }
                return count
            }.value
            await Task { for _ in 0..<20 { deliver(piece, to: stream, task) } }.value
            stream.task(task, didCompleteWith: nil)
            #expect(try await read == 20 * piece.count)
            #expect(!task.isSuspended)
        }
    }
}
