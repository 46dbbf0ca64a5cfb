// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernIO
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct StreamWritesTests {
    private typealias Writes = StreamWrites<Int>

    private static let start = MonotonicInstant(nanoseconds: 1_000_000_000)

    private static func add(_ writes: inout Writes, _ number: Int, _ text: String, _ limit: Duration? = nil) -> String?
    {
        let write = Writes.Write(bytes: Data(text.utf8), limit: limit, waiter: number)
        return writes.add(write, at: start)?.failure?.kind.rawValue
    }

    private static func next(_ writes: inout Writes, at now: MonotonicInstant = start) -> String? {
        writes.next(at: now).map { "\($0.waiter): \($0.failure?.kind.rawValue ?? "sent")" }
    }

    @Test func `writes are sent in order and complete when all of one has been sent`() {
        var writes = Writes()
        #expect(Self.add(&writes, 1, "abc") == nil)
        #expect(Self.add(&writes, 2, "de") == nil)
        #expect(writes.first?.bytes == Data("abc".utf8))
        writes.sent(2)
        #expect(writes.first?.from == 2)
        #expect(Self.next(&writes) == nil)
        writes.sent(1)
        #expect(Self.next(&writes) == "1: sent")
        #expect(writes.first?.bytes == Data("de".utf8) && writes.first?.from == 0)
        writes.sent(2)
        #expect(Self.next(&writes) == "2: sent")
        #expect(writes.first == nil)
    }

    @Test func `an empty write completes in order`() {
        var writes = Writes()
        _ = Self.add(&writes, 1, "a")
        _ = Self.add(&writes, 2, "")
        #expect(Self.next(&writes) == nil)
        writes.sent(1)
        #expect([Self.next(&writes), Self.next(&writes), Self.next(&writes)] == ["1: sent", "2: sent", nil])
    }

    @Test func `the end follows what was there before`() {
        var writes = Writes()
        _ = Self.add(&writes, 1, "a")
        writes.close()
        #expect(writes.mayEnd == false)
        #expect(Self.add(&writes, 2, "b") == "stream-closed")
        writes.sent(1)
        #expect(Self.next(&writes) == "1: sent")
        #expect(writes.mayEnd && !writes.isOver)
        writes.ended()
        #expect(writes.isOver && !writes.mayEnd)
        #expect(Self.add(&writes, 3, "c") == "stream-closed")
    }

    @Test func `a broken connection fails what has not left, and whatever comes`() {
        var writes = Writes()
        _ = Self.add(&writes, 1, "a")
        _ = Self.add(&writes, 2, "b")
        writes.sent(1)
        writes.fail(.transfer(.connectionLost(nil)))
        writes.fail(.cancelled)
        #expect([Self.next(&writes), Self.next(&writes)] == ["1: sent", "2: connection-lost"])
        #expect(Self.add(&writes, 3, "c") == "connection-lost")
        #expect(writes.isOver == true)
    }

    @Test func `a write that runs out of time before any of it has left fails alone`() {
        var writes = Writes()
        _ = Self.add(&writes, 1, "a", .seconds(1))
        _ = Self.add(&writes, 2, "b")
        let late = Self.start.advanced(by: .seconds(1))
        writes.timePassed(late)
        #expect(Self.next(&writes, at: late) == "1: timed-out")
        #expect(writes.first?.bytes == Data("b".utf8) && !writes.isOver)
    }

    @Test func `a write that runs out of time when a part of it has left is the last`() {
        var writes = Writes()
        _ = Self.add(&writes, 1, "ab", .seconds(1))
        _ = Self.add(&writes, 2, "c")
        writes.sent(1)
        let late = Self.start.advanced(by: .seconds(1))
        writes.timePassed(late)
        #expect([Self.next(&writes, at: late), Self.next(&writes, at: late)] == ["1: timed-out", "2: timed-out"])
        #expect(writes.isOver && writes.first == nil)
    }
}
