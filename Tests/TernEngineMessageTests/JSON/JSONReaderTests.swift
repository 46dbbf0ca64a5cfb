// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct JSONReaderTests {
    private func read(_ text: String) throws(JSONError) -> JSONNode { try JSONReader.read(Array(text.utf8)) }

    private func value(_ text: String) throws -> JSONNode.Value { try read(text).value }

    @Test func `values are read`() throws {
        #expect(try value("null") == .null)
        #expect(try value(" true\n") == .boolean(true))
        #expect(try value("false") == .boolean(false))
        #expect(try value("\"\"") == .string(""))
        #expect(try value("[]") == .array([]))
        #expect(try value("{ }") == .object([]))
        for number in ["0", "-0", "10", "1.5", "-1e9", "1E+2", "0.0e-1"] {
            #expect(try value(number) == .number(number))
        }
    }

    @Test func `members and elements know where they stand`() throws {
        let text = "{\n  \"a\": [1, true],\n  \"b\": {}\n}"
        guard case .object(let members) = try value(text) else {
            Issue.record("no object")
            return
        }
        #expect(members.map(\.name) == ["a", "b"])
        #expect(members.map(\.offset) == [4, 22])
        #expect(members.map(\.node.offset) == [9, 27])
        guard case .array(let elements) = members[0].node.value else {
            Issue.record("no array")
            return
        }
        #expect(elements.map(\.offset) == [10, 13])
    }

    @Test(arguments: [
        (#""a\"\\\/\b\f\n\r\tz""#, "a\"\\/\u{8}\u{c}\n\r\tz"), (#""\u0041\u00e9\u20AC""#, "Aé€"),
        (#""\ud83d\ude00""#, "😀"), ("\"é😀\u{7f}\"", "é😀\u{7f}"), (#""\u0000""#, "\u{0}"),
    ])
    func `strings are read with their escapes`(text: String, string: String) throws {
        #expect(try value(text) == .string(string))
    }

    @Test(arguments: [
        ("", JSONError(reason: .unexpectedEnd, offset: 0)), ("{", JSONError(reason: .unexpectedEnd, offset: 1)),
        ("[1", JSONError(reason: .unexpectedEnd, offset: 2)), ("\"a", JSONError(reason: .unexpectedEnd, offset: 2)),
        ("[1,]", JSONError(reason: .unexpectedByte(UInt8(ascii: "]")), offset: 3)),
        ("{\"a\":1,}", JSONError(reason: .unexpectedByte(UInt8(ascii: "}")), offset: 7)),
        ("{a:1}", JSONError(reason: .unexpectedByte(UInt8(ascii: "a")), offset: 1)),
        ("{\"a\" 1}", JSONError(reason: .unexpectedByte(UInt8(ascii: "1")), offset: 5)),
        ("{\"a\":1,\"a\":2}", JSONError(reason: .duplicateName("a"), offset: 7)),
        ("{\"a\":1,\"\\u0061\":2}", JSONError(reason: .duplicateName("a"), offset: 7)),
        ("1 2", JSONError(reason: .trailingBytes, offset: 2)), ("01", JSONError(reason: .invalidNumber, offset: 2)),
        ("-", JSONError(reason: .invalidNumber, offset: 1)), ("1.", JSONError(reason: .invalidNumber, offset: 2)),
        ("1e", JSONError(reason: .invalidNumber, offset: 2)),
        ("+1", JSONError(reason: .unexpectedByte(0x2b), offset: 0)),
        ("tru", JSONError(reason: .unexpectedEnd, offset: 3)),
        ("trux", JSONError(reason: .unexpectedByte(0x78), offset: 3)),
        ("NaN", JSONError(reason: .unexpectedByte(0x4e), offset: 0)),
        ("\"\n\"", JSONError(reason: .controlCharacter(0x0a), offset: 1)),
        (#""\x""#, JSONError(reason: .invalidEscape, offset: 1)),
        (#""\u12g4""#, JSONError(reason: .invalidEscape, offset: 1)),
        (#""\ud800""#, JSONError(reason: .loneSurrogate, offset: 1)),
        (#""\ud800\ud800""#, JSONError(reason: .loneSurrogate, offset: 1)),
        (#""\udc00""#, JSONError(reason: .loneSurrogate, offset: 1)),
        (#""\ud800\n""#, JSONError(reason: .loneSurrogate, offset: 1)),
        ("\u{FEFF}x", JSONError(reason: .unexpectedByte(0x78), offset: 3)),
        ("\u{FEFF}\u{FEFF}{}", JSONError(reason: .unexpectedByte(0xef), offset: 3)),
        (" \u{FEFF}{}", JSONError(reason: .unexpectedByte(0xef), offset: 1)),
        ("// no\n{}", JSONError(reason: .unexpectedByte(0x2f), offset: 0)),
    ])
    func `what is no JSON is refused where it goes wrong`(text: String, expected: JSONError) {
        #expect { try self.read(text) } throws: { $0 as? JSONError == expected }
        #expect(!"\(expected)".isEmpty)
    }

    @Test func `what is not UTF-8 is refused`() {
        for bytes: [UInt8] in [[0x22, 0xff, 0x22], [0x22, 0xc0, 0x80, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22]] {
            #expect { try JSONReader.read(bytes) } throws: {
                $0 as? JSONError == JSONError(reason: .invalidUTF8, offset: 0)
            }
        }
    }

    @Test func `depth is bounded`() throws {
        let deepest = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
        _ = try read(deepest)
        #expect(throws: JSONError(reason: .tooDeep(limit: 32), offset: 32)) { try read("[" + deepest + "]") }
        #expect(throws: JSONError.self) { try read(String(repeating: "[{\"a\":", count: 1_000_000)) }
    }

    @Test func `any bytes end in a value or an error`() {
        var generator = SeededGenerator(seed: 7)
        let alphabet = Array(#"{}[]",:\u0a1-e.tfn "#.utf8) + [0x80, 0x0a]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0..<24, using: &generator)
            let bytes = (0..<count).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            do { _ = try JSONReader.read(bytes) } catch { #expect(error.offset <= count) }
        }
    }
}

@Suite struct JSONNodeTests {
    @Test(arguments: [
        ("null", "null"), ("true", "a boolean"), ("1", "a number"), ("\"\"", "a string"), ("[]", "an array"),
        ("{}", "an object"),
    ])
    func `a value knows its type`(text: String, kind: String) throws {
        #expect(try JSONReader.read(Array(text.utf8)).kind == kind)
    }

    @Test func `each value and each name has its place in the text`() throws {
        let node = try JSONReader.read(Array(#" {"a": [1, 23]}"#.utf8))
        #expect(node.offset == 1)
        guard case .object(let members) = node.value, case .array(let elements)? = members.first?.node.value else {
            Issue.record("\(node)")
            return
        }
        #expect(members.map(\.offset) == [2])
        #expect(elements.map(\.offset) == [8, 11])
        #expect(elements.map(\.value) == [.number("1"), .number("23")])
    }
}

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
