// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import Testing

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
