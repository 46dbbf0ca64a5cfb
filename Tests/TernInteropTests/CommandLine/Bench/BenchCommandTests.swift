// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import Testing

@testable import TernCLI
@testable import TernDemo

@Suite struct BenchCommandTests {
    @Test func `--json prints one object with the promised keys`() async throws {
        let server = try await NginxServer()
        let result = try await TernTool.run("bench", server.url(), "-c", "4", "-d", "0.3", "--threads", "2", "--json")
        let object = try result.object()
        #expect(result.status == 0)
        #expect(
            Set(object.keys) == [
                "url", "connections", "threads", "seconds", "requests", "errors", "errors_by_kind", "unfinished",
                "requests_per_second",
                "cpu_us_per_request", "latency_us", "peak_rss_bytes",
            ])
        #expect(Set((object["latency_us"] as? [String: Any] ?? [:]).keys) == ["p50", "p90", "p99", "max"])
        let requests = try #require(object["requests"] as? Int)
        #expect(requests > 10)
        #expect(object["errors"] as? Int == 0)
        #expect((object["errors_by_kind"] as? [String: Int])?.isEmpty == true)
        // The server has answered every answered request; requests in progress may have been answered, too.
        let unfinished = try #require(object["unfinished"] as? Int)
        #expect(unfinished <= 4)
        #expect(
            await server.accessLog.waitFor {
                (requests...requests + unfinished).contains($0.count(where: { $0.contains(" 200 GET ") }))
            })
    }

    @Test func `a server that is not there is an error, not a figure`() async throws {
        let port = try LoopbackPort.free().number
        let result = try await TernTool.run("bench", "http://127.0.0.1:\(port)/", "-c", "2", "-d", "0.2")
        #expect(result.status == 1)
        #expect(result.errors.contains("cannot connect to"))
        #expect(!result.text.contains("/s") && !result.text.contains("latency"), "\(result.text)")
    }

    @Test func `errors are distinguished and counted`() async throws {
        let server = try await NginxServer()
        let missing = try await TernTool.run("bench", server.url("/nowhere"), "-c", "2", "-d", "0.2", "--json")
        let object = try missing.object()
        let requests = try #require(object["requests"] as? Int)
        #expect(requests > 0)
        #expect(object["errors_by_kind"] as? [String: Int] == ["status 404": requests])
        #expect(missing.status == 1)

        let port = try LoopbackPort.free().number
        let refused = try await TernTool.run("bench", "http://127.0.0.1:\(port)/", "-c", "2", "-d", "60")
        #expect(refused.text.contains("200 × unreachable: Connection refused"), "\(refused.text)")
    }

    @Test(arguments: ["hold", "drip"])
    func `it ends when its time is up, whatever the server does`(habit: String) async throws {
        let origin = try ScriptedOrigin { _, _ in
            if habit == "hold" { return [.hold] }
            return [
                .send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"),
                .drip([UInt8](repeating: 0x61, count: 100_000), every: .milliseconds(5)),
            ]
        }
        let result = try await TernTool.run("bench", origin.url("/"), "-c", "3", "-d", "0.5", "--json")
        let object = try result.object()
        #expect(result.status == 1)
        #expect(object["requests"] as? Int == 0)
        #expect(object["errors"] as? Int == 0)
        #expect(object["unfinished"] as? Int == 3)
        #expect(try #require(object["seconds"] as? Double) < 5)
    }
}

@Suite struct BenchReportTests {
    private func report(_ change: (inout LoadGenerator.Result) -> Void = { _ in }) -> BenchReport {
        var result = LoadGenerator.Result()
        result.seconds = 2
        for _ in 0..<10 { result.histogram.record(nanoseconds: 5_000) }
        change(&result)
        return BenchReport(
            url: "http://a.test/", connections: 4, threads: 2, result: result, cpuMicroseconds: 250,
            peakMemory: 3 << 20)
    }

    @Test func `figures are those of a request and of a second`() {
        let report = report()
        #expect(report.speed?.requestsPerSecond == 5)
        #expect(report.speed?.cpuPerRequest == 25)
        #expect(report.speed?.latency.p50 == 5)
        #expect(report.speed?.latency.max == 5)
        #expect(report.text.contains("5 requests/s, 25.00 µs CPU per request, 3.0 MB peak memory"))
    }

    @Test func `a run without a request and without time divides by nothing`() {
        let report = report { $0 = LoadGenerator.Result() }
        #expect(report.speed == nil)
        #expect(report.text == "0 requests in 0.00 s, 0 errors, 0 unfinished\n3.0 MB peak memory")
    }

    @Test func `errors have no rate and no latency`() throws {
        let all = report { result in
            result.histogram = LatencyHistogram()
            result.errorKinds = ["unreachable": 800]
        }
        #expect(all.requests == 800 && all.speed == nil)
        #expect(!all.text.contains("/s") && !all.text.contains("latency"))
        let json = try JSONSerialization.jsonObject(with: Data(JSONReport.text(all).utf8)) as? [String: Any]
        for key in ["requests_per_second", "cpu_us_per_request", "latency_us"] {
            #expect(json?[key] is NSNull, "\(key)")
        }
        let some = report { $0.errorKinds = ["unreachable": 800] }
        #expect(some.text.contains("\n5 successes/s, 25.00 µs CPU per request"))
    }

    @Test func `kinds of errors are listed with the most frequent first`() {
        let report = report { $0.errorKinds = ["b": 1, "a": 1, "c": 7] }
        #expect(report.errors == 9 && report.requests == 19)
        #expect(report.text.contains("9 errors, 0 unfinished\n  7 × c\n  1 × a\n  1 × b\n"))
    }
}

@Suite struct LatencyHistogramTests {
    @Test(arguments: [0, 1, 63, 64, 65, 127, 128, 1000, 123_456_789, UInt64.max / 2, .max] as [UInt64])
    func `a single latency is every percentile`(nanoseconds: UInt64) {
        var histogram = LatencyHistogram()
        histogram.record(nanoseconds: nanoseconds)
        #expect(histogram.percentile(0.5) == nanoseconds)
        #expect(histogram.percentile(1) == nanoseconds)
        #expect(histogram.maximum == nanoseconds)
    }

    @Test func `percentiles are at most 1.6 % above the latency`() {
        var histogram = LatencyHistogram()
        for value in 1...10_000 as ClosedRange<UInt64> { histogram.record(nanoseconds: value * 1000) }
        for (share, exact) in [(0.01, 100_000.0), (0.5, 5_000_000), (0.99, 9_900_000), (1, 10_000_000)] {
            let found = Double(histogram.percentile(share))
            #expect(found >= exact && found <= exact * 1.016, "\(share)")
        }
    }

    @Test func `none has no latency, and two merged have all of both`() {
        var (one, two) = (LatencyHistogram(), LatencyHistogram())
        #expect(one.percentile(0.5) == 0)
        one.record(nanoseconds: 10)
        two.record(nanoseconds: 20)
        two.record(nanoseconds: 30)
        one.merge(two)
        #expect(one.count == 3)
        #expect(one.maximum == 30)
        #expect(one.percentile(0.5) == 20)
    }
}

@Suite struct DemoCommandTests {
    @Test func `accepts the right pin, refuses the wrong one unseen, and shows a figure`() async throws {
        let result = try await TernTool.run("demo", "-d", "0.3")
        #expect(result.status == 0)
        #expect(result.text.contains("Hello from behind a pinned key."))
        #expect(result.text.contains("Refused: localhost is not trusted: none of the pinned keys is in the chain"))
        #expect(result.text.contains("Requests the origin has seen from this attempt: 0"))
        #expect(result.text.contains("requests/s"))
    }
}
