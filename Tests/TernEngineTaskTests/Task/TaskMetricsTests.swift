// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct TaskMetricsTests {
    private static func request(_ path: String) throws -> URLRequest { try URLRequest(string: "http://a.test/\(path)") }

    private static func instant(_ nanoseconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: nanoseconds)
    }

    /// The fold of these events, each 10 ns after the one before; the first is 10 ns after the start.
    private static func fold(_ events: TaskEvent...) throws -> TaskMetrics {
        var metrics = TaskMetrics(try request("1"))
        metrics.fold(.started, at: instant(0))
        for (number, event) in events.enumerated() { metrics.fold(event, at: instant(Int64(10 * (number + 1)))) }
        return metrics
    }

    private static func head(_ status: Int) throws -> TaskEvent {
        .head(HTTPURLResponse(url: nil, head: try ResponseHead(status: status, reason: "", fields: [:])))
    }

    /// An attempt that was answered.
    private static func attempt(
        _ path: String, _ status: Int, before continuation: AttemptMetrics.Continuation? = nil
    ) throws -> TaskEvent {
        var attempt = AttemptMetrics(request: try request(path), start: instant(1))
        attempt.answered(try ResponseHead(status: status, reason: "", fields: [:]), at: instant(2))
        attempt.ended(nil, Evidence(isAnswered: true, isSent: true, sentCount: 5), at: instant(2))
        if let continuation { attempt.isFollowed(by: continuation) }
        return .attemptOver(attempt)
    }

    @Test func `a task has one hop at least, and its own figures are the last one's`() throws {
        let begun = try Self.fold()
        #expect(begun.hops.count == 1 && begun.redirectCount == 0 && begun.hops.first?.start == begun.start)
        let metrics = try Self.fold(
            Self.attempt("1", 200, before: .repeat), Self.head(200), Self.attempt("1", 200), .hopOver(nil),
            .completed(nil))
        #expect(metrics.responseStart == Self.instant(20) && metrics.repeatCount == 1)
        #expect(metrics.attempts.map(\.statusCode) == [200, 200] && metrics.hops[0].attemptCount == 2)
        #expect(metrics.hops[0].end == Self.instant(40) && metrics.end == Self.instant(50))
    }

    @Test func `each redirect begins a hop, with nothing of the one before`() throws {
        let metrics = try Self.fold(
            .hopBegan(Self.request("1"), redirectCount: 0), Self.head(302), Self.attempt("1", 302, before: .redirect),
            .hopOver(nil), .hopBegan(Self.request("2"), redirectCount: 1), Self.head(200))
        #expect(metrics.redirectCount == 1)
        #expect(metrics.hops.map(\.statusCode) == [302, 200])
        #expect(metrics.hops.map(\.countOfBytesSent) == [5, 0])
        #expect(metrics.hops.map { $0.request.url?.path() } == ["/1", "/2"])
        #expect(metrics.hops.map(\.start) == [Self.instant(0), Self.instant(50)])
        #expect(metrics.hops.map(\.end) == [Self.instant(40), nil])
    }

    @Test func `an attempt comes to one thing, which is said once`() throws {
        guard case .attemptOver(var attempt) = try Self.attempt("1", 503) else { return }
        attempt.failed(.cancelled, at: Self.instant(30))
        attempt.ended(.cancelled, Evidence(isSent: true, sentCount: 9), at: Self.instant(30))
        attempt.isFollowed(by: .challenge)
        attempt.isFollowed(by: .repeat)
        attempt.left(at: Self.instant(40), nil)
        #expect(attempt.description == "503, challenge" && attempt.failure == nil)
        #expect(attempt.end == Self.instant(2) && attempt.countOfBytesSent == 5)
    }

    @Test func `an answered challenge begins a hop, and is no redirect`() throws {
        let metrics = try Self.fold(.hopOver(nil), .hopBegan(Self.request("2"), redirectCount: 0))
        #expect(metrics.hops.count == 2 && metrics.redirectCount == 0)
    }

    @Test func `another attempt of a hop takes the status back, and a second one beside it does not`() throws {
        #expect(try Self.fold(Self.head(503), .attemptBegan(isHedge: false)).hops.map(\.statusCode) == [nil])
        #expect(try Self.fold(Self.head(503), .attemptBegan(isHedge: true)).hops.map(\.statusCode) == [503])
    }

    @Test func `retries are the task's, and stay when a hop begins`() throws {
        let retry = RetryMetrics(number: 1, cause: .status(503), time: Self.instant(5), delay: .zero)
        let metrics = try Self.fold(.retrying(retry), .hopOver(nil), .hopBegan(Self.request("2"), redirectCount: 1))
        #expect(metrics.retries.map(\.number) == [1])
        let many = (1...100).map { RetryMetrics(number: $0, cause: .status(503), time: Self.instant(5), delay: .zero) }
        var metricsOfMany = try Self.fold()
        for retry in many { metricsOfMany.fold(.retrying(retry), at: Self.instant(9)) }
        #expect(metricsOfMany.retries.map(\.number) == Array(1...32) + Array(69...100))
    }

    @Test func `waits for the rate and for a connection count, from the beginning of their hop`() throws {
        let metrics = try Self.fold(
            .waited(for: .rate, since: Self.instant(-50)), .waited(for: .connection, since: Self.instant(12)),
            .waited(for: .delay, since: Self.instant(0)), .waited(for: .lookUp, since: Self.instant(0)))
        #expect(metrics.queueTime == .nanoseconds(18))
    }
}
