// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Tern

@Suite struct TextNestingTests {
    private func read(_ text: String) throws(PropertyListLimit) {
        var nesting = TextNesting()
        for byte in text.utf8 { try nesting.take(byte) }
    }

    @Test func `brackets nest, and close`() throws {
        let open = String(repeating: "(", count: PropertyListLimit.depth)
        try read(open)
        #expect(throws: PropertyListLimit.tooDeep) { try read(open + "{") }
        try read(String(repeating: "({})", count: PropertyListLimit.depth))
    }

    @Test func `brackets in quotes do not nest`() throws {
        let brackets = String(repeating: "(", count: PropertyListLimit.depth + 1)
        try read("\"" + brackets + "\"")
        try read("'\\'" + brackets + "'")
    }
}
