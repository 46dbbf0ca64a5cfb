// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Chains of redirects without a limit.
@Suite(.timeLimit(.minutes(5))) struct LongRedirectTests {
    /// Something of the user's that a request holds.
    private final class Held: Sendable {
        let released: @Sendable () -> Void
        init(_ released: @escaping @Sendable () -> Void) { self.released = released }
        deinit { released() }
    }

    /// Gives each hop content that holds something.
    private final class Guide: SessionTaskDelegate {
        let recorder = RecordingDelegate()
        let released = Lock(0)
        let releasedAtHead = Lock(0)

        func task(
            _ task: SessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
            _ question: DelegateQuestion<RedirectAnswer>
        ) {
            let held = Held { [self] in released.withLock { $0 += 1 } }
            var request = request
            request.body = .stream {
                withExtendedLifetime(held) {}
                return ProbingSource([])
            }
            question.answer(.follow(request))
        }

        func task(_ task: SessionTask, didReceive response: HTTPURLResponse) {
            releasedAtHead.withLock { $0 = released.withLock(\.self) }
        }

        func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
            recorder.task(task, didCompleteWith: error)
        }
    }

    @Test func `a chain without a limit holds no more than its last hops`() async throws {
        let length = 5 * RedirectPolicy.maximumRememberedHops
        let origin = try ScriptedOrigin { _, request in
            let hop = Int(request.target.dropFirst()) ?? 0
            return hop == length ? [.ok("there")] : [.redirect(to: "/\(hop + 1)")]
        }
        let session = Session.limited { $0.redirectPolicy = .follow(limit: .max) }
        let guide = Guide()
        let task = session.dataTask(with: try URLRequest(origin, "/0"), delegate: guide)
        task.resume()
        #expect(await guide.recorder.end().error == nil)
        let response = try #require(task.response)
        #expect(response.history.count == RedirectPolicy.maximumRememberedHops)
        #expect(response.history.last?.url?.path() == "/\(length - 1)")
        #expect(response.history.last?.history.isEmpty == true)
        #expect(task.metrics?.hops.count == RedirectPolicy.maximumRememberedHops + 1)
        #expect(task.metrics?.redirectCount == length)
        #expect(guide.releasedAtHead.withLock(\.self) >= length - 3 * RedirectPolicy.maximumRememberedHops)
    }
}
