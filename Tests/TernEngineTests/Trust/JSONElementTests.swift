// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

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
