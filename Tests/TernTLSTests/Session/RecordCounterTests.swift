// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernTLS

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
