// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Tern

@Suite struct ChallengeSchemeTests {
    @Test(arguments: [
        (#"Basic realm="a""#, ProtectionSpace.AuthenticationMethod.httpBasic, "a" as String?),
        (#"BASIC charset="UTF-8", REALM="a \"b\" \\c""#, .httpBasic, #"a "b" \c"#),
        (#"Digest realm="é", nonce="x""#, .httpDigest, "é"), ("Bearer", .default, nil),
        (#"Basic realm="unfinished"#, .httpBasic, nil), (#"Basic realm="unfinished\"#, .httpBasic, nil),
        (#"Digest nonce="realm=", xrealm="no", realm = "no", realm="yes""#, .httpDigest, "yes"),
        (#"Basic realm=token, realm="after""#, .httpBasic, "after"),
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

    @Test func `of several challenges the first for a password is answered, else the first`() {
        #expect(ChallengeScheme.preferred(among: []) == nil)
        #expect(ChallengeScheme.preferred(among: ["", "Bearer", #"Basic realm="a""#, "Basic"])?.realm == "a")
        #expect(ChallengeScheme.preferred(among: ["Digest", "Bearer"])?.method == .httpDigest)
    }

    @Test(arguments: [#"\""#, "realm=", #"realm=""#, "a,", " "])
    func `challenges as long as a head may be cost a reactor next to nothing`(piece: String) {
        let field = "Basic " + String(repeating: piece, count: 200_000 / piece.utf8.count)
        let fields = Array(repeating: field, count: 100)
        // Sixteen connections at once.
        let start = ThreadClock.now
        let found = (0..<16).map { _ in ChallengeScheme.preferred(among: fields) != nil }
        #expect(ThreadClock.now - start < 0.05)
        #expect(!found.contains(false))
        let late = "Digest " + String(repeating: "x", count: ChallengeScheme.limit) + #" realm="a""#
        #expect(ChallengeScheme(late)?.realm == nil)
        #expect(ChallengeScheme.preferred(among: [late, "Basic"])?.method == .httpDigest)
    }
}
