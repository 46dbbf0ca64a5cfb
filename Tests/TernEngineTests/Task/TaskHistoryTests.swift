// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import TernEngine

@Suite struct TaskHistoryTests {
    private func response(_ number: Int) throws -> HTTPURLResponse {
        try HTTPURLResponse(url: URL(string: "http://a.test/\(number)"), statusCode: 302)
    }

    @Test func `the last responses are remembered`() throws {
        var history = TaskHistory(try URLRequest(string: "http://a.test/"))
        let most = RedirectPolicy.maximumRememberedHops
        for number in 0..<(most + 3) { history.append(try response(number)) }
        #expect(history.responses.count == most)
        #expect(history.responses.first?.url?.path() == "/3")
        #expect(history.responses.last?.url?.path() == "/\(most + 2)")
    }

    @Test func `the next hop begins to count from zero, and the challenges of the task stay counted`() throws {
        var history = TaskHistory(try URLRequest(string: "http://a.test/1"))
        (history.repeatCount, history.resendCount, history.challengeCount) = (1, 2, 3)
        let previous = history.move(to: try URLRequest(string: "http://a.test/2"), RedirectChain())
        #expect(previous.url?.path() == "/1")
        #expect(history.hop.request.url?.path() == "/2")
        #expect(history.hop.number == 1)
        #expect((history.repeatCount, history.resendCount, history.challengeCount) == (0, 0, 3))
        _ = history.replace(try URLRequest(string: "http://a.test/3"))
        #expect(history.hop.number == 1)
        #expect(history.hop.request.url?.path() == "/3")
    }

    @Test func `content that was not read is as good as content that can be read again`() throws {
        var request = try URLRequest(string: "http://a.test/")
        request.setValue("1", forHTTPHeaderField: "idempotency-key")
        let history = TaskHistory(request)
        #expect(history.evidence(Evidence(wasReused: true, isSent: true)).hasIdempotencyKey)
        #expect(history.evidence(Evidence(wasReused: true, isSent: false)).isContentReplayable)
        #expect(history.evidence(Evidence(wasReused: true)).wasConnectionReused)
    }
}
