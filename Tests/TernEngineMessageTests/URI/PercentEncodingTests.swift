// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

@Suite struct PercentEncodingTests {
    @Test(arguments: [
        ("azAZ09-._~", "azAZ09-._~"), ("a b", "a%20b"), ("a+b&c=d", "a%2Bb%26c%3Dd"), ("é/\n", "%C3%A9%2F%0A"),
        ("", ""), ("\u{0}", "%00"),
    ])
    func `only unreserved characters stay`(text: String, encoded: String) {
        #expect(PercentEncoding.component(text.utf8) == encoded)
    }

    @Test func `a form has plus signs for spaces, and bytes that are no text are kept`() {
        #expect(PercentEncoding.form("a b+c".utf8) == "a+b%2Bc")
        #expect(PercentEncoding.form([0xff, 0x0f]) == "%FF%0F")
    }
}
