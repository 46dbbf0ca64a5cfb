// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

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
