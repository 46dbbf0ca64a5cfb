// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

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

    private struct Memory: PolicyMemory {
        var count = 0
    }

    private struct OtherMemory: PolicyMemory {
        var text = "new"
    }

    @Test func `policies remember the whole task`() throws {
        var history = TaskHistory(try URLRequest(string: "http://a.test/1"))
        history[Memory.self].count += 3
        history.remember(OtherMemory(text: "kept"))
        let previous = history.move(to: try URLRequest(string: "http://a.test/2"), RedirectChain())
        #expect(previous.map { $0.url?.path() } == ["/1"])
        #expect(history.hop.request.url?.path() == "/2")
        #expect(history.hop.number == 1)
        #expect(history[Memory.self].count == 3 && history[OtherMemory.self].text == "kept")
        _ = history.restart(with: try URLRequest(string: "http://a.test/3"))
        #expect(history.hop.number == 1)
        #expect(history.hop.request.url?.path() == "/3")
    }

    @Test func `the request of a hop is the one before policies prepared it`() throws {
        let urls = try (0...3).map { try URLRequest(string: "http://a.test/\($0)") }
        var history = TaskHistory(urls[0])
        #expect(history.request.url == urls[0].url)
        #expect(history.prepare(as: urls[1]) == nil)
        #expect(history.prepare(as: urls[2])?.url == urls[1].url)
        #expect(history.request.url == urls[0].url && history.hop.request.url == urls[2].url)
        #expect(history.restart(with: urls[3]).map(\.url) == [urls[2].url, urls[0].url])
        #expect(history.request.url == urls[3].url && history.hop.request.url == urls[3].url)
        _ = history.prepare(as: urls[1])
        #expect(history.move(to: urls[2], RedirectChain()).map(\.url) == [urls[1].url, urls[3].url])
        #expect(history.request.url == urls[2].url)
    }

    @Test func `content that was not read is as good as content that can be read again`() throws {
        var request = try URLRequest(string: "http://a.test/")
        request.setValue("1", forHTTPHeaderField: "idempotency-key")
        let history = TaskHistory(request)
        #expect(history.evidence(Evidence(wasReused: true, isSent: true), wasRepeated: false).hasIdempotencyKey)
        #expect(history.evidence(Evidence(wasReused: true, isSent: false), wasRepeated: false).isContentReplayable)
        #expect(history.evidence(Evidence(wasReused: true), wasRepeated: false).wasConnectionReused)
    }
}
