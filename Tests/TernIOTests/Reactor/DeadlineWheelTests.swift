// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernIO

@Suite struct DeadlineWheelTests {
    private static let tick: Int64 = 4_000_000
    private static let horizon: Int64 = 1024 * tick

    @Test func `a deadline is never early and at most a tick late`() {
        for start in [0, 1, 3_999_999, 4_000_000, 987_654_321_987] as [Int64] {
            for offset in [1, 3_999_999, 4_000_000, 4_000_001, 250_000_000, 4_091_999_999] as [Int64] {
                let wheel = Wheel(at: start)
                wheel.set(start + offset, slot: 0)
                #expect(wheel.advance(to: start + offset - 1).isEmpty, "early: \(start) + \(offset)")
                #expect(wheel.advance(to: start + offset + Self.tick) == [0], "late: \(start) + \(offset)")
            }
        }
    }

    @Test func `a deadline in the past expires with the next tick`() {
        let wheel = Wheel(at: 10 * Self.tick)
        wheel.set(1, slot: 0)
        wheel.set(-5, slot: 1)
        wheel.set(10 * Self.tick, slot: 2)
        #expect(wheel.advance(to: 10 * Self.tick).isEmpty)
        #expect(wheel.advance(to: 11 * Self.tick) == [0, 1, 2])
    }

    @Test(arguments: [1, 2, 3, 10, 100] as [Int64])
    func `a deadline beyond the horizon is exact too`(turns: Int64) {
        for start in [0, 777 * Self.tick + 13] {
            for shift in [-1, 0, 1, 17, 63, 64, 65, 511] as [Int64] {
                let wheel = Wheel(at: start)
                let deadline = start + turns * Self.horizon + shift * Self.tick
                wheel.set(deadline, slot: 0)
                var time = start
                while time + 50_000_000 < deadline {
                    time += 50_000_000
                    #expect(wheel.advance(to: time).isEmpty)
                }
                #expect(wheel.advance(to: deadline - 1).isEmpty)
                #expect(wheel.advance(to: deadline + Self.tick) == [0])
            }
        }
    }

    @Test func `the end of time never comes`() {
        let wheel = Wheel(at: 0)
        wheel.set(.max, slot: 0)
        #expect(wheel.advance(to: 1 << 40).isEmpty)
        #expect(wheel.advance(to: 1 << 60).isEmpty)
        wheel.set(nil, slot: 0)
        #expect(wheel.millisecondsUntilNext(at: 1 << 60) == nil)
    }

    @Test func `a deadline pushed back keeps quiet at its old time`() {
        for later in [1, 2, 500, 1024, 5000] as [Int64] {
            let wheel = Wheel(at: 0)
            wheel.set(10 * Self.tick, slot: 0)
            wheel.set((10 + later) * Self.tick, slot: 0)
            #expect(wheel.advance(to: (10 + later) * Self.tick - 1).isEmpty)
            #expect(wheel.advance(to: (11 + later) * Self.tick) == [0])
        }
    }

    @Test func `a deadline pulled forward expires at its new time only`() {
        let wheel = Wheel(at: 0)
        wheel.set(20 * Self.horizon, slot: 0)
        wheel.set(300 * Self.tick, slot: 0)
        wheel.set(5 * Self.tick, slot: 0)
        #expect(wheel.advance(to: 5 * Self.tick - 1).isEmpty)
        #expect(wheel.advance(to: 6 * Self.tick) == [0])
        #expect(wheel.advance(to: 30 * Self.horizon).isEmpty)
    }

    @Test func `a cleared deadline never expires, and can be set again`() {
        let wheel = Wheel(at: 0)
        wheel.set(nil, slot: 0)
        wheel.set(5 * Self.tick, slot: 0)
        wheel.set(nil, slot: 0)
        wheel.set(nil, slot: 0)
        #expect(wheel.millisecondsUntilNext(at: 0) == nil)
        #expect(wheel.advance(to: 100 * Self.tick).isEmpty)
        wheel.set(101 * Self.tick, slot: 0)
        #expect(wheel.advance(to: 102 * Self.tick) == [0])
    }

    @Test func `an expired slot is used again as if new`() {
        let wheel = Wheel(at: 0)
        for round in 1...5000 as ClosedRange<Int64> {
            wheel.set(round * Self.tick, slot: 3)
            #expect(wheel.advance(to: round * Self.tick).isEmpty)
            #expect(wheel.advance(to: (round + 1) * Self.tick) == [3])
        }
    }

    @Test func `a jump of the clock over many revolutions expires everything that is due and nothing else`() {
        for jump in [1023, 1024, 1025, 2048, 1_000_000_000] as [Int64] {
            let wheel = Wheel(at: 50 * Self.tick)
            let target = (50 + jump) * Self.tick
            for slot in 0..<2000 as Range<UInt32> {
                wheel.set(50 * Self.tick + (Int64(slot) + 1) * (target - 50 * Self.tick) / 1000, slot: slot)
            }
            // A deadline at d is due from the first tick after d.
            let due = (0..<2000 as Range<UInt32>).filter {
                let deadline = 50 * Self.tick + (Int64($0) + 1) * (target - 50 * Self.tick) / 1000
                return deadline / Self.tick + 1 <= target / Self.tick
            }
            #expect(wheel.advance(to: target) == due)
            #expect(wheel.advance(to: target + 3 * jump * Self.tick).count == 2000 - due.count)
        }
    }

    @Test func `ten thousand deadlines in one bucket all expire, in one go`() {
        let wheel = Wheel(at: 0)
        for slot in 0..<10_000 as Range<UInt32> { wheel.set(40 * Self.tick + Int64(slot), slot: slot) }
        for slot in stride(from: 0 as UInt32, to: 10_000, by: 3) { wheel.set(nil, slot: slot) }
        #expect(wheel.advance(to: 41 * Self.tick) == (0..<10_000).filter { $0 % 3 != 0 })
        #expect(wheel.millisecondsUntilNext(at: 41 * Self.tick) == nil)
    }

    @Test func `an expired slot that is cleared or moved before it is taken is not due any more`() {
        var wheel = DeadlineWheel(now: MonotonicInstant(nanoseconds: 0))
        for slot in 0..<4 as Range<UInt32> { wheel.set(MonotonicInstant(nanoseconds: 1), slot: slot) }
        var expired = WorkQueue<UInt32>()
        wheel.advance(to: MonotonicInstant(nanoseconds: Self.tick), expired: &expired)
        #expect(expired.removeAll().sorted() == [0, 1, 2, 3])
        wheel.set(nil, slot: 1)
        wheel.set(MonotonicInstant(nanoseconds: 50 * Self.tick), slot: 2)
        let taken = [0, 1, 2, 3, 4, 0].map { wheel.takeExpired($0) }
        #expect(taken == [true, false, false, true, false, false])
        wheel.advance(to: MonotonicInstant(nanoseconds: 51 * Self.tick), expired: &expired)
        #expect(expired.removeAll() == [2])
    }

    @Test func `the clock standing still or going back does nothing`() {
        let wheel = Wheel(at: 100 * Self.tick)
        wheel.set(102 * Self.tick, slot: 0)
        #expect(wheel.advance(to: 100 * Self.tick).isEmpty)
        #expect(wheel.advance(to: 50 * Self.tick).isEmpty)
        #expect(wheel.advance(to: 103 * Self.tick) == [0])
    }

    @Test func `the wait ends at the tick after the deadline, rounded up to a millisecond`() {
        let wheel = Wheel(at: 0)
        #expect(wheel.millisecondsUntilNext(at: 0) == nil)
        wheel.set(10 * Self.tick, slot: 0)
        #expect(wheel.millisecondsUntilNext(at: 0) == 44)
        #expect(wheel.millisecondsUntilNext(at: 1) == 44)
        #expect(wheel.millisecondsUntilNext(at: 43_999_999) == 1)
        #expect(wheel.millisecondsUntilNext(at: 44_000_000) == 0)
        #expect(wheel.millisecondsUntilNext(at: 90_000_000) == 0)
    }

    @Test func `a thousand deadlines beyond the horizon wake the loop a few times a second at most`() {
        let wheel = Wheel(at: 0)
        var time: Int64 = 0
        for slot in 0..<1000 as Range<UInt32> {
            time += Self.tick
            #expect(wheel.advance(to: time).isEmpty)
            wheel.set(time + 60_000_000_000, slot: slot)
        }
        let start = time
        var wakeUps = 0
        while time < start + 40_000_000_000, let wait = wheel.millisecondsUntilNext(at: time) {
            time += Int64(wait) * 1_000_000
            wakeUps += 1
            #expect(wheel.advance(to: time).isEmpty)
        }
        #expect(wakeUps < 160)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `it agrees with a list that is searched`(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        var time = Int64.random(in: 0...1_000_000_000_000, using: &random)
        let wheel = Wheel(at: time)
        // When each slot must expire: with the first tick after its deadline, and after the tick it was set in.
        var model: [UInt32: (deadline: Int64, tick: Int64)] = [:]
        for _ in 0..<3000 {
            let slot = UInt32.random(in: 0..<60, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                wheel.set(nil, slot: slot)
                model[slot] = nil
            case 1...6:
                let reaches = [Self.tick, 50 * Self.tick, Self.horizon, 10 * Self.horizon]
                let reach = try #require(reaches.randomElement(using: &random))
                let deadline = max(0, time + Int64.random(in: -Self.tick...reach, using: &random))
                wheel.set(deadline, slot: slot)
                model[slot] = (deadline, max(deadline, time) / Self.tick + 1)
            default:
                let steps = [1_000_000, 20 * Self.tick, Self.horizon, 3 * Self.horizon]
                let step = try #require(steps.randomElement(using: &random))
                // Half of the time as the loop does it: sleep until the wheel has work.
                let wait = wheel.millisecondsUntilNext(at: time).map { Int64($0) * 1_000_000 }
                time += (Bool.random(using: &random) ? wait : nil) ?? Int64.random(in: 0...step, using: &random)
                let due = model.filter { $0.value.tick <= time / Self.tick }
                #expect(due.values.allSatisfy { $0.deadline <= time })
                #expect(wheel.advance(to: time) == due.keys.sorted())
                for slot in due.keys { model[slot] = nil }
                let earliest = model.values.map { $0.tick * Self.tick }.min()
                let next = wheel.millisecondsUntilNext(at: time).map { time + Int64($0) * 1_000_000 }
                #expect((earliest == nil) == (next == nil))
                #expect((next ?? 0) < (earliest ?? 0) + 1_000_000)
            }
        }
    }
}

extension DeadlineWheelTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `by a clock that stands each deadline expires to the nanosecond`(seed: UInt64) {
        var random = SplitMix64(state: seed)
        var time: Int64 = 987_654_321_987
        let wheel = Wheel(at: time)
        var model: [UInt32: Int64] = [:]
        for _ in 0..<3000 {
            let slot = UInt32.random(in: 0..<40, using: &random)
            let reaches = [3, Self.tick, 20 * Self.tick, Self.horizon, 5 * Self.horizon]
            let reach = reaches[Int.random(in: 0..<reaches.count, using: &random)]
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                wheel.set(nil, slot: slot)
                model[slot] = nil
            case 1, 2:
                model[slot] = time + Int64.random(in: -1...reach, using: &random)
                wheel.set(model[slot], slot: slot)
            default:
                // Half of the moves lead to a deadline exactly, or to the moment before.
                let earliest = model.values.filter { $0 > time }.min() ?? time
                let move = Int64.random(in: 0...1, using: &random)
                time =
                    Bool.random(using: &random)
                    ? max(time, earliest - move) : time + Int64.random(in: 0...reach, using: &random)
                let due = model.filter { $0.value <= time }.keys.sorted()
                #expect(wheel.advance(to: time, isExact: true) == due)
                for slot in due { model[slot] = nil }
            }
        }
    }
}

/// The wheel with plain numbers, that takes what expires at once.
private final class Wheel {
    private var wheel: DeadlineWheel

    init(at nanoseconds: Int64) { wheel = DeadlineWheel(now: MonotonicInstant(nanoseconds: nanoseconds)) }

    func set(_ deadline: Int64?, slot: UInt32) {
        wheel.set(deadline.map { MonotonicInstant(nanoseconds: $0) }, slot: slot)
    }

    func advance(to nanoseconds: Int64, isExact: Bool = false) -> [UInt32] {
        var expired = WorkQueue<UInt32>()
        let now = MonotonicInstant(nanoseconds: nanoseconds)
        wheel.advance(to: now, expired: &expired)
        if isExact { wheel.expire(by: now, expired: &expired) }
        return expired.removeAll().filter { wheel.takeExpired($0) }.sorted()
    }

    func millisecondsUntilNext(at nanoseconds: Int64) -> Int32? {
        wheel.nextTick.map { DeadlineWheel.milliseconds(until: $0, now: MonotonicInstant(nanoseconds: nanoseconds)) }
    }
}

private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

extension WorkQueue {
    fileprivate mutating func removeAll() -> [Element] {
        var all: [Element] = []
        while let element = popFirst() { all.append(element) }
        return all
    }
}
