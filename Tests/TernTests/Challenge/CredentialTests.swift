// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Tern

@Suite struct CredentialTests {
    @Test func `a password is in no description and no dump`() {
        let credential = Credential(user: "user", password: "secret", persistence: .forSession)
        var dumped = ""
        dump(credential, to: &dumped)
        for text in ["\(credential)", String(reflecting: credential), dumped] {
            #expect(!text.contains("secret"))
            #expect(text.contains("user"))
        }
        #expect(credential.hasPassword)
        #expect(credential.passwordCredential == PasswordCredential(user: "user", password: "secret"))
    }
}
