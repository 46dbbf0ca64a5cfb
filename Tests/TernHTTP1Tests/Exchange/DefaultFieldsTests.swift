// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import Testing

@Suite struct DefaultFieldsTests {
    private static let origin = HTTPOrigin(scheme: .http, host: "example.com", port: 80)

    private func begin(
        _ exchange: inout Exchange, _ fields: HeaderFields, _ defaults: DefaultFields, body: RequestBodyFraming = .none
    ) throws(HTTPProtocolError) -> String {
        var output: [UInt8] = []
        let head = RequestHead(method: "PUT", target: .origin("/"), origin: Self.origin, fields: fields)
        try exchange.begin(head, body: body, defaults: defaults, into: &output)
        return String(decoding: output, as: UTF8.self)
    }

    private func refusal(_ fields: HeaderFields, _ defaults: DefaultFields) -> HTTPProtocolError.Reason? {
        var exchange = Exchange()
        do throws(HTTPProtocolError) {
            _ = try begin(&exchange, fields, defaults)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func `they are kept as they were given`() {
        let fields: HeaderFields = ["Accept": "*/*", "accept": "text/html", "Host": "other", "Bad": "\r\n"]
        #expect(DefaultFields(fields).fields == fields)
    }

    /// Whichever way they are written, whole or line by line.
    @Test(
        arguments: [[:], ["Other": "1"], ["b": "mine"], ["A": "mine", "C": "mine"], ["D": "1", "B": "2", "E": "3"]]
            as [HeaderFields])
    func `a request has them behind its own fields, but for those of a name it has`(own: HeaderFields) throws {
        let defaults: HeaderFields = ["A": "1", "B": "", "a": "2", "C": "long, with; signs=\"é\"", "B": "3"]
        let expected = own.map { $0 } + defaults.filter { !own.contains($0.name) }
        var exchange = Exchange()
        let text = try begin(&exchange, own, DefaultFields(defaults))
        #expect(
            text == "PUT / HTTP/1.1\r\nHost: example.com\r\n"
                + expected.map { "\($0.name): \($0.value)\r\n" }.joined() + "Content-Length: 0\r\n\r\n")
    }

    @Test(arguments: [[:], ["Other": "1"]] as [HeaderFields])
    func `what they say of a request counts as if it said so itself`(own: HeaderFields) throws {
        var expecting = Exchange()
        _ = try begin(&expecting, own, ["X": "y", "Expect": "100-continue"], body: .exactly(1))
        let isAwaiting = expecting.isAwaitingContinue
        #expect(isAwaiting)
        for (defaults, isReusable) in [(["X": "y"], true), (["X": "y", "Connection": "close"], false)]
            as [(DefaultFields, Bool)]
        {
            var exchange = Exchange()
            var offset = 0
            _ = try begin(&exchange, own, defaults)
            let answer = Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)
            while case .head = try exchange.receive(answer.span, from: &offset) {}
            let isKept = exchange.isReusable
            #expect(isKept == isReusable)
        }
    }

    @Test func `what a request says itself counts in their place`() throws {
        var exchange = Exchange()
        _ = try begin(&exchange, ["expect": "nothing"], ["Expect": "100-continue"], body: .exactly(1))
        let isAwaiting = exchange.isAwaitingContinue
        #expect(!isAwaiting)
    }

    @Test(arguments: [("B\r\nEvil", "1"), ("", "1"), ("B", "a\r\nEvil: b"), ("B", "\0")])
    func `one that cannot be encoded fails the requests that have none of its name`(name: String, value: String) throws
    {
        let defaults = DefaultFields(
            HeaderFields([
                HeaderField(name: "A", value: "1"), HeaderField(name: name, value: value),
                HeaderField(name: "C", value: "3"),
            ]))
        for own in [[:], ["Other": "1"]] as [HeaderFields] { #expect(refusal(own, defaults) != nil) }
        guard name == "B" else { return }
        var exchange = Exchange()
        let text = try begin(&exchange, ["b": "2"], defaults)
        #expect(text.hasPrefix("PUT / HTTP/1.1\r\nHost: example.com\r\nb: 2\r\nA: 1\r\nC: 3\r\n"))
    }

    @Test func `fields that the encoder writes itself are reported to it, and not written twice`() throws {
        var exchange = Exchange()
        let text = try begin(&exchange, ["X": "y"], ["A": "1", "Host": "other", "Content-Length": "0"])
        #expect(text == "PUT / HTTP/1.1\r\nHost: other\r\nX: y\r\nA: 1\r\nContent-Length: 0\r\n\r\n")
        #expect(refusal([:], ["Content-Length": "3"]) == .request(.framingField))
    }
}
