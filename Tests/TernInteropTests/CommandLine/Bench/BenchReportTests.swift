// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import TernCLI

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
