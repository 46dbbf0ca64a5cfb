// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernTesting
import TestProofs
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport
import TernLock

@Suite(.timeLimit(.minutes(5))) struct SessionTaskTests {
    @Test(.proves("1.5a")) func `does nothing before it is resumed, and starts once`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("answer")] }
        let session = Session.limited(to: 4)
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: try URLRequest(origin), delegate: delegate)
        await session.settle()
        #expect(origin.connectionCount == 0)
        for _ in 0..<5 { task.resume() }
        #expect(await delegate.end().body == Array("answer".utf8))
        task.resume()
        await session.settle()
        #expect(origin.observations.requestCount == 1)
        #expect(delegate.record.completions == 1)
        #expect(task.error == nil)
    }

    @Test(.proves("1.8a", "2.8a"))
    func `identifiers are unique, also of tasks that many threads make at the same time`() async throws {
        let session = Session.limited()
        let request = URLRequest(url: try #require(URL(string: "http://localhost/")))
        let identifiers = await withTaskGroup(of: [Int].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<500).map { _ in session.dataTask(with: request, delegate: RecordingDelegate()).taskIdentifier }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(identifiers).count == 4_000)
    }

    @Test func `ends when it is cancelled before it is resumed, and is never sent`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited()
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: try URLRequest(origin), delegate: delegate)
        task.cancel()
        task.resume()
        let record = await delegate.end()
        #expect(record.error?.reason.isCancellation == true)
        #expect(task.error?.reason.isCancellation == true)
        #expect(task.metrics?.end != nil)
        await session.settle()
        #expect(origin.connectionCount == 0)
        #expect(record.events == [.end(failed: true)])
    }

    @Test func `stays as it is when it is cancelled after its end`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("answer")] }
        let session = Session.limited()
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: try URLRequest(origin), delegate: delegate)
        task.resume()
        _ = await delegate.end()
        let end = task.metrics?.end
        task.cancel()
        task.suspend()
        task.resume()
        await session.settle()
        #expect(delegate.record.completions == 1)
        #expect(task.error == nil)
        #expect(task.metrics?.end == end)
        // The connection was not the task's any more.
        #expect(try await session.text(URLRequest(origin)) == "answer")
        #expect(origin.connectionCount == 1)
    }

    @Test(.proves("4.6b")) func `reads nothing while it is suspended, however often`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: \(32 << 20)\r\n\r\n"),
                .repeat(Array(repeating: 1, count: 65536), count: 512),
            ]
        }
        let session = Session.limited()
        let (suspended, suspension) = AsyncStream.makeStream(of: Void.self)
        let delegate = RecordingDelegate { task, event in
            if case .head = event {
                task.suspend()
                task.suspend()
                suspension.finish()
            }
        }
        let task = session.dataTask(with: try URLRequest(origin), delegate: delegate)
        task.resume()
        for await _ in suspended {}
        task.resume()
        await session.settle()
        let count = delegate.record.body.count
        #expect(count <= 256 * 1024)
        #expect(delegate.record.completions == 0)
        task.resume()
        #expect(await delegate.end().body.count == 32 << 20)
    }

    @Test func `costs no time while it is suspended, even when the server has reset the connection`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .hold, .reset]
        }
        let clock = try ScriptedOrigin { _, _ in [.pause(.milliseconds(300)), .ok()] }
        let session = Session.limited()
        let delegate = RecordingDelegate { task, event in if case .body = event { task.suspend() } }
        let task = session.dataTask(with: try URLRequest(origin), delegate: delegate)
        task.resume()
        await delegate.wait { $0.body.count == 4 }
        try origin.release()
        #expect(await origin.waitFor { $0.openConnections == 0 })
        let start = await session.onReactor { threadTime() }
        _ = try await Session.limited().data(for: URLRequest(clock))
        #expect(await session.onReactor { threadTime() } - start < 0.1)
        #expect(delegate.record.completions == 0)
        task.resume()
        #expect(await delegate.end().error?.reason.isConnectionLoss == true)
    }

    @Test(arguments: ["head", "body", "trailers", "discarded", "informational"])
    func `may be cancelled by its delegate at any point`(point: String) async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/next"
                ? [.ok("answer")]
                : [
                    .send("HTTP/1.1 103 Early\r\n\r\n"),
                    .chunked(["abc", "def"], trailers: [("X-One", "1"), ("TE", "x")]),
                ]
        }
        let session = Session.limited()
        let delegate = RecordingDelegate { task, event in
            let name =
                switch event {
                case .informational: "informational"
                case .head: "head"
                case .body: "body"
                case .trailers: "trailers"
                case .discarded: "discarded"
                case .end: "end"
                }
            if name == point { task.cancel() }
        }
        session.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
        let record = await delegate.end()
        #expect(record.error?.reason.isCancellation == true)
        #expect(try await session.text(URLRequest(origin, "/next")) == "answer")
        #expect(delegate.record.events.last == .end(failed: true))
        #expect(delegate.record.completions == 1)
    }

    @Test func `a delegate may start the next task from the end of one`() async throws {
        final class Chain: SessionTaskDelegate {
            let left = Lock(2000)
            let session: Session
            let request: URLRequest
            let done: CheckedContinuation<SessionError?, Never>

            init(_ session: Session, _ request: URLRequest, _ done: CheckedContinuation<SessionError?, Never>) {
                self.session = session
                self.request = request
                self.done = done
            }

            func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
                let left = left.withLock {
                    $0 -= 1
                    return $0
                }
                if left == 0 || error != nil { return done.resume(returning: error) }
                session.dataTask(with: request, delegate: self).resume()
            }
        }
        let origin = try ScriptedOrigin { _, _ in [.ok("answer")] }
        let session = Session.limited()
        let request = try URLRequest(origin)
        let error = await withCheckedContinuation { done in
            session.dataTask(with: request, delegate: Chain(session, request, done)).resume()
        }
        #expect(error == nil)
        #expect(origin.connectionCount == 1)
        #expect(origin.observations.requestCount == 2000)
    }

    @Test func `a delegate receives the connection before anything is sent, and may cancel`() async throws {
        final class Reluctant: SessionTaskDelegate {
            let heard = Lock<[String]>([])
            let (ends, continuation) = AsyncStream.makeStream(of: Void.self)

            func task(_ task: SessionTask, willSendOn connection: ConnectionMetrics) {
                heard.withLock { $0.append("send on \(connection.remoteAddress)") }
                task.cancel()
            }

            func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
                heard.withLock { $0.append("\(error?.wasSent == true)") }
                continuation.finish()
            }
        }
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let (session, delegate) = (Session(), Reluctant())
        session.dataTask(with: try URLRequest(string: origin.url("/cancelled")), delegate: delegate).resume()
        for await _ in delegate.ends {}
        #expect(delegate.heard.withLock { $0 } == ["send on 127.0.0.1:\(origin.port)", "false"])
        _ = try await session.data(for: try URLRequest(string: origin.url("/last")))
        #expect(origin.requests.map(\.target) == ["/last"])
    }
}

/// Seconds of processor time the calling thread has used.
private func threadTime() -> Double {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
