// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import TernEngine

@Suite struct FormSegmentTests {
    @Test(
        arguments: [
            (1, 2, 3), (nil, 2, nil), (2, nil, nil), (Int.max, 1, nil), (Int.max, 0, Int.max),
        ] as [(Int?, Int?, Int?)])
    func `a sum is unknown if a part is, or if it is too large`(one: Int?, other: Int?, sum: Int?) {
        #expect(FormSegment.sum(one, other) == sum)
    }

    @Test func `data can be read again`() {
        #expect(FormSegment.data(Data("ab".utf8)).isReplayable)
        #expect(FormSegment.data(Data("ab".utf8)).length == 2)
    }
}
