// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Tern

@Suite struct ChallengeSchemeTests {
    @Test(arguments: [
        (#"Basic realm="a""#, ProtectionSpace.AuthenticationMethod.httpBasic, "a" as String?),
        (#"BASIC charset="UTF-8", REALM="a \"b\" \\c""#, .httpBasic, #"a "b" \c"#),
        (#"Digest realm="é", nonce="x""#, .httpDigest, "é"), ("Bearer", .default, nil),
        (#"Basic realm="unfinished"#, .httpBasic, nil),
    ])
    func `the first challenge of a field has a method and perhaps a realm`(
        value: String, method: ProtectionSpace.AuthenticationMethod, realm: String?
    ) throws {
        let scheme = try #require(ChallengeScheme(value))
        #expect(scheme.method == method)
        #expect(scheme.realm == realm)
    }

    @Test func `what names no scheme is none`() {
        #expect(ChallengeScheme("") == nil)
        #expect(ChallengeScheme(" , ") == nil)
    }
}
