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
        #expect(report.requestsPerSecond == 5)
        #expect(report.cpuPerRequest == 25)
        #expect(report.latency.p50 == 5)
        #expect(report.latency.max == 5)
        #expect(report.text.contains("5 requests/s, 25.00 µs CPU per request, 3.0 MB peak memory"))
    }

    @Test func `a run without a request and without time divides by nothing`() {
        let report = report { $0 = LoadGenerator.Result() }
        #expect(report.requestsPerSecond == 0)
        #expect(report.cpuPerRequest == 250)
        #expect(report.text.hasPrefix("0 requests in 0.00 s, 0 errors, 0 unfinished\n"))
    }

    @Test func `kinds of errors are listed with the most frequent first`() {
        let report = report { $0.errorKinds = ["b": 1, "a": 1, "c": 7] }
        #expect(report.errors == 9)
        #expect(report.text.contains("9 errors, 0 unfinished\n  7 × c\n  1 × a\n  1 × b\n"))
    }
}
