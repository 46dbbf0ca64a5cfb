// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct HTTPDateTests {
    /// 26 November 2026, 12:00.
    private static let now: Int64 = 1_795_694_400

    @Test(
        arguments: [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Thu, 29 Feb 2024 23:59:60 GMT", 1_709_251_200), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
            ("Sat, 01 Mar 2025 00:00:00 GMT", 1_740_787_200), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thursday, 01-Jan-26 00:00:00 GMT", 1_767_225_600),
            ("Thu Jan 15 00:00:00 2026", 1_768_435_200),
        ] as [(String, Int64)])
    func `a date is a number of seconds, and the forms of RFC 9110 may be validators`(text: String, seconds: Int64) {
        #expect(HTTPDate.seconds(text) == seconds && HTTPDate.exactSeconds(text) == seconds)
    }

    @Test(arguments: [
        "Sunday, 6-Nov-94 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 1994 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37",
        "06 Nov 1994 08:49:37 GMT", "sun, 06 nov 1994 08:49:37 gmt", "SUN, 06 NOV 1994 08:49:37 GMT",
        "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37 -0000",
        "Sun, 06 Nov 1994 10:49:37 +0200", "Sun, 06 Nov 1994 00:49:37 PST", "Sun, 06 Nov 1994 09:49:37 CET",
        "Sun, 06 Nov 1994 08:49:37 Z", "Sun, 06 Nov 1994 10:49:37 +02:00", "Sun Nov 06 09:49:37 CET 1994",
        "Sun Nov 06 1994 10:49:37 GMT+0200 (Eastern European Standard Time)", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sunday, 06 November 1994 08:49:37 GMT", "Nov 6, 1994 8:49:37", "1994 Nov 6 08:49:37", "08:49:37 06 Nov 1994",
        "Sun,  06  Nov  1994  08:49:37  GMT", "Sun,06 Nov 1994 08:49:37 GMT", "  06 Nov 1994 08:49:37",
        "19941106 08:49:37", "19941106T084937Z", "1994-11-06T08:49:37Z", "1994-11-06 08:49:37", "1994-11-06t08:49:37",
        "1994-11-06T08:49:37.000Z", "1994-11-06T10:49:37.123+02:00", "1994-11-06T10:49:37+0200",
        "1994-11-06 10:49:37+02", "1994-11-06T00:49:37-08:00",
    ])
    func `a date is read as servers write it, and is no validator then`(text: String) {
        #expect(HTTPDate.seconds(text) == 784_111_777 && HTTPDate.exactSeconds(text) == nil)
    }

    @Test(
        arguments: [
            ("2020-01-02", 1_577_923_200), ("20200102", 1_577_923_200), ("2 Jan 2020", 1_577_923_200),
            ("Sun, 06 Nov 1994 08:49 GMT", 784_111_740), ("2020-01-02t03:04", 1_577_934_240),
            ("20200102T0304", 1_577_934_240), ("31 Dec 9999 23:59:59 -1400", 253_402_351_199),
        ] as [(String, Int64)])
    func `seconds, and the time of the day, may be missing`(text: String, seconds: Int64) {
        #expect(HTTPDate.seconds(text) == seconds)
    }

    @Test(arguments: [
        "", "0", "-1", "now", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Jan", "1 Jan",
        "Some Nov  6 08:49:37 1994", "Sun, 06 Nov 0000 08:49:37 GMT", "Sun, 31 Apr 2024 00:00:00 GMT", "2020-02-30",
        "2020-01-02T25:00", "2020-1-2", "5/9/2017", "Mon Tue 1 Jan 2020", "1 Jan 2020 1:2:3 4:5:6", "29 Feb 2021",
        "Thu, 29 Feb 2021 00:00:00 GMT", "1 Jan 2020 00:00 XYZ", "1 Jan 117", "a b c d e f g", "1 1 1 1 1 1 1 1",
        "99999999999999999999", "1 Jan 99999999", "Sun, 06 Nov 1994 08:49:37 GMT" + String(repeating: " ", count: 100),
    ])
    func `anything else is no date`(text: String) {
        #expect(HTTPDate.seconds(text) == nil && HTTPDate.exactSeconds(text) == nil)
    }

    @Test(
        arguments: [
            ("Sunday, 06-Nov-94 08:49:37 GMT", 1994), ("26 Nov 76 12:00:00", 2076), ("26 Nov 76 12:00:01", 1976),
            ("Monday, 01-Jan-76 00:00:00 GMT", 2076), ("01 Jan 77", 1977), ("01 Jan 00", 2000), ("1 Jan 70", 2070),
        ] as [(String, Int64)])
    func `a year of two digits is not more than 50 years ahead`(text: String, year: Int64) {
        let seconds = HTTPDate.seconds(text) { Self.now }
        #expect(seconds.flatMap { HTTPDate.Parts(seconds: $0) }?.year == year)
    }

    @Test func `no text of a date traps`() {
        let words = [
            "Mon", "jan", "31", "2020", "20200101", "12:00", "99:99:99", "+", "-", ":", "GMT", "é", "0", "-2400", "T",
            "+02", "(", ")", ".5", "235960",
        ]
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<3000 {
            let text = (0..<Int.random(in: 0..<9, using: &generator)).map { _ in
                (words.randomElement(using: &generator) ?? "") + (Bool.random(using: &generator) ? " " : "")
            }.joined()
            let seconds = HTTPDate.seconds(text)
            #expect(seconds.map { $0 < 253_402_400_000 } ?? true, "\(text)")
        }
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
