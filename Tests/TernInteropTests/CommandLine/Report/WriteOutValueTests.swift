// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import TernCLI

@Suite struct WriteOutValueTests {
    @Test(arguments: [
        (WriteOutValue.status(7), "7"), (.number(-1), "-1"), (.text(nil), "null"), (.text("a\"b"), #""a\"b""#),
        (.bytes(nil), "null"), (.bytes([0x61, 0xE9, 0xC3, 0xA9]), "\"a\u{FFFD}é\""),
        (.seconds(0.5), "0.5"),
    ])
    func `JSON has numbers as numbers, and no text as null`(value: WriteOutValue, json: String) throws {
        #expect(try JSONReport.text(value) == json)
    }

    @Test(arguments: [
        (WriteOutValue.status(7), "007"), (.seconds(0.25), "0.250000"), (.text(nil), ""), (.text("é"), "é"),
        (.number(-1), "-1"), (.bytes(nil), ""),
    ])
    func `a value is written as curl writes it`(value: WriteOutValue, text: String) {
        #expect(value.bytes == Array(text.utf8))
    }

    @Test func `bytes are written as they are`() {
        #expect(WriteOutValue.bytes(Array(0x80...0xFF)).bytes == Array(0x80...0xFF))
    }
}
