// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTLS
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct DigestSchemeTests {
    private func authorization(
        _ challenge: String, _ user: String = "Mufasa", _ password: String = "Circle of Life",
        _ request: DigestScheme.Request = .init(method: "GET", target: "/dir/index.html"),
        clientNonce: String = "0a4f113b",
        count: UInt32 = 1
    ) throws -> String? {
        let scheme = try #require(DigestScheme(HTTPChallenge.challenges(in: [challenge])[0]))
        return scheme.authorization(
            PasswordCredential(user: user, password: password), for: request, clientNonce: clientNonce, count: count
        ).map { String(decoding: $0, as: UTF8.self) }
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

    @Test(arguments: [#""""#, "", #"" ""#, #"",,\t ,""#, "other", #""other, auth-more""#])
    func `a protection that names nothing known is none, as in curl`(protection: String) throws {
        let plain = try authorization(#"Digest realm="a", nonce="n""#)
        #expect(plain?.contains("qop") == false)
        #expect(try authorization("Digest qop=\(protection), realm=\"a\", nonce=\"n\"") == plain)
        #expect(try authorization("Digest realm=\"a\", nonce=\"n\", qop=\(protection)") == plain)
        let known = "Digest realm=\"a\", nonce=\"n\", qop=\"other,, AUTH\""
        #expect(try authorization(known)?.contains("qop=auth, ") == true)
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
        "Digest realm=a, nonce=n, algorithm=-sess",
    ])
    func `a challenge that cannot be answered is none`(challenge: String) {
        #expect(DigestScheme(HTTPChallenge.challenges(in: [challenge])[0]) == nil)
    }

    @Test func `what a field cannot hold is not sent, and quotes are escaped`() throws {
        let challenge = #"Digest realm="a\"b\\", nonce="n""#
        #expect(try authorization(challenge)?.contains(#"realm="a\"b\\", nonce="n""#) == true)
        #expect(try authorization(challenge, "a\r\nX: y") == nil)
        #expect(try authorization("Digest realm=\"a\tb\", nonce=n")?.contains("realm=\"a\tb\"") == true)
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

    @Test func `bytes that are no UTF-8 come back unchanged, and are hashed`() throws {
        let field = Array("Digest realm=\"B".utf8) + [0xFC] + Array("ro\", nonce=\"n".utf8) + [0xE9] + Array("\"".utf8)
        let scheme = try #require(DigestScheme(HTTPChallenge.challenges(in: [field])[0]))
        let credential = PasswordCredential(user: [0x61, 0xF1], password: [0x70, 0xE9])
        let request = DigestScheme.Request(method: "GET", target: "/")
        let answer = try #require(scheme.authorization(credential, for: request, clientNonce: "c"))
        // Computed apart, with Python's hashlib.
        let response = "99b7c82dd451165daa489687030e6e18"
        let expected =
            Array("Digest username=\"a".utf8) + [0xF1] + Array("\", realm=\"B".utf8) + [0xFC]
            + Array("ro\", nonce=\"n".utf8) + [0xE9] + Array("\", uri=\"/\", response=\"\(response)\"".utf8)
        #expect(answer == expected)
    }

    @Test func `any bytes of a challenge and a credential survive an answer`() throws {
        var generator = SeededGenerator(seed: 11)
        func bytes(_ range: ClosedRange<UInt8> = 0x20...0xFF) -> [UInt8] {
            (0..<Int.random(in: 0...9, using: &generator)).map { _ in .random(in: range, using: &generator) }
                .filter { $0 != 0x7F }
        }
        func quoted(_ bytes: [UInt8]) -> [UInt8] {
            [0x22] + bytes.flatMap { $0 == 0x22 || $0 == 0x5C ? [0x5C, $0] : [$0] } + [0x22]
        }
        for round in 0..<2_000 {
            let values = ["realm": bytes(), "nonce": bytes(), "opaque": bytes(0x80...0xFF)]
            let charset = round.isMultiple(of: 2) ? ", charset=UTF-8" : ""
            let field = values.reduce(into: Array("Digest qop=auth\(charset)".utf8)) {
                $0 += Array(", \($1.key)=".utf8) + quoted($1.value)
            }
            let scheme = try #require(DigestScheme(HTTPChallenge.challenges(in: [field])[0]))
            let credential = PasswordCredential(user: bytes(), password: bytes())
            let answer = try #require(
                scheme.authorization(credential, for: .init(method: "GET", target: "/"), clientNonce: "c"))
            let parsed = try #require(HTTPChallenge.challenges(in: [answer]).first)
            for (name, value) in values { #expect(parsed.bytes(name) == value) }
            if String(validating: credential.userBytes, as: UTF8.self) == nil {
                #expect(parsed.bytes("username") == credential.userBytes)
            }
            let secret = md5(credential.userBytes, parsed.bytes("realm"), credential.passwordBytes)
            let subject = md5(Array("GET".utf8), Array("/".utf8))
            let rest = ["00000001", "c", "auth"].map { Array($0.utf8) }
            #expect(
                parsed.bytes("response")
                    == md5(secret, parsed.bytes("nonce"), rest[0], rest[1], rest[2], subject))
        }
    }

    private func md5(_ values: [UInt8]?...) -> [UInt8] {
        var digest = MessageDigest(.md5)
        let bytes = Array(values.map { $0 ?? [] }.joined(separator: [UInt8(ascii: ":")]))
        unsafe bytes.withUnsafeBytes { unsafe digest.update($0) }
        return (digest.finish() ?? []).flatMap { byte in
            let digits = String(byte, radix: 16)
            return Array((digits.count < 2 ? "0" + digits : digits).utf8)
        }
    }
}

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
