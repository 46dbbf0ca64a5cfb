// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

@Suite struct PasswordCredentialTests {
    @Test func `the text of bytes is UTF-8, or ISO-8859-1 where they are not`() {
        let credential = PasswordCredential(user: Array("J\u{e4}".utf8), password: [0x70, 0xE9])
        #expect(credential.user == "J\u{e4}" && credential.password == "p\u{e9}")
        #expect(credential != PasswordCredential(user: "J\u{e4}", password: "p\u{e9}"))
        #expect(credential.passwordBytes == [0x70, 0xE9])
    }

    @Test func `the name and the password of a URL are the bytes of its escapes`() throws {
        for (userinfo, user, password) in [
            ("ann:p%E9", Array("ann".utf8), [0x70, 0xE9]), ("%C3%A4:%c3%a4", [0xC3, 0xA4], [0xC3, 0xA4]),
            ("a%FF", [0x61, 0xFF], []), ("a:b:c%3a", [0x61], Array("b:c:".utf8)),
        ] as [(String, [UInt8], [UInt8])] {
            let request = try URLRequest(string: "http://\(userinfo)@a.test/")
            #expect(request.urlCredential == PasswordCredential(user: user, password: password), "\(userinfo)")
        }
    }

    @Test func `a password is in no description and no dump`() {
        let credential = PasswordCredential(user: "ada", password: "secret")
        var dumped = ""
        dump(credential, to: &dumped)
        for text in ["\(credential)", String(reflecting: credential), dumped] {
            #expect(text.contains("ada") && !text.contains("secret"))
        }
    }
}
