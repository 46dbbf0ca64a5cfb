// SPDX-License-Identifier: Apache-2.0
import TestPrograms
import Testing

@testable import TernCLI

@Suite struct TypedURLTests {
    @Test(arguments: [
        ("http://h/a/../b", "http://h/b"), ("http://h/a/./b/", "http://h/a/b/"), ("http://h/a/..", "http://h/"),
        ("http://h/../../b?x=/../y", "http://h/b?x=/../y"), ("http://h/a//b", "http://h/a//b"),
        ("http://h/.a/b.", "http://h/.a/b."), ("http://h", "http://h"), ("http://h?/../", "http://h?/../"),
        ("http://h/a/.", "http://h/a/"), ("http://h/a#/../b", "http://h/a#/../b"),
    ])
    func `dot segments are removed from the path`(text: String, expected: String) {
        #expect(TypedURL(text).withoutDotSegments == expected)
    }

    @Test(arguments: ["http://h/[1-3].txt", "http://h/{a,b}", "http://h/a b", "http://[::1]/[1-3]"])
    func `what curl would expand, and a space, is refused with what to do`(text: String) throws {
        let error = #expect(throws: CommandFailure.self) { try TypedURL(text).check(allowsBrackets: false) }
        #expect(error?.status == .malformedURL)
    }

    @Test func `brackets of an address, and those that -g allows, are taken`() throws {
        try TypedURL("http://[::1]/").check(allowsBrackets: false)
        try TypedURL("http://h/[1-3].txt").check(allowsBrackets: true)
    }
}
