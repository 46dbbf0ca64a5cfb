// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// What others have published, and what follows from the rules. Each signature was computed apart as well.
@Suite struct AWSSignerTests {
    /// One of the suite that Amazon has published for `service` in `us-east-1`.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var method = "GET"
        var target = "/"
        var fields: HeaderFields = [:]
        var body: String?
        /// Whether the path of the suite is in the form that is signed.
        var isPathAsSent = false
        let names: String
        let signature: String

        init(
            _ name: String, method: String = "GET", target: String = "/", fields: HeaderFields = [:],
            body: String? = nil, isPathAsSent: Bool = false, signing names: String = "host;x-amz-date",
            _ signature: String
        ) {
            (testDescription, self.method, self.target, self.fields) = (name, method, target, fields)
            (self.body, self.isPathAsSent, self.names, self.signature) = (body, isPathAsSent, names, signature)
        }
    }

    private static let unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    private static let form = "application/x-www-form-urlencoded"

    private static let suite = [
        Case("get-vanilla", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Case(
            "get-vanilla-query-order-key-case", target: "/?Param2=value2&Param1=value1",
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        Case(
            "get-vanilla-empty-query-key", target: "/?Param1=value1",
            "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"),
        Case(
            "get-vanilla-query-unreserved", target: "/?\(unreserved)=\(unreserved)",
            "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"),
        Case(
            "get-vanilla-utf8-query", target: "/?\u{1234}=bar",
            "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"),
        Case(
            "get-header-value-trim", fields: ["My-Header1": " value1", "My-Header2": " \"a   b   c\""],
            signing: "host;my-header1;my-header2;x-amz-date",
            "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
        Case(
            "get-header-key-duplicate",
            fields: ["My-Header1": "value2", "My-Header1": "value2", "My-Header1": "value1"],
            signing: "host;my-header1;x-amz-date", "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"),
        Case(
            "get-header-value-order",
            fields: ["My-Header1": "value4", "My-Header1": "value1", "My-Header1": "value3", "My-Header1": "value2"],
            signing: "host;my-header1;x-amz-date", "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"),
        Case(
            "get-unreserved", target: "/\(unreserved)",
            "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
        Case(
            "get-utf8", target: "/\u{1234}", isPathAsSent: true,
            "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
        Case(
            "get-space", target: "/example space/", isPathAsSent: true,
            "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"),
        Case("get-relative", target: "/example/..", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Case("get-slash", target: "//", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Case(
            "get-slash-pointless-dot", target: "/./example",
            "ef75d96142cf21edca26f06005da7988e4f8dc83a165a80865db7089db637ec5"),
        Case(
            "get-slashes", target: "//example//", "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84"),
        Case("post-vanilla", method: "POST", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        Case(
            "post-vanilla-query", method: "POST", target: "/?Param1=value1",
            "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"),
        Case(
            "post-header-key-sort", method: "POST", fields: ["My-Header1": "value1"],
            signing: "host;my-header1;x-amz-date",
            "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"),
        Case(
            "post-header-value-case", method: "POST", fields: ["My-Header1": "VALUE1"],
            signing: "host;my-header1;x-amz-date",
            "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"),
        Case(
            "post-x-www-form-urlencoded", method: "POST", fields: ["Content-Type": form], body: "Param1=value1",
            signing: "content-type;host;x-amz-date", "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
        Case(
            "post-x-www-form-urlencoded-parameters", method: "POST",
            fields: ["Content-Type": "\(form); charset=utf8"], body: "Param1=value1",
            signing: "content-type;host;x-amz-date",
            "1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe"),
    ]

    private static let secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
    /// 2015-08-30T12:36:00Z
    private static let date = Date(timeIntervalSince1970: 1_440_938_160)

    private func signer(_ token: String? = nil) -> AWSSigner {
        AWSSigner(
            accessKeyID: "AKIDEXAMPLE", secretAccessKey: Self.secret, sessionToken: token, region: "us-east-1",
            service: "service")
    }

    private func field(_ names: String, _ signature: String) -> String {
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
            + "SignedHeaders=\(names), Signature=\(signature)"
    }

    @Test(arguments: suite) func `the signatures of Amazon's suite come out`(example: Case) throws {
        var request = try URLRequest(string: "https://example.amazonaws.com\(example.target)")
        request.httpMethod = example.method
        request.headers = example.fields
        request.httpBody = example.body.map { Data($0.utf8) }
        var signer = signer()
        if example.isPathAsSent { signer.normalizesPath = false }
        try signer.sign(&request, at: Self.date)
        #expect(request.headers["Authorization"] == field(example.names, example.signature))
        #expect(request.headers["X-Amz-Date"] == "20150830T123600Z")
    }

    @Test func `a session token is sent, and signed`() throws {
        // post-sts-header-before
        let token = """
            AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8Y\
            UuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE\
            8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2\
            ICCR/oLxBA==
            """
        var request = try URLRequest(string: "https://example.amazonaws.com/")
        request.httpMethod = "POST"
        try signer(token).sign(&request, at: Self.date)
        #expect(request.headers["X-Amz-Security-Token"] == token)
        let signature = "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"
        #expect(request.headers["Authorization"] == field("host;x-amz-date;x-amz-security-token", signature))
        #expect(!request.debugDescription.contains("AQoDYXdzEPT"))
    }

    @Test func `a later signature replaces an earlier one`() throws {
        var request = try URLRequest(string: "https://example.amazonaws.com/")
        try signer("old").sign(&request, at: Self.date.addingTimeInterval(-86400))
        try signer("new").sign(&request, at: Self.date)
        var other = try URLRequest(string: "https://example.amazonaws.com/")
        try signer("new").sign(&other, at: Self.date)
        #expect(request.headers["Authorization"] == other.headers["Authorization"])
        for name in ["Authorization", "X-Amz-Date", "X-Amz-Security-Token"] {
            #expect(request.headers.values(for: name).count == 1, "\(name)")
        }
    }

    @Test func `escapes of the path are escaped again, and those of the query are not`() throws {
        // Not published: computed apart.
        var request = try URLRequest(string: "https://example.amazonaws.com/a%20b/%2F/c?z&q=a%2Bb&q=a+b")
        try signer().sign(&request, at: Self.date)
        let signature = "589ce302d807a69c3a8a6c06a45d522e6b580c7d69f7a9af0057c5016b78f522"
        #expect(request.headers["Authorization"] == field("host;x-amz-date", signature))
    }

    @Test func `fields that intermediaries change are not signed`() throws {
        var request = try URLRequest(string: "https://example.amazonaws.com/")
        for name in ["Connection", "User-Agent", "Expect", "TE", "X-Amzn-Trace-Id"] { request.headers[name] = "any" }
        try signer().sign(&request, at: Self.date)
        let signature = "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
        #expect(request.headers["Authorization"] == field("host;x-amz-date", signature))
    }

    // The examples in S3's documentation of the API

    private let s3 = AWSSigner(
        accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        region: "us-east-1", service: "s3")
    /// 2013-05-24T00:00:00Z
    private static let day = Date(timeIntervalSince1970: 1_369_353_600)

    @Test(
        arguments: [
            (
                "GET", "/test.txt", ["Range": "bytes=0-9"], nil,
                "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
            ),
            (
                "PUT", "/test$file.text",
                ["Date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"],
                "Welcome to Amazon S3.", "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
            ),
            ("GET", "/?lifecycle", [:], nil, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
            (
                "GET", "/?max-keys=2&prefix=J", [:], nil,
                "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
            ),
        ] as [(String, String, HeaderFields, String?, String)])
    func `the signatures in S3's documentation come out`(
        method: String, target: String, fields: HeaderFields, body: String?, signature: String
    ) throws {
        var request = try URLRequest(string: "https://examplebucket.s3.amazonaws.com\(target)")
        request.httpMethod = method
        request.headers = fields
        request.httpBody = body.map { Data($0.utf8) }
        try s3.sign(&request, at: Self.day)
        #expect(request.headers["Authorization"]?.hasSuffix("Signature=\(signature)") == true)
        #expect(request.headers["X-Amz-Content-Sha256"]?.utf8.count == 64)
    }

    @Test func `the URL in S3's documentation comes out`() throws {
        let request = try URLRequest(string: "https://u:p@examplebucket.s3.amazonaws.com/test.txt#part")
        let url = try s3.presignedURL(for: request, expiresAfter: 86400, at: Self.day)
        #expect(
            url.absoluteString
                == "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
                + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
                + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
                + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
    }

    @Test func `content that is not in memory needs a hash, or S3 over https`() throws {
        var request = try URLRequest(string: "https://bucket.test/")
        request.body = .file(path: "/dev/null")
        var sent = request
        try s3.sign(&sent)
        #expect(sent.headers["X-Amz-Content-Sha256"] == "UNSIGNED-PAYLOAD")
        #expect(throws: SigningError.contentNotInMemory) { try signer().sign(&request) }
        request.url = URL(string: "http://bucket.test/")
        #expect(throws: SigningError.contentNotInMemory) { try s3.sign(&request) }
        request.headers["X-Amz-Content-Sha256"] = "0123"
        for signer in [s3, signer()] {
            sent = request
            try signer.sign(&sent)
            #expect(sent.headers["X-Amz-Content-Sha256"] == "0123")
            #expect(sent.headers["Authorization"]?.contains("x-amz-content-sha256") == true)
        }
    }

    @Test func `no description shows the key or the token`() {
        var dumped = ""
        dump(signer("s3-token"), to: &dumped)
        for text in [dumped, "\(signer("s3-token"))", String(reflecting: signer("s3-token"))] {
            #expect(text.contains("AKIDEXAMPLE") && !text.contains("s3-token") && !text.contains(Self.secret))
        }
    }
}
