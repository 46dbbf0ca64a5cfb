// SPDX-License-Identifier: Apache-2.0

import TernTesting
import Testing

@Suite struct OriginStepResponseTests {
    private func text(_ step: ScriptedOrigin.Step) -> String? {
        guard case .send(let bytes) = step else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `ok counts the bytes of its body`() {
        #expect(text(.ok("né")) == "HTTP/1.1 200 \r\nContent-Length: 3\r\n\r\nné")
    }

    @Test func `respond leaves framing of its caller alone`() {
        let step = ScriptedOrigin.Step.respond(
            status: 404, reason: "Not Found", fields: [(name: "content-length", value: "7")], body: "x")
        #expect(text(step) == "HTTP/1.1 404 Not Found\r\ncontent-length: 7\r\n\r\nx")
    }

    @Test func `chunked writes sizes in hexadecimal and trailers behind the last chunk`() {
        let step = ScriptedOrigin.Step.chunked(
            ["", "0123456789abcdefg", "h"], trailers: [(name: "Sum", value: "9")])
        let body = "11\r\n0123456789abcdefg\r\n1\r\nh\r\n0\r\nSum: 9\r\n\r\n"
        #expect(text(step) == "HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n" + body)
    }
}
