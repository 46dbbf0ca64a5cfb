// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernHTTP1

@Suite struct RequestEncoderTests {
    private let origin = HTTPOrigin(scheme: .http, host: "example.com", port: 80)

    private func encode(
        _ method: String = "GET", _ target: RequestTarget = .origin("/"), _ fields: HeaderFields = [:],
        body: RequestBodyFraming = .none, defaults: DefaultFields = [:], origin: HTTPOrigin? = nil
    ) throws(HTTPProtocolError) -> String {
        var exchange = Exchange()
        var output = Array("before".utf8)
        let head = RequestHead(method: method, target: target, origin: origin ?? self.origin, fields: fields)
        try exchange.begin(head, body: body, defaults: defaults, into: &output)
        return String(decoding: output.dropFirst(6), as: UTF8.self)
    }

    /// The reason for which encoding fails, and proof that it left nothing behind.
    private func refusal(
        _ method: String = "GET", _ target: RequestTarget = .origin("/"), _ fields: HeaderFields = [:],
        body: RequestBodyFraming = .none, defaults: DefaultFields = [:], origin: HTTPOrigin? = nil
    ) -> HTTPProtocolError.Reason? {
        var exchange = Exchange()
        var output = Array("before".utf8)
        let head = RequestHead(method: method, target: target, origin: origin ?? self.origin, fields: fields)
        do throws(HTTPProtocolError) {
            try exchange.begin(head, body: body, defaults: defaults, into: &output)
            return nil
        } catch {
            #expect(output == Array("before".utf8))
            let standing = standing(exchange)
            #expect(standing == [.idle])
            return error.reason
        }
    }

    @Test func `A request has its line, Host first, its fields, then those it lacks`() throws {
        let text = try encode(
            "GET", .origin("/a?b"), ["X-One": "1", "accept": "text/html", "x-one": "2"],
            defaults: ["Accept": "*/*", "User-Agent": "tern"])
        #expect(
            text == """
                GET /a?b HTTP/1.1\r\nHost: example.com\r\nX-One: 1\r\naccept: text/html\r\nx-one: 2\r\n\
                User-Agent: tern\r\n\r\n
                """)
    }

    @Test func `Each form of target has its place`() throws {
        #expect(try encode("GET", .absolute("http://example.com/")).hasPrefix("GET http://example.com/ HTTP/1.1\r\n"))
        #expect(try encode("OPTIONS", .asterisk).hasPrefix("OPTIONS * HTTP/1.1\r\n"))
        #expect(
            try encode("CONNECT", .authority("example.com:443"))
                == "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n")
        #expect(
            try encode("CONNECT", .authority("[::1]:443"))
                == "CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\n\r\n")
    }

    @Test(arguments: [
        ("GET", RequestTarget.asterisk), ("CONNECT", .origin("/")), ("CONNECT", .absolute("http://a/")),
        ("CONNECT", .asterisk), ("GET", .authority("a:1")), ("connect", .authority("a:1")),
    ])
    func `A target of another method's form is refused`(method: String, target: RequestTarget) {
        #expect(refusal(method, target) == .request(.targetForm))
    }

    @Test(arguments: [
        RequestTarget.origin(""), .origin("a"), .origin("/a b"), .origin("/\r\n"), .origin("/\n"), .origin("/\r"),
        .origin("/\0"), .origin("/é"), .origin("/\u{7F}"), .origin("/a#b"), .origin("/\t"),
        .origin("/0123456789abcdef\r\nX: y"), .absolute(""), .absolute("example.com"), .absolute("http://a/ b"),
        .absolute("http://a/#"),
    ])
    func `A target with a byte it may not have is refused`(target: RequestTarget) {
        #expect(refusal("GET", target) == .request(.target))
    }

    @Test(arguments: ["", "a", "a:", ":1", "a:b", "a b:1", "a:1\r\n", "u@a:1", "[::1]", "[::1:1", "a:123456", "a:1/"])
    func `A CONNECT target is a host and a port`(authority: String) {
        #expect(refusal("CONNECT", .authority(authority)) == .request(.target))
    }

    @Test(arguments: ["", "GE T", "GET\r\n", "GET\n", "G\0T", "GÉT", "GET:", "\tGET", "0123456789abcdef\r"])
    func `A method is a token`(method: String) {
        #expect(refusal(method) == .request(.method))
    }

    @Test func `Any token is a method`() throws {
        #expect(try encode("M-SEARCH").hasPrefix("M-SEARCH / HTTP/1.1\r\n"))
        #expect(try encode("!#$%&'*+-.^_`|~09azAZ").hasPrefix("!#$%&'*+-.^_`|~09azAZ / HTTP/1.1\r\n"))
    }

    @Test(arguments: [
        "", " ", "X ", " X", "X:", "X\r\n", "X\nY", "X\0", "Xé", "X: y\r\nEvil", "X(", "\u{7F}", "Content-Length ",
        "0123456789abcdef ", "0123456789abcdef0123456789abcdef:",
    ])
    func `A field name is a token`(name: String) {
        let fields = HeaderFields([HeaderField(name: name, value: "v")])
        #expect(refusal("GET", .origin("/"), fields) == .request(.fieldName))
        #expect(refusal("GET", .origin("/"), [:], defaults: DefaultFields(fields)) == .request(.fieldName))
    }

    @Test(arguments: [
        "\r\n", "a\r\nEvil: b", "a\n", "\n", "a\r", "\r", "\0", "a\0b", "a\u{1}", "a\u{7F}", "a\u{1B}[2J",
        "0123456789abcdef\r\n", "0123456789abcdef0123456789abcdef\n", "a\r\n\r\nGET / HTTP/1.1\r\n\r\n", "a\r\n b",
    ])
    func `A field value has no control characters`(value: String) {
        let fields: HeaderFields = ["X": "good", "Y": value, "Z": "good"]
        #expect(refusal("GET", .origin("/"), fields) == .request(.fieldValue))
        #expect(refusal("GET", .origin("/"), [:], defaults: DefaultFields(fields)) == .request(.fieldValue))
    }

    @Test(arguments: ["", "a", " a ", "a\tb", "é", "日本", "a:b", "\"", "0123456789abcdef0123456789abcdef"])
    func `Any other value is sent as it is`(value: String) throws {
        #expect(try encode("GET", .origin("/"), ["X": value]).hasSuffix("\r\nX: \(value)\r\n\r\n"))
    }

    @Test func `A default that a field replaces is not even looked at`() throws {
        #expect(try encode("GET", .origin("/"), ["X": "y"], defaults: ["x": "\r\n"]).hasSuffix("\r\nX: y\r\n\r\n"))
    }

    @Test(arguments: [
        (HTTPOrigin.Scheme.http, "Example.COM", UInt16(80), "example.com"),
        (.http, "example.com", 8080, "example.com:8080"),
        (.https, "example.com", 443, "example.com"), (.https, "example.com", 80, "example.com:80"),
        (.http, "::1", 80, "[::1]"), (.http, "[::1]", 81, "[::1]:81"), (.http, "fe80::1%eth0", 80, "[fe80::1]"),
        (.http, "127.0.0.1", 80, "127.0.0.1"), (.http, "xn--bcher-kva.example", 80, "xn--bcher-kva.example"),
        (.http, "a_b", 80, "a_b"), (.http, "localhost.", 80, "localhost."),
    ])
    func `Host is the origin's, with brackets and port as needed`(
        scheme: HTTPOrigin.Scheme, host: String, port: UInt16, field: String
    ) throws {
        let origin = HTTPOrigin(scheme: scheme, host: host, port: port)
        #expect(origin.hostField == field)
        #expect(try encode(origin: origin) == "GET / HTTP/1.1\r\nHost: \(field)\r\n\r\n")
    }

    @Test(arguments: [
        "", "a b", "a\r\n", "a\0", "a/b", "a?b", "a#b", "a@b", "u:p@a", "é", "[::1", "a:b", "::1]", "a]", "a\\b", "<a>",
    ])
    func `What is no host is refused`(host: String) {
        #expect(refusal(origin: HTTPOrigin(scheme: .http, host: host, port: 80)) == .request(.host))
    }

    @Test func `A Host field of the caller's own takes precedence, and comes first`() throws {
        #expect(
            try encode("GET", .origin("/"), ["X": "y", "hOST": "other:81"])
                == "GET / HTTP/1.1\r\nHost: other:81\r\nX: y\r\n\r\n")
        #expect(try encode(defaults: ["Host": "other"]) == "GET / HTTP/1.1\r\nHost: other\r\n\r\n")
        #expect(
            try encode("GET", .origin("/"), ["Host": "mine"], defaults: ["Host": "other"])
                == "GET / HTTP/1.1\r\nHost: mine\r\n\r\n")
    }

    @Test(arguments: ["", "a b", "a\r\nX: y", "a/b", "http://a", "a:99999999", "a:x"])
    func `A Host field that is none is refused`(value: String) {
        #expect(refusal("GET", .origin("/"), ["Host": value]) == .request(.host))
    }

    @Test func `Two Host fields are refused`() {
        #expect(refusal("GET", .origin("/"), ["Host": "a", "host": "a"]) == .request(.host))
    }

    @Test(arguments: ["POST", "PUT", "PATCH"])
    func `A method that usually has content says when it has none`(method: String) throws {
        #expect(try encode(method).hasSuffix("\r\nContent-Length: 0\r\n\r\n"))
    }

    @Test(arguments: ["GET", "HEAD", "DELETE", "OPTIONS", "TRACE", "post"])
    func `Other methods say nothing of content they do not have`(method: String) throws {
        #expect(!(try encode(method).contains("Content-Length")))
    }

    @Test func `Content is announced`() throws {
        #expect(try encode("POST", body: .exactly(5)).hasSuffix("\r\nContent-Length: 5\r\n\r\n"))
        #expect(try encode("GET", body: .exactly(0)).hasSuffix("\r\nContent-Length: 0\r\n\r\n"))
        #expect(try encode("PUT", body: .exactly(.max)).hasSuffix("\r\nContent-Length: 9223372036854775807\r\n\r\n"))
        #expect(try encode("PUT", body: .chunked).hasSuffix("\r\nTransfer-Encoding: chunked\r\n\r\n"))
    }

    @Test func `A framing field that agrees with the body is written once`() throws {
        #expect(
            try encode("PUT", .origin("/"), ["content-length": "5"], body: .exactly(5))
                == "PUT / HTTP/1.1\r\nHost: example.com\r\nContent-Length: 5\r\n\r\n")
        #expect(
            try encode("PUT", .origin("/"), ["transfer-encoding": "Chunked"], body: .chunked)
                == "PUT / HTTP/1.1\r\nHost: example.com\r\nTransfer-Encoding: chunked\r\n\r\n")
        #expect(
            try encode("GET", .origin("/"), ["Content-Length": "0"])
                == "GET / HTTP/1.1\r\nHost: example.com\r\nContent-Length: 0\r\n\r\n")
    }

    private static let disagreeing: [(HeaderFields, RequestBodyFraming)] = [
        (["Content-Length": "4"], .exactly(5)), (["Content-Length": "5"], .none),
        (["Content-Length": "5"], .chunked), (["Transfer-Encoding": "chunked"], .none),
        (["Transfer-Encoding": "chunked"], .exactly(5)), (["Transfer-Encoding": "gzip, chunked"], .chunked),
        (["Content-Length": "+5"], .exactly(5)), (["Content-Length": "5\r\n"], .exactly(5)),
        (["Content-Length": "5", "content-length": "6"], .exactly(5)),
    ]

    @Test(arguments: disagreeing)
    func `A framing field that disagrees with the body is refused`(fields: HeaderFields, body: RequestBodyFraming) {
        #expect(refusal("PUT", .origin("/"), fields, body: body) == .request(.framingField))
    }

    @Test func `No length is negative`() {
        #expect(refusal("PUT", body: .exactly(-1)) == .request(.negativeLength))
    }

    @Test func `CONNECT and TRACE have no content`() {
        #expect(refusal("CONNECT", .authority("a:1"), body: .exactly(1)) == .request(.contentForbidden))
        #expect(refusal("CONNECT", .authority("a:1"), body: .chunked) == .request(.contentForbidden))
        #expect(refusal("TRACE", body: .exactly(1)) == .request(.contentForbidden))
        #expect(refusal("TRACE", body: .exactly(0)) == nil)
    }

    @Test func `Only content can wait for 100`() {
        #expect(refusal("PUT", .origin("/"), ["Expect": "100-continue"]) == .request(.expectationWithoutContent))
        #expect(refusal("PUT", .origin("/"), ["Expect": "100-Continue"], body: .exactly(0)) != nil)
        #expect(refusal("PUT", .origin("/"), ["Expect": "100-continue"], body: .exactly(1)) == nil)
        #expect(refusal("PUT", .origin("/"), ["Expect": "100-continue"], body: .chunked) == nil)
    }

    @Test func `An error has the position of the byte and omits the value`() throws {
        do {
            _ = try encode("GET", .origin("/"), ["Authorization": "Basic c2VjcmV0\n"])
            Issue.record("accepted")
        } catch {
            #expect(error.offset == 14)
            #expect(error.excerpt == "Authorization: …\\n")
            #expect(
                error.description
                    == "a field value contains a control character (RFC 9110 §5.5), at byte 14: \"Authorization: …\\n\""
            )
        }
    }
}

@Suite struct RequestMethodTests {
    @Test func `methods that frame or address a message are known`() {
        #expect(RequestMethod("HEAD") == .head)
        #expect(RequestMethod("CONNECT") == .connect)
        #expect(RequestMethod("OPTIONS") == .options)
        #expect(RequestMethod("TRACE") == .trace)
        for name in ["POST", "PUT", "PATCH"] { #expect(RequestMethod(name) == .usuallyWithContent) }
        for name in ["GET", "DELETE", "PURGE"] { #expect(RequestMethod(name) == .other) }
    }

    @Test func `a method is case-sensitive`() { #expect(RequestMethod("head") == .other) }
}

@Suite struct RequestPropertyTests {
    private let reserved: Set<String> = ["host", "content-length", "transfer-encoding", "expect"]

    @Test(arguments: 0..<200) func `Any request that is encoded reads back as itself`(seed: Int) throws {
        var random = Generator(seed: UInt64(seed))
        let path = "/" + random.text("abcABC019-._~!$&'()*+,;=:@/?%[]|{}\"<>\\^`", upTo: 60)
        let fields = random.fields(reserved)
        let defaults = random.fields(reserved)
        let content = random.bytes(upTo: 200)
        let body = random.pick([RequestBodyFraming.none, .exactly(content.count), .chunked])
        let trailers = body == .chunked ? random.fields(reserved) : [:]
        let head = RequestHead(
            method: random.pick(["GET", "POST", "PUT", "DELETE", "X-" + random.token()]), target: .origin(path),
            origin: HTTPOrigin(scheme: .http, host: "example.com", port: UInt16(random.below(65536))), fields: fields)

        var exchange = Exchange()
        var output: [UInt8] = []
        try exchange.begin(head, body: body, defaults: DefaultFields(defaults), into: &output)
        if body != .none {
            for piece in random.pieces(content, upTo: 50) { try exchange.sendBody(piece.span, into: &output) }
        }
        try exchange.finishSending(trailers: trailers, into: &output)

        let request = try RequestReader(output)
        #expect(request.method == head.method)
        #expect(request.target == path)
        #expect(request.version == "HTTP/1.1")
        #expect(request.fields.first == HeaderField(name: "Host", value: head.origin.hostField))
        let lacking = defaults.filter { !fields.contains($0.name) }
        #expect(request.fields.filter { !reserved.contains($0.name.lowercased()) } == Array(fields) + lacking)
        #expect(request.content == (body == .none ? [] : content))
        #expect(request.trailers == Array(trailers))
    }
}
