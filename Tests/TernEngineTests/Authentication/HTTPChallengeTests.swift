// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernEngine

@Suite struct HTTPChallengeTests {
    /// `scheme name=value name=value|scheme …`
    private func text(_ challenges: [HTTPChallenge]) -> String {
        challenges.map { challenge in
            ([challenge.scheme] + challenge.parameters.map { "\($0.name)=\($0.value)" }).joined(separator: " ")
        }.joined(separator: "|")
    }

    @Test(arguments: [
        (#"Basic realm="a""#, "basic realm=a"),
        (#"BASIC charset="UTF-8", REALM="a \"b\" \\c""#, #"basic charset=UTF-8 realm=a "b" \c"#),
        (#"Digest realm="é", nonce="x""#, "digest realm=é nonce=x"), ("Bearer", "bearer"),
        ("Negotiate, Basic realm=token", "negotiate|basic realm=token"),
        (
            #"NTLM TlRMTVNTUA==, Digest realm="a, Basic realm=x", nonce=n , Basic"#,
            "ntlm|digest realm=a, Basic realm=x nonce=n|basic"
        ),
        (#", ,Basic ,, realm = "a" ,, Bearer scope="b c","#, "basic realm=a|bearer scope=b c"),
        (
            #"Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple""#,
            #"newauth realm=apps type=1 title=Login to "apps"|basic realm=simple"#
        ),
        ("", ""), (" , ", ""), ("=", ""), (#""a""#, ""),
        (#"Basic realm="unfinished"#, "basic"), (#"Basic realm="unfinished\"#, "basic"), ("Basic realm=", "basic"),
        (#"Basic realm="a", x=, Digest realm="b""#, "basic realm=a"), (#"Basic realm="a" oops"#, "basic realm=a|oops"),
        ("Basic realm=\"a\u{1}b\"", "basic realm=a\u{1}b"),
    ])
    func `a field is a list of challenges, and what breaks the syntax ends it`(field: String, expected: String) {
        #expect(text(HTTPChallenge.challenges(in: [field])) == expected)
    }

    @Test func `several fields are one list`() {
        let challenges = HTTPChallenge.challenges(in: ["Basic realm=a", "=", "Bearer"])
        #expect(text(challenges) == "basic realm=a|bearer")
    }

    @Test func `Digest comes before Basic, with the strongest algorithm, and Basic before what no password answers`() {
        let cases = [
            ("", nil), ("Bearer", "bearer"), ("Bearer, Basic", "basic"), ("Digest, Bearer", "digest"),
            ("Digest realm=a, Basic realm=b", "basic realm=b"),
            ("Basic, Digest realm=a, nonce=n", "digest realm=a nonce=n"),
            (
                "Digest realm=a, nonce=n, Digest realm=a, nonce=n, algorithm=SHA-256-sess, Digest realm=a, nonce=n, algorithm=X",
                "digest realm=a nonce=n algorithm=SHA-256-sess"
            ),
        ]
        for (field, expected) in cases {
            let preferred = HTTPChallenge.preferred(among: HTTPChallenge.challenges(in: [field]))
            #expect(preferred.map { text([$0]) } == expected)
        }
    }

    @Test(arguments: [#"\""#, "realm=", #"realm=""#, "a,", " ", "Basic,", "a=b,"])
    func `challenges as long as a head may be cost a reactor next to nothing`(piece: String) {
        let field = "Basic " + String(repeating: piece, count: 200_000 / piece.utf8.count)
        let fields = Array(repeating: field, count: 100)
        // Sixteen connections at once.
        let start = ThreadClock.now
        let counts = (0..<16).map { _ in HTTPChallenge.challenges(in: fields).count }
        #expect(ThreadClock.now - start < 0.05)
        #expect(counts.allSatisfy { (1...HTTPChallenge.maximumCount).contains($0) })
    }

    @Test func `of a thousand challenges the first ones are read`() {
        let field = Array(repeating: "A b=c", count: 1000).joined(separator: ", ")
        #expect(HTTPChallenge.challenges(in: [field, field]).count == HTTPChallenge.maximumCount)
        let late = "Digest " + String(repeating: "x", count: HTTPChallenge.maximumLength) + ", Basic realm=a"
        #expect(text(HTTPChallenge.challenges(in: [late, "Basic"])) == "digest")
    }
}
