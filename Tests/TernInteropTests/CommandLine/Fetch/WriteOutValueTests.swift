// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import TernCLI

@Suite struct WriteOutValueTests {
    @Test(arguments: [
        (WriteOutValue.status(7), "7"), (.number(-1), "-1"), (.text(nil), "null"), (.text("a\"b"), #""a\"b""#),
        (.seconds(0.5), "0.5"),
    ])
    func `JSON has numbers as numbers, and no text as null`(value: WriteOutValue, json: String) throws {
        #expect(try JSONReport.text(value) == json)
    }

    @Test func `what a server chose steers no terminal`() {
        #expect(WriteOutValue.text("a\u{1B}[2J").shown == #"a\u001b[2J"#)
        #expect(WriteOutValue.status(7).shown == "007")
        #expect(WriteOutValue.seconds(0.25).shown == "0.250000")
        #expect(WriteOutValue.text(nil).shown.isEmpty)
    }
}
