// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// What is planned after an attempt, by which policy, and in which order.
@Suite(.timeLimit(.minutes(1))) struct PlanningTests {
    /// Answers the question about every retry so.
    private final class Answering: SessionTaskDelegate {
        let record = RecordingDelegate()
        let count = Lock(0)
        private let answer: RetryAnswer

        init(_ answer: RetryAnswer) { self.answer = answer }

        func handle(_ event: TaskEvent, of task: SessionTask) {
            guard case .willRetry(_, let question) = event else { return record.handle(event, of: task) }
            question.answer(answer)
            count.withLock { $0 += 1 }
        }

        func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) { record.task(task, didReceive: bytes) }

        func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
            record.task(task, didCompleteWith: error)
        }
    }

    private func session(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> Session {
        .limited(to: 4) {
            $0.retryPolicy = .standard
            $0.retryPolicy.backOff.base = .milliseconds(1)
            $0.urlCache = URLCache(memoryCapacity: 1 << 22)
            change(&$0)
        }
    }

    /// A server that is well for one request, and then does this. What it gave may take the place of an error.
    private func origin(_ steps: [OriginStep]) throws -> ScriptedOrigin {
        let isDown = Lock(false)
        return try ScriptedOrigin { _, _ in
            isDown.withLock { isDown in
                defer { isDown = true }
                let fields = [("Cache-Control", "max-age=0, stale-if-error=600")]
                return isDown ? steps : [.respond(fields: fields, body: "stale")]
            }
        }
    }

    private func run(
        _ session: Session, _ request: URLRequest, refusing: Bool = false
    ) async -> (text: String, error: SessionError?, attempts: [String]) {
        let delegate = Answering(refusing ? .doNotRetry : .retry)
        let task = session.dataTask(with: request, delegate: delegate)
        task.resume()
        let end = await delegate.record.end()
        return (
            String(decoding: end.body, as: UTF8.self), end.error, task.metrics?.attempts.map(\.description) ?? []
        )
    }

    private static let failures: [(name: String, steps: [OriginStep], word: String)] = [
        ("503", [.respond(status: 503)], "503"), ("lost", [.closeAbruptly], "connection-lost"),
    ]

    @Test(arguments: failures)
    func `a failure and a 503 take the same way: retries, then the stale answer`(
        _ failure: (name: String, steps: [OriginStep], word: String)
    ) async throws {
        let origin = try origin(failure.steps)
        let (session, request) = (session { $0.retryPolicy.repeatsLostRequests = false }, try URLRequest(origin))
        #expect(await run(session, request).text == "stale")
        let retried = await run(session, request)
        let word = failure.word
        #expect(retried.text == "stale" && origin.observations.requestCount == 4)
        #expect(retried.attempts == ["\(word), retry", "\(word), retry", "\(word), no retry: attempts"])
        // The delegate refuses it, and the stale answer comes as it would without a policy.
        let refused = await run(session, request, refusing: true)
        #expect(refused.text == "stale" && refused.attempts == ["\(word), no retry: delegate"])
    }

    @Test func `a wait for which there is no time is not begun, and the stale answer comes at once`() async throws {
        let origin = try origin([.respond(status: 503, fields: [("Retry-After", "30")])])
        let (session, request) = (session(), try URLRequest(origin).limited(to: Timeouts(total: .seconds(10))))
        #expect(await run(session, request).text == "stale")
        let next = await run(session, request)
        #expect(next.text == "stale" && next.attempts == ["503, no retry: time"])
    }

    @Test func `what the cache answers is not retried, and costs no budget`() async throws {
        let origin = try ScriptedOrigin { _, request in
            let status = request.target == "/bad" ? 503 : 200
            return [.respond(status: status, fields: [("Cache-Control", "max-age=600")], body: "x")]
        }
        let session = session { $0.retryPolicy.budget = RetryPolicy.Budget(share: 0.1, floor: 3) }
        let first = await run(session, try URLRequest(origin, "/bad"))
        #expect(first.attempts == ["503, retry", "503, retry", "503, no retry: attempts"])
        let stored = await run(session, try URLRequest(origin, "/bad"))
        #expect(stored.text == "x" && stored.attempts.isEmpty && origin.observations.requestCount == 3)
        var unsent = try URLRequest(origin, "/nothing")
        unsent.headers["Cache-Control"] = "only-if-cached"
        let missing = await run(session, unsent)
        #expect(missing.error == nil && missing.attempts.isEmpty)
        // Hits are no requests to the server either: there is room for one retry, and not for more.
        for _ in 0..<100 { _ = await run(session, try URLRequest(origin, "/good")) }
        let budget = try #require(session.taskDefaults.policies.budget)
        let limits = RetryPolicy.Budget(share: 0.1, floor: 3)
        let spent = (0..<9).count { _ in budget.spend(on: "127.0.0.1:\(origin.port)", limits, at: .now) }
        #expect(spent == 1)
    }

    @Test func `a refused retry costs no budget, and a budget that is used up says so`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 503)] }
        let session = session { $0.retryPolicy.budget = RetryPolicy.Budget(share: 0, floor: 2) }
        let request = try URLRequest(origin)
        for _ in 0..<5 { #expect(await run(session, request, refusing: true).attempts == ["503, no retry: delegate"]) }
        #expect(await run(session, request).attempts == ["503, retry", "503, retry", "503, no retry: attempts"])
        #expect(await run(session, request).attempts == ["503, no retry: budget"])
        let lost = try ScriptedOrigin { _, _ in [.closeAbruptly] }
        _ = await run(session, try URLRequest(lost))
        let failed = await run(session, try URLRequest(lost))
        #expect(failed.error?.retryRefusal == .budget && "\(failed.error?.description ?? "")".contains("budget"))
    }

    @Test func `a task that is cancelled while it waits for a retry has an attempt that was answered`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 503, fields: [("Retry-After", "50")])] }
        let (session, delegate) = (session(), Answering(.retry))
        let task = session.dataTask(with: try URLRequest(origin), delegate: delegate)
        task.resume()
        #expect(await eventually { delegate.count.withLock { $0 } == 1 })
        await session.settle()
        task.cancel()
        #expect(await delegate.record.end().error?.reason.kind == .cancelled)
        #expect(task.metrics?.attempts.map(\.description) == ["503, retry"])
        #expect(task.metrics?.hops.map(\.statusCode) == [503])
    }
}
