// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernIO

@Suite struct MonotonicInstantTests {
    @Test func `the clock does not go back`() {
        var last = MonotonicInstant.now
        for _ in 0..<10_000 {
            let now = MonotonicInstant.now
            #expect(now >= last)
            last = now
        }
        #expect(last.nanoseconds > 0)
    }

    @Test func `adding stops at the ends of time`() {
        let instant = MonotonicInstant(nanoseconds: 1_000)
        #expect(instant.advanced(by: .nanoseconds(5)).nanoseconds == 1_005)
        #expect(instant.advanced(by: .nanoseconds(-1)).nanoseconds == 999)
        #expect(instant.advanced(by: .seconds(Int64.max)).nanoseconds == .max)
        #expect(instant.advanced(by: .nanoseconds(Int64.max)).nanoseconds == .max)
        #expect(MonotonicInstant(nanoseconds: .max).advanced(by: .nanoseconds(1)).nanoseconds == .max)
        #expect(MonotonicInstant(nanoseconds: -1).advanced(by: .seconds(Int64.min)).nanoseconds == .min)
    }

    @Test(arguments: [(0, 5), (5, 0), (7, 7), (.min, .max), (.max, .min)] as [(Int64, Int64)])
    func `the duration from one instant to another leads there`(start: Int64, end: Int64) {
        let (start, end) = (MonotonicInstant(nanoseconds: start), MonotonicInstant(nanoseconds: end))
        let way: Duration = start.duration(to: end)
        #expect((way > .zero) == (end > start))
        // Farther than 64 bits count, the end of what they do.
        let isFar = way > .nanoseconds(Int64.max) || way < .nanoseconds(Int64.min)
        #expect(isFar || start.advanced(by: way) == end)
    }

    @Test func `durations become whole nanoseconds`() {
        #expect(Duration.milliseconds(250).clampedNanoseconds == 250_000_000)
        #expect(Duration(secondsComponent: 1, attosecondsComponent: 999_999_999).clampedNanoseconds == 1_000_000_000)
        #expect(
            Duration(secondsComponent: 9_223_372_036, attosecondsComponent: 854_775_807_000_000_000)
                .clampedNanoseconds == .max)
        #expect(
            Duration(secondsComponent: 9_223_372_036, attosecondsComponent: 900_000_000_000_000_000)
                .clampedNanoseconds == .max)
        #expect(Duration.seconds(-1).clampedNanoseconds == -1_000_000_000)
        #expect(Duration(secondsComponent: -1, attosecondsComponent: -999_999_999).clampedNanoseconds == -1_000_000_000)
    }

    @Test func `durations of more seconds than can be counted stop at the same ends`() {
        for long in [.seconds(1e19), .seconds(Int64.max) * 2, .nanoseconds(Int64.max) + .nanoseconds(1)] as [Duration] {
            #expect(long.clampedNanoseconds == .max)
            #expect((.zero - long).clampedNanoseconds == .min)
        }
    }

    @Test func `seconds between two instants`() {
        let start = MonotonicInstant(nanoseconds: 500_000_000)
        #expect(MonotonicInstant(nanoseconds: 2_000_000_000).seconds(since: start) == 1.5)
        #expect(start.seconds(since: MonotonicInstant(nanoseconds: 2_000_000_000)) == -1.5)
    }
}
