// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

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
        (#"Basic realm="a", x=, Digest realm="b""#, "basic realm=a x=|digest realm=b"),
        ("Basic realm=\"a\u{1}b\"", "basic realm=a\u{1}b"),
    ])
    func `a field is a list of challenges`(field: String, expected: String) {
        #expect(text(HTTPChallenge.challenges(in: [field])) == expected)
    }

    @Test(arguments: [
        // Empty values
        ("Digest domain=, nonce=n", "digest domain= nonce=n"), ("Digest nonce=n, opaque=", "digest nonce=n opaque="),
        ("Digest nonce=n, opaque= , qop=auth", "digest nonce=n opaque= qop=auth"), ("Basic realm=", "basic realm="),
        (#"Digest opaque= nonce="n" qop=auth"#, "digest opaque= nonce=n qop=auth"),
        // Bytes that no token has
        ("Digest nonce=ab/cd==, qop=auth", "digest nonce=ab/cd== qop=auth"),
        ("Digest realm=My Home (2) , nonce=n", "digest realm=My Home (2) nonce=n"),
        ("Digest realm=a@b:c;d?e, nonce=é", "digest realm=a@b:c;d?e nonce=é"),
        (#"Digest realm=a"b\, nonce=n"#, #"digest realm=a"b\ nonce=n"#),
        ("Digest nonce= YWJj=, qop=auth", "digest nonce=YWJj= qop=auth"),
        ("Digest qop=auth,auth-int, nonce=n, Basic", "digest qop=auth,auth-int nonce=n|basic"),
        // Quotes
        (#"Basic realm="unfinished"#, "basic realm=unfinished"),
        (#"Basic realm="unfinished\"#, #"basic realm=unfinished\"#),
        (#"Digest opaque="a, nonce=n, qop=auth"#, "digest opaque=a nonce=n qop=auth"),
        (#"Digest opaque="a, nonce="n", domain="", qop="auth""#, "digest opaque=a nonce=n domain= qop=auth"),
        (#"Digest realm="My "quoted" home", nonce="n""#, "digest realm=My  nonce=n"),
        (#"Digest realm="a"b, nonce="n""#, "digest realm=a nonce=n"),
        (#"Digest realm="a" oops, nonce="n""#, "digest realm=a nonce=n"),
        (#"Digest realm="a"; nonce="n"; qop=auth"#, "digest realm=a nonce=n qop=auth"),
        // Names and separators
        (#"Digest ="a, b", nonce=n"#, "digest nonce=n"), ("Digest =, nonce=n", "digest nonce=n"),
        (#"Digest realm=a, @x="b, c", nonce=n"#, "digest realm=a nonce=n"),
        (#"Digest realm=a, = , "b", ??, nonce=n"#, "digest realm=a nonce=n"),
        ("Digest , ,realm=a,,, nonce=n,,", "digest realm=a nonce=n"),
        (#"Digest realm="a" nonce=n qop="auth""#, "digest realm=a nonce=n qop=auth"),
        (#"Digest realm="a"nonce="n""#, "digest realm=a nonce=n"),
        (#"Digest realm="a" Basic realm="b""#, "digest realm=a|basic realm=b"),
        (#"Basic realm=a, B@d realm="b, c", x=y, Bearer"#, "basic realm=a|bearer"),
        ("realm=a, Basic realm=b", "basic realm=b"), ("Negotiate YWI=, Basic realm=b", "negotiate ywi=|basic realm=b"),
    ])
    func `what is wrong with a value ends that value, not the field`(field: String, expected: String) {
        #expect(text(HTTPChallenge.challenges(in: [field])) == expected)
    }

    @Test func `an odd value of one parameter changes none of the others`() {
        var generator = SeededGenerator(seed: 7)
        let parameters = [("realm", "r, s"), ("nonce", "a/b="), ("opaque", ""), ("qop", "auth"), ("x", "y")]
        // An equals sign only where no name can come before it.
        let (plain, mixed) = (Array("ab/+:;@()<>[]{}?=\\\u{9}\u{e9}".utf8), Array("ab /:;\\\"\u{e9}".utf8))
        for _ in 0..<5_000 {
            let alphabet = Bool.random(using: &generator) ? plain.filter { $0 != 9 } : mixed
            let odd = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                alphabet.randomElement(using: &generator) ?? 0
            }
            let place = Int.random(in: 0..<parameters.count, using: &generator)
            let elements = parameters.enumerated().map { index, parameter in
                Array("\(parameter.0)=".utf8) + (index == place ? odd : Array("\"\(parameter.1)\"".utf8))
            }
            let field =
                Array("Digest ".utf8) + elements.joined(separator: Array(", ".utf8)) + Array(", Basic realm=b".utf8)
            let challenges = HTTPChallenge.challenges(in: [field])
            let others = parameters.enumerated().filter { $0.offset != place }.map(\.element)
            #expect(
                challenges.map(\.scheme) == ["digest", "basic"] && challenges.last?.realm == "b"
                    && others.allSatisfy { challenges[0][$0.0] == $0.1 },
                "\(String(decoding: field, as: UTF8.self))")
        }
    }

    @Test func `a parameter that the limit of length cuts is dropped`() {
        for value in ["n", "\"n", "\"a, n"] {
            let long = "Digest realm=r, nonce=\(value)" + String(repeating: "x", count: HTTPChallenge.maximumLength)
            #expect(text(HTTPChallenge.challenges(in: [long + "\""])) == "digest realm=r")
        }
        let exact = "Digest realm=r, nonce="
        let nonce = String(repeating: "x", count: HTTPChallenge.maximumLength - exact.utf8.count)
        #expect(text(HTTPChallenge.challenges(in: [exact + nonce])) == "digest realm=r nonce=\(nonce)")
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

    @Test(arguments: [#"\""#, "realm=", #"realm=""#, "a,", " ", "Basic,", "a=b,", "=,", #"=","#, "a ", "@,"])
    func `challenges as long as a head may be cost a reactor next to nothing`(piece: String) {
        let field = "Basic " + String(repeating: piece, count: 200_000 / piece.utf8.count)
        let fields = Array(repeating: Array(field.utf8), count: 100)
        // Sixteen connections at once.
        #if THREAD_SANITIZER
            let limit = 0.5
        #else
            let limit = 0.05
        #endif
        let start = ThreadClock.now
        let counts = (0..<16).map { _ in HTTPChallenge.challenges(in: fields).count }
        #expect(ThreadClock.now - start < limit)
        #expect(counts.allSatisfy { (1...HTTPChallenge.maximumCount).contains($0) })
    }

    @Test func `of a thousand challenges the first ones are read`() {
        let field = Array(repeating: "A b=c", count: 1000).joined(separator: ", ")
        #expect(HTTPChallenge.challenges(in: [field, field]).count == HTTPChallenge.maximumCount)
        let late = "Digest " + String(repeating: "x", count: HTTPChallenge.maximumLength) + ", Basic realm=a"
        #expect(text(HTTPChallenge.challenges(in: [late, "Basic"])) == "digest")
    }
}
