// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernCLI

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
