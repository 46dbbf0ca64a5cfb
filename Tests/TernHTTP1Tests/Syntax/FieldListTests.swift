// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernHTTP1

@Suite struct FieldListTests {
    private func elements(_ values: [String], _ rules: ListRules = .tokens) -> (found: [String], isWhole: Bool) {
        var found: [String] = []
        let isWhole = rules.read(values.map { Array($0.utf8) }) {
            found.append(String(decoding: $0.copy($0.indices), as: UTF8.self))
        }
        return (found, isWhole)
    }

    @Test(
        arguments: [
            (["a,\tb c ,d"], ["a", "b c", "d"], .tokens), (["a", "b,c"], ["a", "b", "c"], .tokens),
            // A fold counts as a blank.
            (["a,\r\n b"], ["a", "b"], .tokens),
            ([""], [], .tokens), ([",", " , a ,\t"], ["a"], .tokens),
            (["\"a,b\",c"], ["\"a", "b\"", "c"], .tokens),
            (["x=\"a,b\" , y=\"\\\",\",z"], ["x=\"a,b\"", "y=\"\\\",\"", "z"], .directives),
            // A string without an end ends with its field.
            (["x=\"a,b", "c,d"], ["x=\"a,b", "c", "d"], .directives), (["x=\"a\\"], ["x=\"a\\"], .directives),
            (["a,,b,", ""], ["a", "", "b", "", ""], .members),
        ] as [([String], [String], ListRules)])
    func `a list is read as its syntax says`(values: [String], expected: [String], rules: ListRules) {
        let list = elements(values, rules)
        #expect(list.found == expected && list.isWhole)
    }

    @Test(arguments: [ListRules.tokens, .directives, .codings, .members, .lengths])
    func `the limits are for all fields together, and include their last element and byte`(rules: ListRules) {
        let (count, length) = (rules.maximumCount, rules.maximumLength)
        let most = Array(repeating: "a", count: count)
        #expect(elements(most, rules).isWhole && elements([most.joined(separator: ",")], rules).isWhole)
        let more = elements(most + ["b"], rules)
        #expect(!more.isWhole && more.found == most)
        let long = String(repeating: "x", count: length / 2)
        #expect(elements([long, long], rules).isWhole)
        let longer = elements([long, long, "b", "c"], rules)
        #expect(!longer.isWhole && longer.found == [long, long])
        // Empty elements cost bytes.
        #expect(elements([String(repeating: ",", count: 50)]).isWhole)
        #expect(!elements([String(repeating: ",", count: length + 1)], rules).isWhole)
    }

    @Test func `names are compared and shown in place, in lower case`() {
        let name = Array("GZip".utf8)
        #expect(name.span.isName("gzip") && !name.span.isName("gzi") && !name.span.isName("gzix"))
        #expect(name.span.lowercasedName == "gzip")
    }
}
