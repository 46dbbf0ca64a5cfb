// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
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
        metrics.last.connectionAcquired = Self.instant(20)
        metrics.last.isConnectionReused = true
        metrics.last.repeats = 1
        metrics.last.responseStart = Self.instant(30)
        metrics.last.wasSent = true
        #expect(metrics.connectionAcquired == Self.instant(20))
        #expect(metrics.responseStart == Self.instant(30))
        #expect(metrics.isConnectionReused && metrics.repeatCount == 1 && metrics.wasSent)
    }

    @Test func `each redirect begins a hop, with nothing of the one before`() throws {
        var metrics = TaskMetrics(try Self.request("1"), start: Self.instant(10))
        metrics.last.statusCode = 302
        metrics.last.countOfBytesSent = 5
        metrics.last.wasSent = true
        metrics.beginHop(Hop(request: try Self.request("2"), number: 1), redirectCount: 1, Self.instant(40))
        #expect(!metrics.wasSent)
        metrics.last.statusCode = 200
        #expect(metrics.redirectCount == 1)
        #expect(metrics.hops.map(\.statusCode) == [302, 200])
        #expect(metrics.hops.map(\.countOfBytesSent) == [5, 0])
        #expect(metrics.hops.map { $0.request.url?.path() } == ["/1", "/2"])
        #expect(metrics.hops.map(\.start) == [Self.instant(10), Self.instant(40)])
        #expect(metrics.hops.map(\.end) == [Self.instant(40), nil])
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
