// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

@Suite struct ContentRangeTests {
    @Test(
        arguments: [
            ("bytes 0-0/1", .part(first: 0, last: 0, total: 1)), ("BYTES 5-9/10", .part(first: 5, last: 9, total: 10)),
            ("bytes 5-9/*", .part(first: 5, last: 9, total: nil)), ("bytes */10", .unsatisfied(total: 10)),
            (
                "bytes 0-9223372036854775806/9223372036854775807",
                .part(first: 0, last: 9_223_372_036_854_775_806, total: 9_223_372_036_854_775_807)
            ),
        ] as [(String, ContentRange)])
    func `a range of bytes is read`(value: String, range: ContentRange) {
        #expect(ContentRange(value) == range)
    }

    @Test(arguments: [
        "", "bytes", "bytes ", "bytes 0-1", "bytes 1-0/2", "bytes 0-2/2", "bytes 0-1/0", "bytes */*", "pages 0-1/2",
        "bytes=0-1/2", "bytes  0-1/2", "bytes 0-1/2 ", "bytes -1/2", "bytes 0-/2", "bytes 0-1/", "bytes 0-1/+2",
        "bytes +0-1/2",
        "bytes 0-1/2/3", "bytes 0-1-2/3", "bytes 0-9223372036854775808/9223372036854775809", "bytes 0x0-1/2",
        "bytes 0-1/2,0-1/2",
    ])
    func `what is none, or cannot be, is refused`(value: String) {
        #expect(ContentRange(value) == nil)
    }
}

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
