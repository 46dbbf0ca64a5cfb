// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

@Suite struct HTTPDateTests {
    @Test(
        arguments: [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Thu, 29 Feb 2024 23:59:60 GMT", 1_709_251_200), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
            ("Sat, 01 Mar 2025 00:00:00 GMT", 1_740_787_200), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thursday, 01-Jan-26 00:00:00 GMT", 1_767_225_600),
            ("Thu Jan 15 00:00:00 2026", 1_768_435_200),
        ] as [(String, Int64)])
    func `a date is a number of seconds`(text: String, seconds: Int64) {
        #expect(HTTPDate.seconds(text) == seconds)
    }

    @Test(arguments: [
        "", "Sunday, 6-Nov-94 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 1994 GMT", "Some Nov  6 08:49:37 1994",
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 0000 08:49:37 GMT",
    ])
    func `anything else is no date`(text: String) {
        #expect(HTTPDate.seconds(text) == nil)
    }

    @Test func `what is written is read again, in all years of the calendar`() {
        var generator = SeededGenerator(seed: 3)
        let (first, end) = (HTTPDate.days(1583, 1, 1) * 86400, HTTPDate.days(10_000, 1, 1) * 86400)
        let edges = [first, end - 1, -1, 0, 951_782_399, 951_782_400, 951_868_800, 4_107_542_400]
        for seconds in edges + (0..<5000).map({ _ in Int64.random(in: first..<end, using: &generator) }) {
            #expect(HTTPDate.text(seconds).flatMap(HTTPDate.seconds) == seconds)
        }
        #expect(HTTPDate.text(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.text(-1) == "Wed, 31 Dec 1969 23:59:59 GMT")
        #expect([first - 1, end, .min, .max].compactMap(HTTPDate.text).isEmpty)
    }
}
