// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import TernCLI

@Suite struct JSONReportTests {
    @Test func `keys are sorted, and slashes stay readable`() throws {
        #expect(try JSONReport.text(["b": "x/y", "a": "1"]) == #"{"a":"1","b":"x/y"}"#)
    }

    @Test func `a time is one of RFC 3339`() { #expect(JSONReport.time(784_111_777) == "1994-11-06T08:49:37Z") }
}

@Suite struct JSONTextTests {
    @Test(arguments: [
        ("plain, ü 漢字 🙂", "\"plain, ü 漢字 🙂\""), (#"a"b\c"#, #""a\"b\\c""#), ("a\nb\r", #""a\nb\u000d""#),
        ("\u{0}\u{1b}\u{7f}\u{9b}", #""\u0000\u001b\u007f\u009b""#),
        ("\u{2028}\u{202e}\u{feff}", #""\u2028\u202e\ufeff""#),
        ("", "\"\""),
    ])
    func `a text is one line that steers no terminal`(text: String, json: String) {
        #expect(JSONText.quoted(text) == json)
    }

    @Test func `JSON's own parser reads every character back`() throws {
        let text = String(String.UnicodeScalarView((0..<0x3000).compactMap(Unicode.Scalar.init)))
        let json = Data("[\(JSONText.quoted(text))]".utf8)
        #expect(try JSONDecoder().decode([String].self, from: json).map { Array($0.utf8) } == [Array(text.utf8)])
    }
}
