// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Tern

@Suite struct XMLNestingTests {
    private func read(_ text: String) throws(PropertyListLimit) {
        var nesting = XMLNesting()
        for byte in text.utf8 { try nesting.take(byte) }
    }

    private func nested(_ depth: Int) -> String {
        String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
    }

    @Test func `elements are nested one deeper than collections`() throws {
        try read(nested(PropertyListLimit.depth + 1))
        #expect(throws: PropertyListLimit.tooDeep) { try read(nested(PropertyListLimit.depth + 2)) }
    }

    @Test func `comments, declarations and empty elements do not nest`() throws {
        let count = PropertyListLimit.depth * 2
        try read(String(repeating: "<!-- <array> --><?xml?><array/><!DOCTYPE plist>", count: count))
    }
}
