// SPDX-License-Identifier: Apache-2.0
import TernIO
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct DeadlinesTests {
    private static let none = Timeouts(connect: .seconds(10), idle: nil)

    private static func deadlines(_ limits: Timeouts) -> Deadlines {
        Deadlines(limits: limits, start: MonotonicInstant(nanoseconds: 1_000_000_000))
    }

    private static func at(_ seconds: Double) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: Int64(seconds * 1e9))
    }

    private static func deadline(_ seconds: Double, _ limit: SessionError.TimeLimit) -> Deadlines.Deadline {
        Deadlines.Deadline(instant: at(seconds), limit: limit)
    }

    @Test func `without limits there is no deadline but for connecting`() {
        let deadlines = Self.deadlines(Self.none)
        #expect(deadlines.total == nil)
        #expect(deadlines.waiting(since: Self.at(5)) == nil)
        #expect(deadlines.exchange(lastActivity: Self.at(5), isPaused: false, unansweredSince: Self.at(5)) == nil)
        #expect(deadlines.connecting(since: Self.at(5)) == Self.at(15))
    }

    @Test func `the whole counts from the task's start, and what it waits for from then on`() {
        let deadlines = Self.deadlines(
            Timeouts(
                queue: .seconds(2), connect: .seconds(3), head: .seconds(4), idle: .seconds(5), total: .seconds(60)))
        #expect(deadlines.total == Self.deadline(61, .total))
        #expect(deadlines.waiting(since: Self.at(20)) == Self.deadline(22, .queue))
        #expect(deadlines.connecting(since: Self.at(20)) == Self.at(23))
        #expect(
            deadlines.exchange(lastActivity: Self.at(20), isPaused: false, unansweredSince: nil)
                == Self.deadline(25, .idle))
        #expect(
            deadlines.exchange(lastActivity: Self.at(20), isPaused: false, unansweredSince: Self.at(20))
                == Self.deadline(24, .head))
    }

    @Test func `of several deadlines the first is named`() {
        let deadlines = Self.deadlines(
            Timeouts(queue: .seconds(10), head: .seconds(10), idle: .seconds(10), total: .seconds(10)))
        #expect(deadlines.waiting(since: Self.at(0)) == Self.deadline(10, .queue))
        #expect(deadlines.waiting(since: Self.at(2)) == Self.deadline(11, .total))
        for (activity, sent, first) in [
            (0.5, 0.7, Self.deadline(10.5, .idle)), (0.7, 0.5, Self.deadline(10.5, .head)),
            (2, 2, Self.deadline(11, .total)),
        ] {
            #expect(
                deadlines.exchange(lastActivity: Self.at(activity), isPaused: false, unansweredSince: Self.at(sent))
                    == first)
        }
    }

    @Test func `a pause does not count as idle time, and the total timeout continues`() {
        let deadlines = Self.deadlines(Timeouts(head: .seconds(1), idle: .seconds(1), total: .seconds(60)))
        #expect(
            deadlines.exchange(lastActivity: Self.at(5), isPaused: true, unansweredSince: Self.at(5))
                == Self.deadline(61, .total))
    }

    @Test func `limits in the past are over at once, and those beyond the end of time never`() {
        let past = Duration.seconds(-5)
        let over = Self.deadlines(Timeouts(queue: past, connect: past, head: past, idle: past, total: past))
        #expect(over.total == Self.deadline(-4, .total))
        #expect(over.waiting(since: Self.at(3)) == Self.deadline(-4, .total))
        #expect(over.connecting(since: Self.at(3)) == Self.at(-2))
        let forever = Duration.seconds(1e19)
        for limit in [forever, .seconds(Int64.max)] {
            let never = Self.deadlines(
                Timeouts(queue: limit, connect: limit, head: limit, idle: limit, total: limit))
            let end = MonotonicInstant(nanoseconds: .max)
            #expect(never.total?.instant == end)
            #expect(never.waiting(since: Self.at(3))?.instant == end)
            #expect(never.connecting(since: Self.at(3)) == end)
            #expect(
                never.exchange(lastActivity: Self.at(3), isPaused: false, unansweredSince: Self.at(3))?.instant == end)
        }
        let before = Self.deadlines(Timeouts(idle: .zero - forever))
        #expect(
            before.exchange(lastActivity: Self.at(3), isPaused: false, unansweredSince: nil)?.limit == .idle)
    }
}
