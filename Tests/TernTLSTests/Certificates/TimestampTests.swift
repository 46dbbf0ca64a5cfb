// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernTLS

struct TimestampTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (951_782_400, "2000-02-29T00:00:00Z"),
        (951_868_800, "2000-03-01T00:00:00Z"), (1_767_225_599, "2025-12-31T23:59:59Z"),
        (4_107_542_400, "2100-03-01T00:00:00Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
        (-62_167_219_200, "0000-01-01T00:00:00Z"), (1_709_210_096, "2024-02-29T12:34:56Z"),
    ])
    func `seconds become a date`(seconds: Int64, text: String) { #expect(Timestamp.text(seconds) == text) }

    @Test func `any number of seconds becomes some text`() {
        for seconds in [Int64.min, Int64.max, Int64.min + 1] { #expect(Timestamp.text(seconds).hasSuffix("Z")) }
        #expect(Timestamp.text(nil) == "unknown")
    }
}

struct TimestampRFC3339Tests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59Z", -1), ("2000-02-29T00:00:00z", 951_782_400),
        ("2024-02-29t12:34:56Z", 1_709_210_096), ("9999-12-31T23:59:59Z", 253_402_300_799),
        ("0000-01-01T00:00:00Z", -62_167_219_200), ("0000-02-29T00:00:00Z", -62_162_121_600),
        ("1970-01-01T01:00:00+01:00", 0), ("1969-12-31T16:00:00-08:00", 0), ("1970-01-01T00:00:00-00:00", 0),
        ("1970-01-01T00:00:00.999999999Z", 0), ("2016-12-31T23:59:60Z", 1_483_228_800),
    ])
    func `a time is read`(text: String, seconds: Int64) { #expect(Timestamp.seconds(rfc3339: text) == seconds) }

    @Test func `a fraction that is not zero lies after its second`() {
        #expect(Timestamp.moment(rfc3339: "1970-01-01T00:00:00.000001Z")?.hasFraction == true)
        #expect(Timestamp.moment(rfc3339: "1970-01-01T00:00:00.000Z")?.hasFraction == false)
        #expect(Timestamp.moment(rfc3339: "1970-01-01T00:00:00Z")?.hasFraction == false)
    }

    @Test(arguments: [
        "", "1970-01-01", "1970-01-01T00:00:00", "1970-01-01 00:00:00Z", "1970-1-1T00:00:00Z", "1970-13-01T00:00:00Z",
        "1970-00-01T00:00:00Z", "1970-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "1970-04-31T00:00:00Z",
        "1970-01-00T00:00:00Z", "1970-01-01T24:00:00Z", "1970-01-01T00:60:00Z", "1970-01-01T00:00:61Z",
        "1970-01-01T00:00:00.Z", "1970-01-01T00:00:00,5Z", "1970-01-01T00:00:00+0100", "1970-01-01T00:00:00+24:00",
        "1970-01-01T00:00:00+01", "1970-01-01T00:00:00ZZ", " 1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z\n",
        "-970-01-01T00:00:00Z", "１９７０-01-01T00:00:00Z", "1970-01-01T00:00:00−01:00", "01970-01-01T00:00:00Z",
    ])
    func `what is no time is none`(text: String) { #expect(Timestamp.seconds(rfc3339: text) == nil) }

    /// After as many years the days are the same.
    @Test func `every day of four hundred years is read as it is written`() {
        for day in stride(from: Int64(-36_524), to: 109_573, by: 1) {
            let text = Timestamp.text(day * 86400)
            #expect(Timestamp.seconds(rfc3339: text) == day * 86400)
            #expect(Timestamp.seconds(fullDate: String(text.prefix(10))) == day * 86400)
        }
    }

    @Test func `a date is no time, and a time no date`() {
        #expect(Timestamp.seconds(fullDate: "1970-01-02") == 86400)
        #expect(Timestamp.seconds(fullDate: "1970-01-02T00:00:00Z") == nil)
    }
}
