// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct SessionTaskExchangeTests {
    private func isSentHere(_ request: URLRequest, _ session: Session) async throws -> Bool {
        final class Witness: SessionTaskDelegate {
            let senders = Lock<[pthread_t]>([])
            let (ends, continuation) = AsyncStream.makeStream(of: Void.self)

            func task(_ task: SessionTask, willSendOn connection: ConnectionMetrics) {
                senders.withLock { $0.append(pthread_self()) }
            }

            func task(_ task: SessionTask, didCompleteWith error: SessionError?) { continuation.finish() }
        }
        let witness = Witness()
        let task = session.dataTask(with: request, delegate: witness)
        let here = {
            task.resumeHere()
            return pthread_self()
        }()
        for await _ in witness.ends {}
        return witness.senders.withLock { $0 } == [here]
    }

    @Test func `a request is sent by the thread that resumes it if the reactor sleeps and the caller allows it`()
        async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session()
        _ = try await session.data(for: try URLRequest(origin))
        // As often as it takes to find the reactor asleep.
        while try await !isSentHere(try URLRequest(origin), session) {}
    }

    @Test func `among others a request is sent by the reactor`() async throws {
        let origin = try ScriptedOrigin { _, request in request.target == "/held" ? [.hold] : [.ok()] }
        let session = Session()
        _ = try await session.data(for: try URLRequest(origin))
        let held = session.dataTask(with: try URLRequest(string: origin.url("/held")), delegate: RecordingDelegate())
        held.resume()
        for _ in 0..<100 { #expect(try await !isSentHere(try URLRequest(origin), session)) }
        held.cancel()
    }

    @Test func `content sources are called on the reactor`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session()
        // The test holds it while it resumes, and takes it when it is asked.
        let mutex = Lock(())
        for _ in 0..<100 {
            _ = try await session.data(for: try URLRequest(origin))
            var request = try URLRequest(origin)
            request.httpMethod = "POST"
            request.body = .stream(length: 4) {
                mutex.withLock { _ in }
                return ProbingSource([Data("text".utf8)])
            }
            let delegate = RecordingDelegate()
            let task = session.dataTask(with: request, delegate: delegate)
            mutex.withLock { _ in task.resumeHere() }
            #expect(await delegate.end().error == nil)
        }
    }
}
