// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernIO
import Testing

@testable import TernEngine

@Suite struct StreamReadsTests {
    private typealias Reads = StreamReads<Int>

    private static let start = MonotonicInstant(nanoseconds: 1_000_000_000)

    /// The next answer, as a word.
    private static func next(_ reads: inout Reads, at now: MonotonicInstant = start) -> String? {
        guard let answer = reads.next(at: now) else { return nil }
        switch answer.outcome {
        case .bytes(let bytes, let isAtEnd):
            return "\(answer.waiter): \(String(decoding: bytes, as: UTF8.self))\(isAtEnd ? " end" : "")"
        case .failed(let reason): return "\(answer.waiter): \(reason.kind)"
        }
    }

    private static func ask(_ reads: inout Reads, _ number: Int, _ least: Int, _ most: Int, _ limit: Duration? = nil)
        -> String?
    {
        let answer = reads.ask(Reads.Read(least: least, most: most, limit: limit, waiter: number), at: start)
        guard case .failed(let reason) = answer?.outcome else { return nil }
        return reason.kind.rawValue
    }

    private static func receive(_ reads: inout Reads, _ text: String) { reads.received(Array(text.utf8).span) }

    @Test func `nothing is wanted without a read, and no more than it takes`() {
        var reads = Reads()
        #expect(reads.wanted == 0)
        _ = Self.ask(&reads, 1, 3, 5)
        #expect(reads.wanted == 5)
        Self.receive(&reads, "ab")
        #expect(reads.wanted == 3)
        #expect(Self.next(&reads) == nil)
        Self.receive(&reads, "cd")
        #expect(reads.wanted == 0)
        #expect(Self.next(&reads) == "1: abcd")
        #expect(reads.wanted == 0)
    }

    @Test func `reads are answered in order, from what is there`() {
        var reads = Reads()
        Self.receive(&reads, "abcdef")
        for number in 1...3 { _ = Self.ask(&reads, number, 2, 2) }
        _ = Self.ask(&reads, 4, 1, 9)
        #expect((0..<4).map { _ in Self.next(&reads) } == ["1: ab", "2: cd", "3: ef", nil])
        #expect(reads.wanted == 9)
    }

    @Test func `much is read little by little, byte for byte`() {
        var reads = Reads()
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 / 3) }
        var (taken, number) = (Data(), 0)
        for piece in [bytes[..<1000], bytes[1000...]] {
            reads.received(Array(piece).span)
            for _ in 0..<(number == 0 ? 1 : 10_000) {
                _ = reads.ask(Reads.Read(least: 1, most: 31, limit: nil, waiter: number), at: Self.start)
                number += 1
                guard case .bytes(let bytes, _) = reads.next(at: Self.start)?.outcome else { break }
                taken += bytes
            }
        }
        #expect(taken == Data(bytes))
    }

    @Test func `at the end there may be fewer, then none, again and again`() {
        var reads = Reads()
        _ = Self.ask(&reads, 1, 9, 9)
        Self.receive(&reads, "abc")
        reads.ended()
        #expect(Self.next(&reads) == "1: abc end")
        #expect(reads.isOver == true)
        for number in 2...3 {
            _ = Self.ask(&reads, number, 1, 1)
            #expect(reads.wanted == 0)
            #expect(Self.next(&reads) == "\(number):  end")
        }
    }

    @Test func `the end is reported after the last byte, and not before`() {
        var reads = Reads()
        Self.receive(&reads, "abc")
        reads.ended()
        #expect(reads.isOver == false)
        _ = Self.ask(&reads, 1, 1, 2)
        #expect(Self.next(&reads) == "1: ab")
        _ = Self.ask(&reads, 2, 1, 2)
        #expect(Self.next(&reads) == "2: c end")
    }

    @Test func `a broken connection fails a read that waits for more than is there`() {
        var reads = Reads()
        Self.receive(&reads, "abc")
        _ = Self.ask(&reads, 1, 9, 9)
        _ = Self.ask(&reads, 2, 1, 9)
        reads.fail(.transfer(.connectionLost(nil)))
        reads.ended()
        #expect(Self.next(&reads) == "1: connection-lost")
        #expect(Self.next(&reads) == "2: abc")
        _ = Self.ask(&reads, 3, 1, 9)
        #expect(Self.next(&reads) == "3: connection-lost")
        #expect(reads.isOver == true)
    }

    @Test func `a closed half serves who has asked, and refuses the others`() {
        var reads = Reads()
        _ = Self.ask(&reads, 1, 2, 2)
        reads.close()
        #expect(reads.isOver == false)
        #expect(Self.ask(&reads, 2, 1, 1) == "stream-closed")
        Self.receive(&reads, "ab")
        #expect(Self.next(&reads) == "1: ab")
        #expect(reads.isOver == true)
        #expect(Self.ask(&reads, 3, 1, 1) == "stream-closed")
    }

    @Test func `time counts while a read is first, and its bytes stay for the next one`() {
        var reads = Reads()
        _ = Self.ask(&reads, 1, 3, 3, .seconds(5))
        _ = Self.ask(&reads, 2, 2, 3, .seconds(2))
        #expect(reads.deadline == Self.start.advanced(by: .seconds(5)))
        Self.receive(&reads, "ab")
        let late = Self.start.advanced(by: .seconds(5))
        reads.timePassed(Self.start.advanced(by: .seconds(4)))
        #expect(Self.next(&reads) == nil)
        reads.timePassed(late)
        #expect(Self.next(&reads, at: late) == "1: timed-out")
        #expect(reads.deadline == late.advanced(by: .seconds(2)))
        #expect(Self.next(&reads, at: late) == "2: ab")
        #expect(reads.deadline == nil && !reads.isOver)
    }

    @Test func `a read of nothing is done at once, and odd bounds are made to fit`() {
        var reads = Reads()
        _ = Self.ask(&reads, 1, 0, 0)
        #expect(Self.next(&reads) == "1: ")
        _ = Self.ask(&reads, 2, -4, -1)
        #expect(Self.next(&reads) == "2: ")
        _ = Self.ask(&reads, 3, 9, 2)
        #expect(reads.wanted == 2)
        Self.receive(&reads, "ab")
        #expect(Self.next(&reads) == "3: ab")
        _ = Self.ask(&reads, 4, 0, .max)
        #expect(Self.next(&reads) == nil)
        #expect(reads.wanted == .max)
    }
}
