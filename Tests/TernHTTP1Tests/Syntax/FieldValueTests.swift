// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernHTTP1

@Suite struct FieldValueTests {
    /// Every byte that a field value may have, alone and beside others, and texts of several charsets.
    static let values: [[UInt8]] =
        (0x21...0x7E).map { [$0] } + (0x80...0xFF).map { [$0] } + (0x80...0xFF).map { [0x61, $0, 0x62] }
        + [Array("caf\u{E9}".utf8), [0x63, 0x61, 0x66, 0xE9], [0x93, 0xFA, 0x96, 0x7B], [0xC3], [0xC3, 0xA9, 0xE9]]

    @Test(arguments: values) func `a value keeps its bytes`(bytes: [UInt8]) {
        #expect(FieldValue(bytes).bytes == bytes)
        #expect(FieldValue(bytes).count == bytes.count)
        #expect(HeaderField(name: "A", bytes: bytes).bytes == bytes)
    }

    @Test func `text is UTF-8 where the bytes are, else ISO-8859-1`() {
        #expect(FieldValue(Array("caf\u{E9}".utf8)).text == "caf\u{E9}")
        #expect(FieldValue([0x63, 0xE9]).text == "c\u{E9}")
    }

    @Test func `values are equal if their bytes are`() {
        #expect(FieldValue("\u{E9}") != FieldValue("e\u{301}"))
        #expect(FieldValue([0xE9]) != FieldValue("\u{E9}"))
        #expect(FieldValue(Array("a".utf8)) == FieldValue("a"))
        #expect(Set([FieldValue([0xE9]), FieldValue([0xE9]), FieldValue("\u{E9}")]).count == 2)
    }

    @Test(arguments: values) func `what a server sends can be sent back unchanged`(bytes: [UInt8]) throws {
        var exchange = Exchange()
        var output: [UInt8] = []
        let origin = HTTPOrigin(scheme: .http, host: "a", port: 80)
        let request = RequestHead(method: "GET", target: .origin("/"), origin: origin, fields: [:])
        try exchange.begin(request, body: .none, defaults: [:], into: &output)
        let received = Array("HTTP/1.1 204 \r\nA: ".utf8) + bytes + Array("\r\n\r\n".utf8)
        var offset = 0
        guard case .head(let head) = try exchange.receive(received.span, from: &offset) else {
            Issue.record("no head")
            return
        }
        #expect(head.encoded == received)
        #expect(head.bytes(for: "a") == [bytes] && head.bytes(at: 0) == bytes)
        #expect(try ResponseHead(status: 204, fields: head.fields).bytes(at: 0) == bytes)

        for isDefault in [false, true] {
            var exchange = Exchange()
            var output: [UInt8] = []
            let request = RequestHead(
                method: "GET", target: .origin("/"), origin: origin, fields: isDefault ? [:] : head.fields)
            let defaults = DefaultFields(isDefault ? head.fields : [:])
            try exchange.begin(request, body: .none, defaults: defaults, into: &output)
            #expect(output == Array("GET / HTTP/1.1\r\nHost: a\r\nA: ".utf8) + bytes + Array("\r\n\r\n".utf8))
        }
    }

    @Test func `a field replaces those of its name`() {
        var fields: HeaderFields = ["a": "1", "B": "2", "A": "3"]
        fields.replace(with: HeaderField(name: "A", bytes: [0xE9]))
        #expect(fields.map(\.name) == ["A", "B"] && fields[0].bytes == [0xE9])
        fields.replace(with: HeaderField(name: "C", value: "4"))
        #expect(fields["c"] == "4" && fields.count == 3)
    }
}
