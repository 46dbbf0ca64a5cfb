// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import TernEngine

@Suite struct BasicSchemeTests {
    private func decoded(_ field: String?) -> [UInt8]? {
        field.flatMap { Data(base64Encoded: String($0.dropFirst("Basic ".count))) }.map { Array($0) }
    }

    @Test func `a name and a password are sent in UTF-8, or as the bytes they are`() {
        let text = PasswordCredential(user: "J\u{e4}", password: "a:b")
        #expect(decoded(BasicScheme.authorization(text)) == Array("J\u{e4}:a:b".utf8))
        let bytes = PasswordCredential(user: [0x4A, 0xE4], password: Array(0x80...0xFF))
        #expect(decoded(BasicScheme.authorization(bytes)) == [0x4A, 0xE4, 0x3A] + Array(0x80...0xFF))
    }

    @Test func `a colon in a name, and control characters, cannot be sent`() {
        for (user, password) in [("a:b", ""), ("a\u{1}", ""), ("a", "b\u{7f}"), ("a", "\n"), ("a", "\u{9}")] {
            #expect(BasicScheme.authorization(PasswordCredential(user: user, password: password)) == nil)
        }
    }
}
