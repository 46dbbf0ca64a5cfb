// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernTLS

struct OutgoingBufferTests {
    private func append(_ bytes: [UInt8], to buffer: inout OutgoingBuffer) {
        unsafe bytes.withUnsafeBytes { unsafe buffer.append($0) }
    }

    /// Takes up to `limit` bytes.
    private func take(_ limit: Int, from buffer: inout OutgoingBuffer) -> [UInt8] {
        var taken: [UInt8] = []
        unsafe buffer.drain { waiting in
            unsafe taken = Array(waiting.prefix(limit))
            return taken.count
        }
        return taken
    }

    @Test func `bytes leave in the order in which they came, however they are cut`() {
        let all = (0..<5000).map { UInt8(truncatingIfNeeded: $0) }
        var buffer = OutgoingBuffer()
        var sent: [UInt8] = []
        for start in stride(from: 0, to: all.count, by: 250) {
            append(Array(all[start..<(start + 250)]), to: &buffer)
            sent += take(start % 400, from: &buffer)
        }
        let waiting = buffer.count
        #expect(waiting == all.count - sent.count)
        sent += take(.max, from: &buffer)
        #expect(sent == all)
        let left = buffer.count
        #expect(left == 0)
    }

    @Test(arguments: [(-5, 3), (0, 3), (2, 1), (100, 0)])
    func `a count that cannot be is brought into its bounds`(told: Int, left: Int) {
        var buffer = OutgoingBuffer()
        append([1, 2, 3], to: &buffer)
        unsafe buffer.drain { _ in told }
        let count = buffer.count
        #expect(count == left)
    }

    @Test func `nothing waits after a discard, and an empty buffer sends nothing`() {
        var buffer = OutgoingBuffer()
        append([1, 2, 3], to: &buffer)
        buffer.discard()
        var wasAsked = false
        unsafe buffer.drain { _ in
            wasAsked = true
            return 0
        }
        #expect(!wasAsked)
        append([4], to: &buffer)
        let taken = take(.max, from: &buffer)
        #expect(taken == [4])
    }
}

@Suite struct RecordCounterTests {
    private let records: [UInt8] =
        [23, 3, 3, 0, 2, 1, 2] + [22, 3, 3, 0, 0] + [21, 3, 3, 1, 0] + .init(repeating: 9, count: 256)

    @Test(arguments: 1...270) func `records are counted at their ends, however they are cut`(step: Int) {
        var counter = RecordCounter()
        var counts: [Int] = []
        for start in stride(from: 0, to: records.count, by: step) {
            let piece = Array(records[start...].prefix(step))
            counter.take(piece.span)
            counts.append(counter.count)
        }
        let ends = [7, 12, 273]
        #expect(counts == counts.indices.map { index in ends.count { $0 <= min(273, (index + 1) * step) } })
    }

    @Test func `counting starts over within a record`() {
        var counter = RecordCounter()
        let (first, second) = (Array(records[..<10]), Array(records[10...]))
        counter.take(first.span)
        #expect(counter.count == 1)
        counter.startOver()
        #expect(counter.count == 0)
        counter.take(second.span)
        #expect(counter.count == 2)
    }
}
