// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import Testing

@Suite struct HTTPProtocolErrorTests {
    private func error(_ text: String) -> HTTPProtocolError? {
        ResponseScript().run([unescaped(text)]).error
    }

    @Test(arguments: [
        (
            #"HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\n"#,
            #"no space precedes the colon (RFC 9112 §5.1), at byte 32: "Content-Length :""#
        ),
        (
            #"HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n"#,
            #"Content-Length is a decimal number (RFC 9112 §6.3), at byte 33: "Content-Length: +5""#
        ),
        (
            #"\x15\x03\x01\x00\x02"#, #"a response begins with "HTTP/" (RFC 9112 §2.3): "\x15""#
        ),
        (
            #"HTTP/1.1 200 OK\r\nSet-Cookie: secret=1\0; Path=/\r\n\r\n"#,
            #"no field value contains NUL (RFC 9110 §5.5), at byte 37: "Set-Cookie:…\x00""#
        ),
        (
            #"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\n"#,
            #"a chunk-size line ends with CRLF (RFC 9112 §7.1), at byte 48: "5\n""#
        ),
        (
            #"HTTP/1.1 20x OK\r\n\r\n"#,
            #"a status is three digits and a space (RFC 9112 §4), at byte 11: "HTTP/1.1 20x""#
        ),
    ])
    func `An error names its rule, its place and what stood there`(input: String, expected: String) {
        #expect(error(input)?.description == expected)
    }

    @Test func `An excerpt is at most 32 bytes, ending with the offending one`() {
        let name = String(repeating: "n", count: 100)
        let error = error(#"HTTP/1.1 200 OK\r\n\#(name)"\r\n\r\n"#)
        #expect(error?.excerpt == String(repeating: "n", count: 31) + #"\""#)
    }

    @Test func `An excerpt shows no value, wherever the error lies`() {
        for text in [#"Cookie: topsecret\0\r\n"#, #"Cookie: topsecret\rx\r\n"#, #"Cookie: topsecret\n\r\n"#] {
            let error = error(#"HTTP/1.1 200 OK\r\n"# + text + #"\r\n"#)
            #expect(error != nil && error?.excerpt.contains("secret") == false)
        }
        var script = ResponseScript()
        script.limits.maximumFieldLineSize = 12
        let long = script.run([unescaped(#"HTTP/1.1 200 OK\r\nCookie: topsecret\r\n\r\n"#)]).error
        #expect(long?.reason == .limit(.fieldLineSize))
        #expect(long?.excerpt == "Cookie:…e")
    }

    @Test func `Unsolicited bytes are shown`() {
        var exchange = Exchange()
        let bytes = Array("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n".utf8)
        var offset = 0
        do throws(HTTPProtocolError) {
            _ = try exchange.receive(bytes.span, from: &offset)
            Issue.record("accepted")
        } catch {
            #expect(error.excerpt == #"HTTP/1.1 408 Request Timeout\r\nCo"#)
        }
    }
}
