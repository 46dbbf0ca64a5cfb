// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("Responses framed by length, by chunks, by nothing and by the connection's end")
struct FramingCorpusTests {
    @Test("Every case gives its verdict, however it is cut", arguments: ResponseCase.parse(framingCases))
    func verdict(_ response: ResponseCase) {
        response.check()
    }
}

private let framingCases = #"""
    # RFC 9112 §6.3: content of known length
    HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello
    = 200 OK | Content-Length: 5 | body hello | end | reusable
    # RFC 9112 §6.3: a length of zero
    HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n
    = 200 OK | end | reusable
    # RFC 9112 §6.3: chunked
    HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n
    = 200 OK | body hello | end | reusable
    # RFC 9112 §6.3: until close
    > eof
    HTTP/1.1 200 OK\r\n\r\nhello
    = 200 OK | body hello | end | closing
    # RFC 9112 §6.3: HEAD
    > HEAD
    HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n
    = 200 OK | end | reusable
    # RFC 9112 §6.3: both
    HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: \^5\r\n\r\n0\r\n\r\n
    = error framing.lengthAndTransferEncoding
    # RFC 9112 §7.1.2: trailers
    HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n
    = 200 OK | body hello | end | trailer X-Sum: 1 | reusable
    # RFC 9110 §15.2: informational
    HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n
    = 100 Continue | 103 Early Hints | 204 No Content | end | reusable
    # RFC 9112 §5.2: obs-fold
    HTTP/1.1 200 OK\r\nX: a\r\n \t b\r\nContent-Length: 0\r\n\r\n
    = 200 OK | X: a     b | end | reusable
    """#
