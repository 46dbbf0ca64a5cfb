// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import Testing

@testable import TernEngine

@Suite struct TaskMetricsTests {
    private static func request(_ path: String) throws -> URLRequest { try URLRequest(string: "http://a.test/\(path)") }

    private static func instant(_ nanoseconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: nanoseconds)
    }

    @Test func `a task has one hop at least, and its own figures are the last one's`() throws {
        var metrics = TaskMetrics(try Self.request("1"), start: Self.instant(10))
        #expect(metrics.hops.count == 1)
        #expect(metrics.redirectCount == 0)
        #expect(metrics.hops.first?.start == metrics.start)
        let head = try Self.head(200)
        metrics.received(head, Self.instant(30))
        metrics.last.add(try Self.attempt("1", head, Self.instant(30)))
        metrics.last.repeats = 1
        #expect(metrics.responseStart == Self.instant(30) && metrics.repeatCount == 1 && metrics.wasSent)
        #expect(metrics.attempts.map(\.statusCode) == [200] && metrics.hops[0].attemptCount == 1)
    }

    private static func head(_ status: Int) throws -> ResponseHead {
        try ResponseHead(status: status, reason: "", fields: [:])
    }

    /// An attempt that was answered.
    private static func attempt(_ path: String, _ head: ResponseHead, _ time: MonotonicInstant) throws -> AttemptMetrics
    {
        var attempt = AttemptMetrics(request: try request(path), start: time)
        attempt.answered(head, at: time)
        attempt.ended(nil, Evidence(isAnswered: true, isSent: true, sentCount: 5), at: time)
        return attempt
    }

    @Test func `each redirect begins a hop, with nothing of the one before`() throws {
        var metrics = TaskMetrics(try Self.request("1"), start: Self.instant(10))
        metrics.received(try Self.head(302), Self.instant(20))
        metrics.last.add(try Self.attempt("1", Self.head(302), Self.instant(20)))
        metrics.beginHop(Hop(request: try Self.request("2"), number: 1), redirectCount: 1, Self.instant(40))
        #expect(!metrics.wasSent)
        metrics.received(try Self.head(200), Self.instant(50))
        #expect(metrics.redirectCount == 1)
        #expect(metrics.hops.map(\.statusCode) == [302, 200])
        #expect(metrics.hops.map(\.countOfBytesSent) == [5, 0])
        #expect(metrics.hops.map { $0.request.url?.path() } == ["/1", "/2"])
        #expect(metrics.hops.map(\.start) == [Self.instant(10), Self.instant(40)])
        #expect(metrics.hops.map(\.end) == [Self.instant(40), nil])
    }

    @Test func `an attempt comes to one thing, which is said once`() throws {
        var attempt = try Self.attempt("1", Self.head(503), Self.instant(20))
        attempt.failed(.cancelled, at: Self.instant(30))
        attempt.ended(.cancelled, Evidence(isSent: true, sentCount: 9), at: Self.instant(30))
        attempt.isFollowed(by: .challenge)
        attempt.isFollowed(by: .repeat)
        attempt.left(at: Self.instant(40), nil)
        #expect(attempt.description == "503, challenge" && attempt.failure == nil)
        #expect(attempt.end == Self.instant(20) && attempt.countOfBytesSent == 5)
    }

    @Test func `an answered challenge begins a hop, and is no redirect`() throws {
        var metrics = TaskMetrics(try Self.request("1"), start: Self.instant(10))
        metrics.beginHop(Hop(request: try Self.request("2"), number: 1), redirectCount: 0, Self.instant(40))
        #expect(metrics.hops.count == 2 && metrics.redirectCount == 0)
    }

    @Test func `a hop that is sent again is the same hop`() throws {
        var metrics = TaskMetrics(try Self.request("1"), start: Self.instant(10))
        metrics.beginHop(Hop(request: try Self.request("1")), redirectCount: 0, Self.instant(20))
        #expect(metrics.hops.count == 1)
        let second = Hop(request: try Self.request("2"), number: 1)
        metrics.beginHop(second, redirectCount: 1, Self.instant(30))
        metrics.beginHop(second, redirectCount: 1, Self.instant(40))
        #expect(metrics.hops.map(\.start) == [Self.instant(10), Self.instant(30)])
    }

    @Test func `the end of a hop is the first that was noted`() throws {
        var metrics = TaskMetrics(try Self.request("1"), start: Self.instant(10))
        metrics.last.end = Self.instant(15)
        metrics.beginHop(Hop(request: try Self.request("2"), number: 1), redirectCount: 1, Self.instant(40))
        #expect(metrics.hops.first?.end == Self.instant(15))
    }
}
