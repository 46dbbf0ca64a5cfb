// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

@Suite struct RequestedRangeTests {
    @Test(
        arguments: [
            ("bytes=0-4", 0), ("Bytes=10-", 10), ("bytes=-5", nil), ("bytes=0-1,4-5", nil), ("lines=1-2", nil),
            ("bytes", nil), ("", nil),
            ("bytes=a-b", nil), ("bytes=1=2-3", nil), ("bytes=99999999999999999999-", nil),
        ] as [(String, Int64?)])
    func `returns the first byte, if one is named`(value: String, first: Int64?) {
        #expect(RequestedRange(value).first == first)
    }
}
