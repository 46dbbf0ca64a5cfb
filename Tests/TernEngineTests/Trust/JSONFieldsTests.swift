// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

@Suite struct JSONFieldsTests {
    private func fields(_ json: String) throws -> JSONFields { try JSONFields(reading: Array(json.utf8)) }

    @Test func `members are taken once, and null is none`() throws {
        var fields = try fields(#"{"a": 1, "b": null}"#)
        #expect(fields.contains("b"))
        #expect(fields.take("b") == nil)
        #expect(fields.take("a") != nil)
        #expect(fields.take("a") == nil)
        try fields.finish()
    }

    @Test func `a member that no reader took is an error`() throws {
        let error = try #require(throws: PolicyFileError.self) { try fields("{\n\n\"a\": 1}").finish() }
        #expect(error.reason == .unknownField)
        #expect(error.field == "a")
        #expect(error.line == 3)
    }

    @Test(arguments: [
        ("pins", "pin", true), ("pins", "Pins", true), ("pins", "pnis", true), ("pins", "hosts", false),
        ("backupPins", "backupPin", true),
    ])
    func `a required member is missing, or misspelled`(name: String, written: String, isMisspelled: Bool) throws {
        var fields = try fields("{\"\(written)\": 1}")
        let error = try #require(throws: PolicyFileError.self) { try fields.require(name) }
        #expect(error.reason == (isMisspelled ? .misspelledField(meant: name) : .missingField))
    }

    @Test(arguments: ["[]", "1", "", "{", "{} {}"]) func `a text is one object`(json: String) {
        #expect(throws: PolicyFileError.self) { try fields(json) }
    }
}
