// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// What a pool learns of how long a server keeps idle connections. Time passes only where a test says so.
@Suite struct IdleLimitTests {
    private static let start = MonotonicInstant(nanoseconds: 1_000_000_000_000_000)

    private static func time(_ seconds: Double) -> MonotonicInstant { start.advanced(by: .seconds(seconds)) }

    private static func learnt(_ ages: Duration...) -> IdleLimit {
        var limit = IdleLimit()
        for age in ages { limit.closed(after: age, at: start) }
        return limit
    }

    private static func allows(
        _ limit: IdleLimit, _ age: Duration, roundTrip: Duration = .zero, at time: MonotonicInstant = start
    ) -> Bool {
        limit.allows(age, roundTrip: roundTrip, at: time)
    }

    @Test func `nothing is forbidden before something was learnt`() {
        let limit = IdleLimit()
        #expect(!limit.isLearnt && limit.limit(at: Self.start) == nil && limit.end == nil)
        #expect(Self.allows(limit, .seconds(1_000_000)))
    }

    @Test(
        arguments: [
            (100, 0, 0, true), (100, 48, 0, true), (100, 49, 0, false), (100, 50, 0, false), (100, 1000, 0, false),
            (100, 8, 40, true), (100, 9, 40, false), (100, 0, 49, false), (100, 0, 1000, false),
            (10, 3, 0, true), (10, 4, 0, false), (10, 10, 0, false), (3, 0, 0, true), (2, 0, 0, false),
            (1, 0, 0, false), (0, 0, 0, false),
        ])
    func `half of the limit is left when the request arrives`(limit: Int, age: Int, roundTrip: Int, isAllowed: Bool) {
        let learnt = Self.learnt(.milliseconds(limit))
        #expect(
            Self.allows(learnt, .milliseconds(age), roundTrip: .milliseconds(roundTrip)) == isAllowed)
    }

    @Test func `the earliest close counts, and one that is much later says nothing`() {
        var limit = Self.learnt(.seconds(10), .seconds(9), .seconds(12))
        #expect(limit.limit(at: Self.start) == .seconds(9))
        limit.closed(after: .seconds(60), at: Self.start)
        #expect(limit.limit(at: Self.start) == .seconds(9))
        limit.closed(after: .milliseconds(1), at: Self.start)
        #expect(limit.limit(at: Self.start) == .milliseconds(1))
    }

    @Test func `a connection that outlives the limit raises it, and a younger one does not`() {
        var limit = Self.learnt(.seconds(1))
        limit.survived(.seconds(1), at: Self.start)
        #expect(limit.limit(at: Self.start) == .seconds(1))
        limit.survived(.seconds(30), at: Self.start)
        #expect(limit.limit(at: Self.start) == .seconds(30))
        #expect(Self.allows(limit, .seconds(14)) && !Self.allows(limit, .seconds(15)))
    }

    @Test func `a limit that many closes agree on is not raised for the sake of one connection`() {
        var limit = Self.learnt(.seconds(1), .seconds(1), .seconds(1))
        for _ in 1..<4 { limit.survived(.seconds(30), at: Self.start) }
        #expect(limit.limit(at: Self.start) == .seconds(1))
        limit.survived(.seconds(30), at: Self.start)
        #expect(limit.limit(at: Self.start) == .seconds(30))
    }

    @Test func `of a hundred closes no more than 32 have to be outweighed`() {
        var limit = IdleLimit()
        for _ in 0..<100 { limit.closed(after: .milliseconds(5), at: Self.start) }
        for _ in 0..<31 { limit.survived(.seconds(1), at: Self.start) }
        #expect(limit.limit(at: Self.start) == .milliseconds(5))
        limit.survived(.seconds(1), at: Self.start)
        #expect(limit.limit(at: Self.start) == .seconds(1))
    }

    @Test func `a limit ends after two minutes, and later if closes confirm it`() {
        let limit = Self.learnt(.milliseconds(1))
        #expect(!Self.allows(limit, .zero, at: Self.time(119.9)))
        #expect(Self.allows(limit, .zero, at: Self.time(120)))
        let confirmed = Self.learnt(.milliseconds(1), .milliseconds(1), .milliseconds(1))
        #expect(!Self.allows(confirmed, .zero, at: Self.time(479)))
        #expect(Self.allows(confirmed, .zero, at: Self.time(480)))
        var strong = confirmed
        for _ in 0..<100 { strong.closed(after: .milliseconds(1), at: Self.start) }
        #expect(!Self.allows(strong, .zero, at: Self.time(3839)))
        #expect(Self.allows(strong, .zero, at: Self.time(3840)))
    }

    @Test func `one that has ended is replaced by the next close`() {
        var limit = Self.learnt(.milliseconds(1), .milliseconds(1))
        limit.survived(.seconds(1), at: Self.time(3600))
        limit.closed(after: .seconds(60), at: Self.time(3600))
        #expect(limit.limit(at: Self.time(3600)) == .seconds(60))
        limit.survived(.seconds(61), at: Self.time(3601))
        #expect(limit.limit(at: Self.time(3601)) == .seconds(61))
    }

    @Test func `a clock that jumps neither breaks nor prolongs a limit`() {
        var limit = Self.learnt(.seconds(-5))
        #expect(limit.limit(at: Self.start) == .zero)
        #expect(!Self.allows(limit, .seconds(-5), roundTrip: .seconds(-5)))
        // Back by days: what was learnt then may be of no use now.
        #expect(Self.allows(limit, .zero, at: Self.time(-200_000)))
        // By a moment.
        #expect(!Self.allows(limit, .zero, at: Self.time(-1)))
        limit.closed(after: .seconds(1 << 40), at: MonotonicInstant(nanoseconds: .max))
        limit.survived(.nanoseconds(Int64.max), at: MonotonicInstant(nanoseconds: .min))
        #expect(Self.allows(limit, .nanoseconds(Int64.max), at: MonotonicInstant(nanoseconds: .min)))
    }

    @Test func `limits of pools that are gone are kept for the next ones, up to a maximum`() throws {
        func origin(_ number: Int) throws -> HTTPOrigin {
            try URLRequest(string: "http://a\(number).test/").destination.get().origin
        }
        var limits = IdleLimits()
        #expect(!limits.take(try origin(0)).isLearnt)
        limits.keep(IdleLimit(), of: try origin(0), at: Self.start)
        #expect(limits.count == 0)
        for number in 0..<1000 {
            let time = Self.time(Double(number) / 100)
            var limit = IdleLimit()
            limit.closed(after: .milliseconds(number), at: time)
            limits.keep(limit, of: try origin(number), at: time)
        }
        #expect(limits.count == IdleLimits.maximumCount)
        // The latest are there, once.
        #expect(limits.take(try origin(999)).limit(at: Self.time(10)) == .milliseconds(999))
        #expect(!limits.take(try origin(999)).isLearnt)
        #expect(!limits.take(try origin(0)).isLearnt)
        // Those that have ended make room first.
        limits.keep(Self.learnt(.seconds(1)), of: try origin(0), at: Self.start)
        var late = IdleLimit()
        late.closed(after: .seconds(2), at: Self.time(1000))
        limits.keep(late, of: try origin(1), at: Self.time(1000))
        #expect(limits.count == 1)
    }
}
