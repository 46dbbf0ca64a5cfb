// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import Testing

@Suite struct ExchangeTests {
    private func head(_ method: String = "GET", _ fields: HTTPFields = [:]) -> RequestHead {
        RequestHead(
            method: method, target: .origin("/a?b"), origin: Origin(scheme: .https, host: "Example.com", port: 443),
            fields: fields)
    }

    private let ok = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)

    @Test func `One exchange follows another on a connection`() throws {
        var exchange = Exchange()
        var output: [UInt8] = []
        for _ in 0..<3 {
            output.removeAll()
            try exchange.begin(head(), body: .none, defaults: ["Accept": "*/*"], into: &output)
            #expect(
                String(decoding: output, as: UTF8.self)
                    == "GET /a?b HTTP/1.1\r\nHost: example.com\r\nAccept: */*\r\n\r\n")
            #expect(standing(exchange) == [])
            var offset = 0
            guard case .head(let response) = try exchange.receive(ok.span, from: &offset) else {
                Issue.record("no head")
                return
            }
            #expect(response.status == 200 && response.reason == "OK" && response.contentLength == 2)
            guard case .body(38..<40) = try exchange.receive(ok.span, from: &offset) else {
                Issue.record("no body")
                return
            }
            guard case .end = try exchange.receive(ok.span, from: &offset) else {
                Issue.record("no end")
                return
            }
            #expect(standing(exchange) == [.idle, .reusable, .receiving])
        }
    }
}
