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

    @Test func `adding stops at the end of time, and never goes back`() {
        let instant = MonotonicInstant(nanoseconds: 1_000)
        #expect(instant.advanced(by: .nanoseconds(5)).nanoseconds == 1_005)
        #expect(instant.advanced(by: .seconds(-5)) == instant)
        #expect(instant.advanced(by: .nanoseconds(-1)) == instant)
        #expect(instant.advanced(by: .seconds(Int64.max)).nanoseconds == .max)
        #expect(instant.advanced(by: .nanoseconds(Int64.max)).nanoseconds == .max)
        #expect(MonotonicInstant(nanoseconds: .max).advanced(by: .nanoseconds(1)).nanoseconds == .max)
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
        #expect(Duration.seconds(-1).clampedNanoseconds == 0)
    }

    @Test func `durations of more seconds than can be counted stop at the same ends`() {
        for long in [.seconds(1e19), .seconds(Int64.max) * 2, .nanoseconds(Int64.max) + .nanoseconds(1)] as [Duration] {
            #expect(long.clampedNanoseconds == .max)
            #expect((.zero - long).clampedNanoseconds == 0)
        }
    }

    @Test func `seconds between two instants`() {
        let start = MonotonicInstant(nanoseconds: 500_000_000)
        #expect(MonotonicInstant(nanoseconds: 2_000_000_000).seconds(since: start) == 1.5)
        #expect(start.seconds(since: MonotonicInstant(nanoseconds: 2_000_000_000)) == -1.5)
    }
}
