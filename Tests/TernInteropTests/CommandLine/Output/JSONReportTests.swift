// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernCLI

@Suite struct JSONReportTests {
    @Test func `keys are sorted, and slashes stay readable`() throws {
        #expect(try JSONReport.text(["b": "x/y", "a": "1"]) == #"{"a":"1","b":"x/y"}"#)
    }

    @Test func `a time is one of RFC 3339`() { #expect(JSONReport.time(784_111_777) == "1994-11-06T08:49:37Z") }
}
