// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TernTesting
import TernURLSession
import Testing

@Suite struct AsyncBytesTests {
    private final class Witness: NSObject, URLSessionDataDelegate {
        let calls = Mutex<[String]>([])
        let (measured, measure) = AsyncStream<Void>.makeStream()

        func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
            calls.withLock { $0.append("created") }
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            calls.withLock { $0.append("redirect") }
            completionHandler(request)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            calls.withLock { $0.append("data") }
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
        ) {
            calls.withLock { $0.append("metrics of \(metrics.transactionMetrics.count)") }
            measure.yield()
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            calls.withLock { $0.append("completed") }
        }

        func expect(_ expected: [String]) async {
            for await _ in measured { break }
            #expect(calls.withLock { $0 } == expected)
        }
    }

    private func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in
            request.target == "/moved" ? [.respond(status: 302, fields: [("Location", "/there")])] : [.ok("one\ntwo\n")]
        }
    }

    private func read(_ session: URLSession, _ origin: ScriptedOrigin, _ delegate: Witness?) async throws -> [String] {
        let url = try #require(URL(string: origin.url("/moved")))
        let (bytes, response) = try await session.bytes(from: url, delegate: delegate)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        var lines: [String] = []
        for try await line in bytes.lines { lines.append(line) }
        return lines
    }

    @Test func `a delegate of the task is asked, and gets no body`() async throws {
        let (origin, own, other) = (try origin(), Witness(), Witness())
        let session = URLSession(configuration: .ephemeral, delegate: other, delegateQueue: nil)
        #expect(try await read(session, origin, own) == ["one", "two"])
        await own.expect(["redirect", "metrics of 2"])
        #expect(other.calls.withLock { $0 } == ["created"])
    }

    @Test func `without one the session's delegate is asked`() async throws {
        let (origin, delegate) = (try origin(), Witness())
        let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        #expect(try await read(session, origin, nil) == ["one", "two"])
        await delegate.expect(["created", "redirect", "metrics of 2"])
    }

    @Test func `a session without a delegate needs none`() async throws {
        let origin = try origin()
        #expect(try await read(URLSession(configuration: .ephemeral), origin, nil) == ["one", "two"])
    }
}
