// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

@Suite struct DigestSchemeTests {
    private func authorization(
        _ challenge: String, _ user: String = "Mufasa", _ password: String = "Circle of Life",
        _ request: DigestScheme.Request = .init(method: "GET", target: "/dir/index.html"),
        clientNonce: String = "0a4f113b",
        count: UInt32 = 1
    ) throws -> String? {
        let scheme = try #require(DigestScheme(HTTPChallenge.challenges(in: [challenge])[0]))
        return scheme.authorization(
            PasswordCredential(user: user, password: password), for: request, clientNonce: clientNonce, count: count)
    }

    private func parameters(_ field: String?) throws -> HTTPChallenge {
        try #require(field.flatMap { HTTPChallenge.challenges(in: [$0]).first })
    }

    @Test(arguments: [
        // RFC 7616 §3.9.1
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ])
    func `the answers of RFC 7616 come out`(algorithm: String, response: String) throws {
        let challenge = """
            Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm), \
            nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """
        let field = try authorization(challenge, clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
        let expected = [
            ("username", "Mufasa"), ("realm", "http-auth@example.org"),
            ("nonce", "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"), ("uri", "/dir/index.html"),
            ("response", response),
            ("algorithm", algorithm), ("opaque", "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"), ("qop", "auth"),
            ("nc", "00000001"), ("cnonce", "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"),
        ]
        #expect(try parameters(field).parameters.map { "\($0.name)=\($0.value)" } == expected.map { "\($0)=\($1)" })
    }

    @Test func `RFC 7616's user name in hashed form, with SHA-512-256`() throws {
        // RFC 7616 §3.9.2. The response was computed apart: the one in the RFC does not follow from its values.
        let challenge = """
            Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, charset=UTF-8, userhash=true, \
            nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS"
            """
        let field = try parameters(
            try authorization(
                challenge, "J\u{e4}s\u{f8}n Doe", "Secret, or not?",
                .init(method: "GET", target: "/doe.json"),
                clientNonce: "NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm"))
        #expect(field["username"] == "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b")
        #expect(field["userhash"] == "true")
        #expect(field["response"] == "7a4e1192babbba02e91182d2895bfdbf7adafc6e48d4e517ca301974843d840c")
    }

    @Test func `RFC 2617's example, and RFC 2069's form without a protection`() throws {
        let nonce = "dcd98b7102dd2f0e8b11d0f600bfb0c093"
        let modern = #"Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="\#(nonce)""#
        #expect(
            try parameters(try authorization(modern, "Mufasa", "Circle Of Life"))["response"]
                == "6629fae49393a05397450978507c4ef1")
        let old = #"Digest realm="testrealm@host.com", nonce="\#(nonce)""#
        let field = try parameters(try authorization(old, "Mufasa", "Circle Of Life"))
        #expect(field["response"] == "670fd8c2df070c60b045671b8b24ff02")
        #expect(field["qop"] == nil && field["nc"] == nil && field["cnonce"] == nil && field["algorithm"] == nil)
    }

    @Test func `content is protected where nothing else is offered, and is known`() throws {
        let challenge = #"Digest realm="a", nonce="n", qop=auth-int"#
        let request = DigestScheme.Request(method: "POST", target: "/", content: Array("body".utf8))
        let other = DigestScheme.Request(method: "POST", target: "/", content: Array("other".utf8))
        let fields = try [request, other].map { try parameters(try authorization(challenge, "u", "p", $0)) }
        // printf body | md5sum; then the hashes of u:a:p, POST:/:… and all of it.
        #expect(fields.map { $0["qop"] } == ["auth-int", "auth-int"])
        #expect(fields[0]["response"] == "f1c08cb3ccf1ff2f0ebf9bb15024e9f8")
        #expect(fields[0]["response"] != fields[1]["response"])
        let unknown = DigestScheme.Request(method: "POST", target: "/", content: nil)
        #expect(try authorization(challenge, "u", "p", unknown) == nil)
        let both = #"Digest realm="a", nonce="n", qop="auth-int,auth""#
        #expect(try parameters(try authorization(both, "u", "p", unknown))["qop"] == "auth")
    }

    @Test func `a session's secret depends on both nonces, and the count is sent`() throws {
        let challenge = #"Digest realm="a", nonce="n", qop=auth, algorithm=MD5-sess"#
        let field = try parameters(
            try authorization(challenge, "u", "p", .init(method: "GET", target: "/"), clientNonce: "c", count: 0x1f))
        #expect(field["nc"] == "0000001f" && field["algorithm"] == "MD5-sess")
        #expect(field["response"] == "00d336b947e05a25f7d5af755efb752a")
    }

    @Test(arguments: [
        "Basic realm=a", "Digest", "Digest realm=a", "Digest nonce=n", "Digest realm=a, nonce=n, algorithm=SHA-1",
        "Digest realm=a, nonce=n, algorithm=-sess", "Digest realm=a, nonce=n, qop=other",
        #"Digest realm=a, nonce=n, qop="""#,
    ])
    func `a challenge that cannot be answered is none`(challenge: String) {
        #expect(DigestScheme(HTTPChallenge.challenges(in: [challenge])[0]) == nil)
    }

    @Test func `what a field cannot hold is not sent, and quotes are escaped`() throws {
        let challenge = #"Digest realm="a\"b\\", nonce="n""#
        #expect(try authorization(challenge)?.contains(#"realm="a\"b\\", nonce="n""#) == true)
        #expect(try authorization(challenge, "a\r\nX: y") == nil)
        for bad in [
            "Digest realm=\"a\u{1}\", nonce=n", "Digest realm=a, nonce=\"\u{7f}\"",
            "Digest realm=a, nonce=n, opaque=\"\u{0}\"",
        ] {
            #expect(try authorization(bad) == nil)
        }
    }

    @Test func `a name beyond ASCII is encoded where the server knows UTF-8`() throws {
        #expect(
            try authorization("Digest realm=a, nonce=n, charset=UTF-8", "Jäsøn Doe")?
                .contains("username*=UTF-8''J%C3%A4s%C3%B8n%20Doe") == true)
        #expect(try authorization("Digest realm=a, nonce=n", "Jäsøn")?.contains("username=\"Jäsøn\"") == true)
    }
}
