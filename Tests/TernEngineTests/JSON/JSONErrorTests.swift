// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

@Suite struct JSONErrorTests {
    @Test(arguments: [
        (#"{"a" 1}"#, 5, #"unexpected "1""#), ("[1,\u{1}]", 3, "unexpected byte 0x1"),
        ("[", 1, "the text ends too early"),
        (#"{"a":1,"a":2}"#, 7, #""a" occurs twice"#), ("1 2", 2, "there is more after the value"),
        (#"["\x"]"#, 2, "unknown escape"), (#"["\ud800"]"#, 2, "half of a surrogate pair"),
        ("[01]", 1, "not a number as JSON writes them"),
    ])
    func `an error says what it is and where it begins`(text: String, offset: Int, description: String) throws {
        let error = try #require(throws: JSONError.self) { try JSONReader.read(Array(text.utf8)) }
        #expect(error.description == description)
        #expect(abs(error.offset - offset) <= 2, "\(error.offset)")
    }
}
