// SPDX-License-Identifier: Apache-2.0
import TernIO
import Testing

@testable import TernEngine

@Suite struct ActivityTimerTests {
    private static let deadlines = Deadlines(
        limits: Timeouts(head: .seconds(2), idle: .seconds(10)), start: MonotonicInstant(nanoseconds: 0))

    private static func at(_ seconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
    }

    private static func next(_ silence: ActivityTimer, isPaused: Bool = false) -> Deadlines.Deadline? {
        silence.next(deadlines, isPaused: isPaused)
    }

    @Test func `until the whole request is sent only idle time is limited`() {
        var silence = ActivityTimer(Self.at(0))
        #expect(Self.next(silence) == Deadlines.Deadline(instant: Self.at(10), limit: .idle))
        #expect(!silence.isBegun && silence.requestSent == nil)
        silence.sent(all: false, Self.at(5))
        #expect(silence.isBegun && silence.requestSent == nil)
        #expect(Self.next(silence) == Deadlines.Deadline(instant: Self.at(15), limit: .idle))
    }

    @Test func `the head timeout starts with the request's last byte, whatever else arrives`() {
        var silence = ActivityTimer(Self.at(0))
        silence.sent(all: true, Self.at(5))
        #expect(silence.requestSent == Self.at(5))
        #expect(Self.next(silence) == Deadlines.Deadline(instant: Self.at(7), limit: .head))
        // Such as an interim response.
        silence.end(Self.at(6))
        #expect(Self.next(silence) == Deadlines.Deadline(instant: Self.at(7), limit: .head))
        silence.answered()
        #expect(Self.next(silence) == Deadlines.Deadline(instant: Self.at(16), limit: .idle))
    }

    @Test func `every byte restarts the idle timeout, and a pause suspends it`() {
        var silence = ActivityTimer(Self.at(0))
        silence.sent(all: true, Self.at(1))
        silence.answered()
        silence.end(Self.at(4))
        #expect(Self.next(silence) == Deadlines.Deadline(instant: Self.at(14), limit: .idle))
        #expect(Self.next(silence, isPaused: true) == nil)
        silence.end(Self.at(100))
        #expect(Self.next(silence) == Deadlines.Deadline(instant: Self.at(110), limit: .idle))
    }

    @Test func `a pause does not count towards the head timeout, which restarts after it`() {
        var silence = ActivityTimer(Self.at(0))
        silence.sent(all: true, Self.at(1))
        #expect(Self.next(silence, isPaused: true) == nil)
        silence.paused(until: Self.at(50))
        #expect(Self.next(silence) == Deadlines.Deadline(instant: Self.at(52), limit: .head))
        #expect(silence.requestSent == Self.at(1))
    }
}
