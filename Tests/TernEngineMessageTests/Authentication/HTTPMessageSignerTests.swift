// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct HTTPMessageSignerTests {
    /// RFC 9421 §B.2
    private static let date = Date(timeIntervalSince1970: 1_618_884_473)

    private static func example() throws -> URLRequest {
        var request = try URLRequest(string: "https://example.com/foo?param=Value&Pet=dog")
        request.httpMethod = "POST"
        request.headers = [
            "Date": "Tue, 20 Apr 2021 02:07:55 GMT", "Content-Type": "application/json",
            "Content-Digest": """
            sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:
            """,
        ]
        request.httpBody = Data(#"{"hello": "world"}"#.utf8)
        return request
    }

    private func signer(_ components: [String]) -> HTTPMessageSigner {
        HTTPMessageSigner(key: MessageSigningKey(secret: Array("secret".utf8)), covering: components)
    }

    @Test func `the signature of RFC 9421 with HMAC comes out`() throws {
        // §B.2.5
        let secret = try #require(
            Data(
                base64Encoded:
                    "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ=="))
        var signer = HTTPMessageSigner(
            key: MessageSigningKey(secret: Array(secret)), keyID: "test-shared-secret",
            covering: ["date", "@authority", "content-type"])
        signer.label = "sig-b25"
        var request = try Self.example()
        try signer.sign(&request, at: Self.date)
        #expect(
            request.headers["Signature-Input"]
                == #"sig-b25=("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret""#)
        #expect(request.headers["Signature"] == "sig-b25=:pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=:")
    }

    @Test func `the signature of RFC 9421 with Ed25519 comes out`() throws {
        // §B.1.4, §B.2.6
        let pem = """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
            -----END PRIVATE KEY-----
            """
        var signer = HTTPMessageSigner(
            key: try MessageSigningKey(pem: Array(pem.utf8), algorithm: .ed25519), keyID: "test-key-ed25519",
            covering: ["date", "@method", "@path", "@authority", "content-type", "Content-Length"])
        signer.label = "sig-b26"
        var request = try Self.example()
        try signer.sign(&request, at: Self.date)
        #expect(
            request.headers["Signature"]
                == "sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:")
    }

    /// The same signature results from a field with the text that stands for a component.
    @Test(arguments: [
        ("@method", "https://A.test/", "GET"), ("@authority", "https://A.test:443/", "a.test"),
        ("@authority", "http://A.test:8080/", "a.test:8080"), ("@scheme", "https://a.test/", "https"),
        ("@target-uri", "https://u:p@a.test/p%20q?x=1#f", "https://a.test/p%20q?x=1"),
        ("@request-target", "http://a.test/p?x=1", "/p?x=1"), ("@path", "http://a.test", "/"),
        ("@path", "http://a.test/p/q?x=1", "/p/q"), ("@query", "http://a.test/p?x=1?y", "?x=1?y"),
        ("@query", "http://a.test/p", "?"), ("host", "http://a.test:81/", "a.test:81"),
        ("x-two", "http://a.test/", "1, 2"), ("x-empty", "http://a.test/", ""),
    ])
    func `a component has the value that RFC 9421 says`(name: String, url: String, value: String) throws {
        var request = try URLRequest(string: url)
        request.headers = ["X-Two": " 1 ", "X-Empty": "", "x-two": "2"]
        try signer([name]).sign(&request, at: Self.date)
        let base = "\"\(name)\": \(value)\n\"@signature-params\": (\"\(name)\");created=1618884473"
        let code = try #require(MessageDigest.hmacSHA256(Array(base.utf8), key: Array("secret".utf8)))
        #expect(request.headers["Signature"] == "sig1=:\(Data(code).base64EncodedString()):")
    }

    @Test func `the parameters follow the components`() throws {
        var signer = signer([])
        signer.lifetime = 300
        signer.keyID = #"a "b" \c"#
        signer.includesAlgorithm = true
        signer.nonce = { "once" }
        signer.tag = "orders"
        var request = try Self.example()
        try signer.sign(&request, at: Self.date)
        #expect(
            request.headers["Signature-Input"]
                == #"sig1=();created=1618884473;expires=1618884773;keyid="a \"b\" \\c";alg="hmac-sha256";nonce="once";"#
                + #"tag="orders""#)
        signer.includesCreationTime = false
        (signer.lifetime, signer.keyID, signer.includesAlgorithm, signer.nonce, signer.tag) = (
            nil, nil, false, nil, nil
        )
        try signer.sign(&request, at: Self.date)
        #expect(request.headers["Signature-Input"] == "sig1=()")
    }

    @Test func `a covered digest of content in memory is set where there is none`() throws {
        var request = try Self.example()
        let own = request.headers["Content-Digest"]
        try signer(["content-digest"]).sign(&request)
        #expect(request.headers["Content-Digest"] == own)
        request.headers["Content-Digest"] = nil
        try signer(["Content-Digest"]).sign(&request)
        // RFC 9530 §D
        #expect(request.headers["Content-Digest"] == "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:")
        request.headers["Content-Digest"] = nil
        request.body = .file(path: "/dev/null")
        #expect(throws: SigningError.contentNotInMemory) { try signer(["content-digest"]).sign(&request) }
    }

    @Test func `a signature replaces that of its label, and no other`() throws {
        var request = try Self.example()
        request.headers.append("Signature-Input", "proxy_sig=();created=1")
        request.headers.append("Signature", "proxy_sig=:AAAA:")
        for second in 0..<3 { try signer(["@method"]).sign(&request, at: Self.date.addingTimeInterval(Double(second))) }
        let inputs = request.headers.values(for: "Signature-Input")
        #expect(inputs == ["proxy_sig=();created=1", #"sig1=("@method");created=1618884475"#])
        #expect(request.headers.values(for: "Signature").count == 2)
    }

    @Test(
        arguments: [
            (["x-absent"], .missingField("x-absent")), (["@status"], .unknownComponent("@status")),
            (["date", "Date"], .repeatedComponent("date")),
        ] as [([String], SigningError)])
    func `what cannot be covered is an error that names it`(components: [String], error: SigningError) throws {
        var request = try Self.example()
        #expect(throws: error) { try signer(components).sign(&request) }
        #expect("\(error)".contains("RFC 9421"))
    }

    @Test func `what cannot be a parameter is an error that names it`() throws {
        var request = try Self.example()
        var signer = signer([])
        signer.keyID = "J\u{e4}s"
        #expect(throws: SigningError.invalidParameter("keyid")) { try signer.sign(&request) }
        (signer.keyID, signer.label) = (nil, "Sig")
        #expect(throws: SigningError.invalidParameter("label")) { try signer.sign(&request) }
        #expect(request.headers["Signature"] == nil)
    }

    @Test func `no description shows the key`() {
        var dumped = ""
        dump(signer(["@method"]), to: &dumped)
        for text in [dumped, "\(signer(["@method"]))"] {
            #expect(text.contains("hmac-sha256") && !text.contains("115") && !text.contains("secret"))
        }
    }
}
