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
