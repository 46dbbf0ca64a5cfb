// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

@Suite struct CookieDateTests {
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "06 Nov 1994 08:49:37", "8:49:37 6 november 1994", "Nov/06/1994;08:49:37", "6 nov 94 8:49:37x",
        "06-Nov-1994 08:49:37 +0100", "06junk Nov 1994junk 08:49:37",
    ])
    func `all forms that servers write are read`(text: String) {
        #expect(CookieDate.seconds(text) == 784_111_777)
    }

    @Test(arguments: [("70", 0), ("69", 3_124_224_000), ("0", nil), ("00", 946_684_800), ("1601", -11_644_473_600)])
    func `a year of two digits is of the century that RFC 6265 names`(year: String, seconds: Int64?) {
        #expect(CookieDate.seconds("01 Jan \(year) 00:00:00") == seconds)
    }

    @Test(arguments: [
        "", "06 Nov 1994", "08:49:37 Nov 1994", "06 08:49:37 1994", "06 Nov 08:49:37", "32 Jan 2020 00:00:00",
        "0 Jan 2020 00:00:00", "31 Apr 2020 00:00:00", "29 Feb 2021 00:00:00", "01 Jan 1600 00:00:00",
        "01 Jan 2020 24:00:00", "01 Jan 2020 00:60:00", "01 Jan 2020 00:00:60", "01 Foo 2020 00:00:00",
        "01 Jan 20200 00:00:00", "01 Jan 2020 000:00:00", "01 Jan 2020 00:00", "gestern",
    ])
    func `what is no date is none`(text: String) {
        #expect(CookieDate.seconds(text) == nil)
    }

    @Test func `leap days are days`() {
        #expect(CookieDate.seconds("29 Feb 2020 00:00:00") == 1_582_934_400)
        #expect(CookieDate.seconds("29 Feb 2000 00:00:00") == 951_782_400)
        #expect(CookieDate.seconds("29 Feb 1900 00:00:00") == nil)
        #expect(CookieDate.seconds("31 Dec 2020 23:59:59") == 1_609_459_199)
    }

    @Test func `a text of more than 128 bytes is none`() {
        let date = "06 Nov 1994 08:49:37"
        #expect(CookieDate.seconds(date + String(repeating: " ", count: 108)) == 784_111_777)
        #expect(CookieDate.seconds(date + String(repeating: " ", count: 109)) == nil)
    }
}
