// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import Testing

@Suite struct ExchangeTests {
    private let origin = HTTPOrigin(scheme: .https, host: "example.com", port: 443)
    private let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private func begin(
        _ exchange: inout Exchange, _ method: String = "GET", _ fields: HeaderFields = [:],
        body: RequestBodyFraming = .none
    ) throws -> [UInt8] {
        var output: [UInt8] = []
        let head = RequestHead(method: method, target: .origin("/"), origin: origin, fields: fields)
        try exchange.begin(head, body: body, defaults: [:], into: &output)
        return output
    }

    /// Gives all of `text` and answers the last event.
    @discardableResult
    private func receive(_ exchange: inout Exchange, _ text: String) throws -> ResponseEvent {
        let bytes = Array(text.utf8)
        var offset = 0
        while true {
            let event = try exchange.receive(bytes.span, from: &offset)
            switch event {
            case .needMoreBytes, .end, .handedOver: return event
            case .informational, .head, .body: continue
            }
        }
    }

    private func send(_ exchange: inout Exchange, _ bytes: [UInt8], into output: inout [UInt8]) throws {
        try exchange.sendBody(bytes.span, into: &output)
    }

    private func reason(_ body: () throws -> Void) -> HTTPProtocolError.Reason? {
        do {
            try body()
            return nil
        } catch let error as HTTPProtocolError {
            return error.reason
        } catch {
            return nil
        }
    }

    @Test func `One exchange follows another on a connection`() throws {
        var exchange = Exchange()
        for _ in 0..<3 {
            _ = try begin(&exchange)
            var standing = standing(exchange)
            #expect(standing == [])
            try receive(&exchange, ok)
            standing = TernHTTP1Tests.standing(exchange)
            #expect(standing == [.idle, .reusable, .receiving])
        }
    }

    @Test func `A new exchange is idle, and nothing can be sent or received`() throws {
        var exchange = Exchange()
        let standing = standing(exchange)
        #expect(standing == [.idle])
        #expect(reason { try exchange.sendBody(count: 1) } == .misuse(.nothingToSend))
        var output: [UInt8] = []
        #expect(reason { try exchange.finishSending(into: &output) } == .misuse(.nothingToSend))
        guard case .end = try exchange.receiveEndOfStream() else {
            Issue.record("an idle connection may close")
            return
        }
        #expect(reason { _ = try begin(&exchange) } == .misuse(.notReusable))
    }

    @Test func `Bytes on an idle connection are an error, and the end of it`() throws {
        var exchange = Exchange()
        #expect(reason { try receive(&exchange, "0\r\n\r\n") } == .unsolicited(.bytes))
        #expect(reason { _ = try begin(&exchange) } == .misuse(.notReusable))
    }

    @Test func `Bytes behind a response are an error, and the end of the connection`() throws {
        var exchange = Exchange()
        _ = try begin(&exchange)
        try receive(&exchange, ok)
        #expect(reason { try receive(&exchange, "0\r\n\r\n") } == .unsolicited(.bytes))
        let standing = standing(exchange)
        #expect(!standing.contains(.reusable))
        #expect(reason { _ = try begin(&exchange) } == .misuse(.notReusable))
    }

    @Test(arguments: [("Content-Length: 9", 6), ("Transfer-Encoding: chunked", 0), ("Connection: close", 0)])
    func `How much content comes next is known where it is announced`(field: String, left: Int) throws {
        var exchange = Exchange()
        _ = try begin(&exchange)
        #expect(exchange.contentLeft == 0)
        try receive(&exchange, "HTTP/1.1 200 OK\r\n\(field)\r\n\r\n")
        try receive(&exchange, field.hasPrefix("T") ? "9\r\nabc" : "abc")
        #expect(exchange.contentLeft == left)
        if left == 0 { return }
        try receive(&exchange, "defghi")
        #expect(exchange.contentLeft == 0)
    }

    @Test func `Bytes that came with the end of a response are counted`() throws {
        var exchange = Exchange()
        _ = try begin(&exchange)
        try receive(&exchange, ok + ok)
        let leftover = exchange.leftover
        #expect(leftover == 40)
        let standing = standing(exchange)
        #expect(standing == [.idle, .receiving])
        #expect(reason { _ = try begin(&exchange) } == .misuse(.notReusable))
    }

    @Test func `An exchange does not begin within another`() throws {
        var exchange = Exchange()
        _ = try begin(&exchange)
        #expect(reason { _ = try begin(&exchange) } == .misuse(.notReusable))
        try receive(&exchange, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no")
        #expect(reason { _ = try begin(&exchange) } == .misuse(.notReusable))
        try receive(&exchange, "k")
        #expect(reason { _ = try begin(&exchange) } == nil)
    }

    @Test func `A request that was refused may be corrected`() throws {
        var exchange = Exchange()
        #expect(reason { _ = try begin(&exchange, "GET", ["X": "\n"]) } == .request(.fieldValue))
        #expect(reason { _ = try begin(&exchange) } == nil)
        try receive(&exchange, ok)
        #expect(reason { _ = try begin(&exchange, "G T") } == .request(.method))
        #expect(reason { _ = try begin(&exchange) } == nil)
    }

    @Test func `After an error an exchange decodes nothing more`() throws {
        var exchange = Exchange()
        _ = try begin(&exchange)
        #expect(reason { try receive(&exchange, "ICY 200 OK\r\n") } == .statusLine(.notHTTP))
        #expect(reason { try receive(&exchange, ok) } == .misuse(.failed))
        #expect(reason { _ = try exchange.receiveEndOfStream() } == .misuse(.failed))
        #expect(reason { _ = try begin(&exchange) } == .misuse(.notReusable))
        let standing = standing(exchange)
        #expect(!standing.contains(.reusable) && !standing.contains(.idle))
    }

    @Test func `A connection closes once`() throws {
        var exchange = Exchange()
        _ = try begin(&exchange)
        try receive(&exchange, "HTTP/1.1 200 OK\r\n\r\nuntil")
        guard case .end = try exchange.receiveEndOfStream(), case .end = try exchange.receiveEndOfStream() else {
            Issue.record("the content ends with the connection")
            return
        }
        let standing = standing(exchange)
        #expect(standing == [.idle, .receiving])
    }

    @Test func `A connection that closes behind a response is not reused`() throws {
        var exchange = Exchange()
        _ = try begin(&exchange)
        try receive(&exchange, ok)
        guard case .end = try exchange.receiveEndOfStream() else { return }
        let standing = standing(exchange)
        #expect(standing == [.idle, .receiving])
    }

    @Test func `Content of known length is framed as it is`() throws {
        var exchange = Exchange()
        var output = try begin(&exchange, "PUT", body: .exactly(5))
        output.removeAll()
        try send(&exchange, [104, 101], into: &output)
        try send(&exchange, [], into: &output)
        try exchange.sendBody(count: 1)
        try send(&exchange, [108, 111], into: &output)
        try exchange.finishSending(into: &output)
        #expect(output == Array("helo".utf8))
        try receive(&exchange, ok)
        let standing = standing(exchange)
        #expect(standing.contains(.reusable))
    }

    @Test func `Chunked content is framed in chunks, with trailers behind it`() throws {
        var exchange = Exchange()
        var output = try begin(&exchange, "PUT", body: .chunked)
        let twenty = [UInt8](repeating: 120, count: 20)
        try send(&exchange, twenty, into: &output)
        try send(&exchange, [], into: &output)
        try send(&exchange, [121], into: &output)
        try exchange.finishSending(trailers: ["X-Sum": "1"], into: &output)
        let request = try RequestReader(output)
        #expect(request.content == twenty + [121])
        #expect(request.trailers == [HeaderField(name: "X-Sum", value: "1")])
        let text = String(decoding: output, as: UTF8.self)
        #expect(text.hasSuffix("\r\n\r\n14\r\nxxxxxxxxxxxxxxxxxxxx\r\n1\r\ny\r\n0\r\nX-Sum: 1\r\n\r\n"))
    }

    @Test func `More content than announced is an error before it is written`() throws {
        var exchange = Exchange()
        var output = try begin(&exchange, "PUT", body: .exactly(1))
        let before = output
        #expect(reason { try send(&exchange, [1, 2], into: &output) } == .request(.tooMuchContent(excess: 1)))
        #expect(output == before)
        #expect(reason { try send(&exchange, [1], into: &output) } == .misuse(.failed))
        #expect(reason { try exchange.finishSending(into: &output) } == .misuse(.failed))
        try receive(&exchange, ok)
        let standing = standing(exchange)
        #expect(!standing.contains(.reusable))
    }

    @Test func `Content for a request that has none is an error`() throws {
        var exchange = Exchange()
        var output = try begin(&exchange)
        #expect(reason { try send(&exchange, [1], into: &output) } == .request(.tooMuchContent(excess: 1)))
    }

    @Test func `Less content than announced is an error`() throws {
        var exchange = Exchange()
        var output = try begin(&exchange, "PUT", body: .exactly(3))
        try exchange.sendBody(count: 1)
        #expect(reason { try exchange.finishSending(into: &output) } == .request(.tooLittleContent(missing: 2)))
    }

    @Test func `A negative count is an error`() throws {
        var exchange = Exchange()
        _ = try begin(&exchange, "PUT", body: .exactly(3))
        #expect(reason { try exchange.sendBody(count: -1) } == .request(.negativeLength))
    }

    @Test func `Finishing a request that has no content changes nothing`() throws {
        var exchange = Exchange()
        var output = try begin(&exchange)
        let before = output
        try exchange.finishSending(into: &output)
        #expect(output == before)
    }

    @Test func `Trailers need the chunked coding`() throws {
        var exchange = Exchange()
        var output = try begin(&exchange, "PUT", body: .exactly(0))
        #expect(
            reason { try exchange.finishSending(trailers: ["X": "y"], into: &output) }
                == .request(.trailersWithoutChunked))
    }

    @Test(arguments: [
        ("Content-Length", "5", HTTPProtocolError.Reason.request(.forbiddenTrailer)),
        ("host", "a", .request(.forbiddenTrailer)), ("X", "a\r\nEvil: b", .request(.fieldValue)),
        ("X ", "a", .request(.fieldName)), ("X", "\n", .request(.fieldValue)),
    ])
    func `A trailer that may not be sent leaves no byte behind`(
        name: String, value: String, expected: HTTPProtocolError.Reason
    ) throws {
        var exchange = Exchange()
        var output = try begin(&exchange, "PUT", body: .chunked)
        let before = output
        #expect(reason { try exchange.finishSending(trailers: ["A": "b", name: value], into: &output) } == expected)
        #expect(output == before)
        try exchange.finishSending(into: &output)
        #expect(output == before + Array("0\r\n\r\n".utf8))
    }

    @Test func `An early response does not free the connection before the request is sent`() throws {
        var exchange = Exchange()
        var output = try begin(&exchange, "PUT", body: .chunked)
        try receive(&exchange, ok)
        var standing = standing(exchange)
        #expect(standing == [.receiving])
        try exchange.finishSending(into: &output)
        standing = TernHTTP1Tests.standing(exchange)
        #expect(standing == [.receiving, .idle, .reusable])
    }

    @Test func `Waiting for 100 ends with 100 and with a final response, and not with another 1xx`() throws {
        var exchange = Exchange()
        _ = try begin(&exchange, "PUT", ["Expect": "100-continue"], body: .chunked)
        var standing = standing(exchange)
        #expect(standing == [.awaitingContinue])
        try receive(&exchange, "HTTP/1.1 103 \r\n\r\n")
        standing = TernHTTP1Tests.standing(exchange)
        #expect(standing == [.awaitingContinue, .receiving])
        try receive(&exchange, "HTTP/1.1 100 \r\n\r\n")
        standing = TernHTTP1Tests.standing(exchange)
        #expect(standing == [.receiving])

        var other = Exchange()
        _ = try begin(&other, "PUT", ["Expect": "100-continue"], body: .chunked)
        try receive(&other, "HTTP/1.1 417 \r\nContent-Length: 0\r\n\r\n")
        standing = TernHTTP1Tests.standing(other)
        #expect(standing == [.receiving])
    }

    @Test(arguments: [
        ("timeout=5, max=100", KeepAlive(timeout: 5, max: 100)), ("timeout=15", KeepAlive(timeout: 15)),
        ("MAX = 3", KeepAlive()), ("max=3", KeepAlive(max: 3)), ("timeout=x", KeepAlive()), ("", KeepAlive()),
        ("timeout=-1", KeepAlive()), ("Timeout=7,,", KeepAlive(timeout: 7)),
    ])
    func `Keep-Alive is a hint`(value: String, expected: KeepAlive) throws {
        var exchange = Exchange()
        _ = try begin(&exchange)
        try receive(&exchange, "HTTP/1.1 204 \r\nKeep-Alive: \(value)\r\n\r\n")
        let keepAlive = exchange.keepAlive
        #expect(keepAlive == expected)
        _ = try begin(&exchange)
        try receive(&exchange, "HTTP/1.1 204 \r\n\r\n")
        let none = exchange.keepAlive
        #expect(none == nil)
    }

    @Test func `A tunnel's bytes are left to the tunnel`() throws {
        var exchange = Exchange()
        var output: [UInt8] = []
        let head = RequestHead(method: "CONNECT", target: .authority("a:443"), origin: origin, fields: [:])
        try exchange.begin(head, body: .none, defaults: [:], into: &output)
        let bytes = Array("HTTP/1.1 200 OK\r\n\r\n\u{16}\u{3}".utf8)
        var offset = 0
        guard case .head = try exchange.receive(bytes.span, from: &offset),
            case .handedOver = try exchange.receive(bytes.span, from: &offset)
        else {
            Issue.record("no handover")
            return
        }
        #expect(offset == 19)
        let standing = standing(exchange)
        #expect(standing == [.receiving])
    }

    @Test(arguments: [Int.min, -1, Int.max]) func `Limits beyond reason are no crash`(limit: Int) throws {
        var limits = ParsingLimits()
        limits.maximumStatusLineSize = limit
        limits.maximumFieldCount = limit
        limits.maximumFieldLineSize = limit
        limits.maximumFieldSectionSize = limit
        limits.maximumChunkLineSize = limit
        limits.maximumChunkOverheadRatio = limit
        limits.chunkOverheadAllowance = limit
        limits.maximumTrailerCount = limit
        limits.maximumTrailerSectionSize = limit
        limits.maximumInformationalResponseCount = limit
        var script = ResponseScript()
        script.limits = limits
        let input = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX: y\r\n\r\n".utf8)
        let whole = script.run([input])
        #expect(whole.error?.reason == (limit < 0 ? .limit(.statusLineSize) : nil))
        #expect(script.run(input.map { [$0] }) == whole)
    }

    @Test func `An offset outside of the bytes given is no crash`() throws {
        var exchange = Exchange()
        _ = try begin(&exchange)
        var offset = 5
        let bytes: [UInt8] = [72]
        guard case .needMoreBytes = try exchange.receive(bytes.span, from: &offset) else { return }
        offset = -1
        guard case .needMoreBytes = try exchange.receive(bytes.span, from: &offset) else { return }
        try receive(&exchange, ok)
    }
}
