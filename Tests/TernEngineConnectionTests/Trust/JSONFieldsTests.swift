// SPDX-License-Identifier: Apache-2.0
import TernTLS
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

@Suite struct JSONElementTests {
    private enum Word: String, CaseIterable { case one, two }

    private func element(_ json: String) throws -> JSONElement {
        var fields = try JSONFields(reading: Array("{\n\"x\": \(json)}".utf8))
        return try fields.require("x")
    }

    @Test func `a value is read as its type`() throws {
        #expect(try element("\"a\"").string() == "a")
        #expect(try element("true").boolean())
        #expect(try element(#"["a", "b"]"#).strings() == ["a", "b"])
        let word: Word = try element("\"two\"").word()
        #expect(word == .two)
    }

    @Test func `a value of another type is refused with its place`() throws {
        let error = try #require(throws: PolicyFileError.self) { try element("[\n1]").strings() }
        #expect(error.reason == .wrongType(expected: "a string", found: "a number"))
        #expect(error.field == "x[0]")
        #expect(error.line == 3)
    }

    @Test func `a word that is none of the words is refused with all of them`() throws {
        let error = try #require(throws: PolicyFileError.self) {
            let _: Word = try element("\"Two\"").word()
        }
        #expect(error.reason == .unknownWord("Two", allowed: ["one", "two"]))
    }
}

@Suite struct JSONElementTrustTests {
    private func element(_ json: String) throws -> JSONElement {
        var fields = try JSONFields(reading: Array("{\"x\": \(json)}".utf8))
        return try fields.require("x")
    }

    @Test(arguments: [
        (#"["http://a.test"]"#, true), (#"["HTTPS://a.test:8443/b"]"#, true), (#"["ftp://a.test"]"#, false),
        (#"["a.test"]"#, false), (#"["https://*.a.test"]"#, false), (#"["https://a.test:0"]"#, false),
        (#"["https:///x"]"#, false), ("[]", true),
    ])
    func `a URL to report to is one that a request can be sent to`(json: String, isValid: Bool) throws {
        let element = try element(json)
        #expect(((try? element.webURLs()) != nil) == isValid)
    }

    @Test(
        arguments: [
            (#""2030-01-01""#, 1_893_456_000), (#""2030-01-01T00:00:01Z""#, 1_893_456_001), (#""tomorrow""#, nil),
            (#""2030-13-01""#, nil),
        ] as [(String, Int64?)])
    func `a date is its first second`(json: String, time: Int64?) throws {
        let element = try element(json)
        #expect((try? element.time()) == time)
    }

    @Test func `an error names the element within its list`() throws {
        let hosts = try #require(throws: PolicyFileError.self) { try element(#"["a.test", "*"]"#).hostPatterns() }
        #expect(hosts.field == "x[1]")
        let pins = try #require(throws: PolicyFileError.self) { try element(#"["sha1/x"]"#).publicKeys() }
        #expect(pins.reason == .invalidPin(.unknownAlgorithm("sha1/x")))
    }
}
