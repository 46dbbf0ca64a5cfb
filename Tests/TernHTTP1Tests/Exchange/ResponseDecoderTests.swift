// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import Testing

@Suite("Responses and the requests they answer")
struct ResponseDecoderTests {
    @Test("Every case gives its verdict, however it is cut", arguments: ResponseCase.parse(exchanges))
    func verdict(_ response: ResponseCase) {
        response.check()
    }
}

private let exchanges = #"""
    # RFC 9112 §6.3: HEAD with a length has no content
    > HEAD
    HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n
    = 200 OK | Content-Length: 5 | end | reusable
    # RFC 9112 §6.3: HEAD with a coding has no content
    > HEAD
    HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n
    = 200 OK | end | reusable
    # RFC 9112 §6.3: HEAD with neither has no content
    > HEAD
    HTTP/1.1 200 OK\r\n\r\n
    = 200 OK | end | reusable
    # RFC 9112 §6.3: HEAD that was answered with content
    > HEAD
    HTTP/1.1 400 Bad Request\r\nContent-Length: 5\r\n\r\nhello
    = 400 Bad Request | end | leftover
    # RFC 9112 §6.3: HEAD with an impossible length
    > HEAD
    HTTP/1.1 200 OK\r\nContent-Length: \^-1\r\n\r\n
    = error framing.length
    # RFC 9112 §6.3: HEAD with both
    > HEAD
    HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: \^chunked\r\n\r\n
    = error framing.lengthAndTransferEncoding
    # RFC 9110 §9.1: methods are case-sensitive: head is not HEAD
    > head
    HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello
    = 200 OK | body hello | end | reusable
    # RFC 9112 §6.3: 204 has no content
    HTTP/1.1 204 No Content\r\n\r\n
    = 204 No Content | end | reusable
    # RFC 9112 §6.3: 204 has no content, whatever its length
    HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n
    = 204 No Content | end | reusable
    # RFC 9112 §6.3: 204 that was sent with content
    HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello
    = 204 No Content | end | leftover
    # RFC 9112 §6.3: 204 has no content, whatever its coding
    HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n
    = 204 No Content | end | leftover
    # RFC 9112 §6.3: 304 has no content, whatever its length
    HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n
    = 304 Not Modified | Content-Length: 5 | end | reusable
    # RFC 9112 §6.3: 304 that was sent with content
    HTTP/1.1 304 Not Modified\r\n\r\nX
    = 304 Not Modified | end | leftover
    # RFC 9112 §6.3: 205 is framed like any other
    HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n
    = 205 Reset Content | end | reusable
    # RFC 9110 §15.2: 100 before the response
    HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok
    = 100 Continue | 200 OK | body ok | end | reusable
    # RFC 9110 §15.2: several, each with its fields
    HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 \r\n\r\n
    = 102 Processing | 103 Early Hints | 204 | end | reusable
    # RFC 9110 §15.2: ten of them
    HTTP/1.1 103 \r\n\r\nHTTP/1.1 103 \r\n\r\nHTTP/1.1 103 \r\n\r\nHTTP/1.1 103 \r\n\r\nHTTP/1.1 103 \r\n\r\n
    HTTP/1.1 103 \r\n\r\nHTTP/1.1 103 \r\n\r\nHTTP/1.1 103 \r\n\r\nHTTP/1.1 103 \r\n\r\nHTTP/1.1 103 \r\n\r\n
    HTTP/1.1 204 \r\n\r\n
    = 103 | 103 | 103 | 103 | 103 | 103 | 103 | 103 | 103 | 103 | 204 | end | reusable
    # RFC 9110 §15.2: an unknown one
    HTTP/1.1 199 x\r\n\r\nHTTP/1.1 204 \r\n\r\n
    = 199 x | 204 | end | reusable
    # RFC 9110 §15.2: an informational response is not the last word
    HTTP/1.1 100 Continue\r\n\r\n
    = 100 Continue | more
    # RFC 9110 §15.2: a length frames nothing in one
    HTTP/1.1 103 \r\nContent-Length: 5\r\n\r\nHTTP/1.1 204 \r\n\r\n
    = 103 | 204 | end | reusable
    # RFC 9112 §6.3: but it must be one
    HTTP/1.1 103 \r\nContent-Length: \^x\r\n\r\nHTTP/1.1 204 \r\n\r\n
    = error framing.length
    # RFC 9110 §15.2: what one says of the connection says nothing of the response's
    HTTP/1.1 103 \r\nConnection: close\r\n\r\nHTTP/1.1 204 \r\n\r\n
    = 103 | 204 | end | reusable
    # RFC 9112 §4: something else behind an informational response
    HTTP/1.1 100 Continue\r\n\r\n\^\r\nHTTP/1.1 204 \r\n\r\n
    = 100 Continue | error statusLine.notHTTP
    # RFC 9110 §15.2.2: 101 hands the connection over
    > upgrade
    HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n\x81\x05hello
    = 101 Switching Protocols | handover
    # RFC 9110 §15.2.2: 101 behind another informational response
    > upgrade
    HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 Switching Protocols\r\n\r\n
    = 100 Continue | 101 Switching Protocols | handover
    # RFC 9110 §15.2.2: 101 unasked
    HTTP/1.1 \^101 Switching Protocols\r\nUpgrade: x\r\n\r\n
    = error unsolicited.upgrade
    # RFC 9110 §15.2.2: an upgrade that was declined
    > upgrade
    HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok
    = 200 OK | body ok | end | reusable
    # RFC 9110 §9.3.6: 2xx to CONNECT opens the tunnel
    > CONNECT
    HTTP/1.1 200 Connection established\r\n\r\n\x16\x03\x01
    = 200 Connection established | handover
    # RFC 9112 §6.3: in a 2xx to CONNECT, framing is ignored
    > CONNECT
    HTTP/1.1 200 OK\r\nContent-Length: x\r\nTransfer-Encoding: y\r\n\r\n
    = 200 OK | handover
    # RFC 9110 §9.3.6: any 2xx opens it
    > CONNECT
    HTTP/1.1 204 No Content\r\n\r\n
    = 204 No Content | handover
    # RFC 9110 §9.3.6: 407 to CONNECT is a response like any other
    > CONNECT
    HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 2\r\n\r\nno
    = 407 Proxy Authentication Required | body no | end | reusable
    # RFC 9112 §9.3: HTTP/1.1 persists
    HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n
    = 200 OK | end | reusable
    # RFC 9112 §9.6: close ends the connection
    HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n
    = 200 OK | end | closing
    # RFC 9110 §7.6.1: options are case-blind
    HTTP/1.1 200 OK\r\nContent-Length: 0\r\nconnection: CLOSE\r\n\r\n
    = 200 OK | end | closing
    # RFC 9110 §7.6.1: close among other options
    HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: x , close\t,y\r\n\r\n
    = 200 OK | end | closing
    # RFC 9110 §5.6.1: close among empty elements
    HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: ,, close\r\n\r\n
    = 200 OK | end | closing
    # RFC 9110 §7.6.1: close on a second line
    HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\nConnection: close\r\n\r\n
    = 200 OK | end | closing
    # RFC 9112 §9.3: close outweighs keep-alive
    HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close, keep-alive\r\n\r\n
    = 200 OK | end | closing
    # RFC 9110 §7.6.1: an option that begins like close
    HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: closed, xclose\r\n\r\n
    = 200 OK | end | reusable
    # RFC 9112 §9.3: HTTP/1.0 does not persist
    HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n
    = 200 OK | end | closing
    # RFC 9112 §9.3: HTTP/1.0 persists when it says so
    HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: Keep-Alive\r\n\r\n
    = 200 OK | end | reusable
    # RFC 9112 §9.3: HTTP/1.0 that says both
    HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive, close\r\n\r\n
    = 200 OK | end | closing
    # RFC 9112 §9.3: HTTP/1.0 without a length ends with the connection
    > eof
    HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\nhello
    = 200 OK | body hello | end | closing
    # RFC 9112 §9.3: HTTP/1.0 that answers HEAD and stays
    > HEAD
    HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\n
    = 200 OK | end | reusable
    # RFC 9112 §9.6: the request said close
    > close
    HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n
    = 200 OK | end | closing
    # RFC 9112 §8: closed before the response
    > eof

    = error truncated.beforeResponse
    # RFC 9112 §8: closed within the status line
    > eof
    HTTP/1.1 20
    = error truncated.head
    # RFC 9112 §8: closed within the header section
    > eof
    HTTP/1.1 200 OK\r\nContent-Le
    = error truncated.head
    # RFC 9112 §8: closed behind an informational response
    > eof
    HTTP/1.1 100 Continue\r\n\r\n
    = 100 Continue | error truncated.head
    # RFC 9112 §8: closed within the content
    > eof
    HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel
    = 200 OK | body hel | error truncated.content(missing: 2)
    # RFC 9112 §8: closed before the content
    > eof
    HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n
    = 200 OK | error truncated.content(missing: 5)
    # RFC 9112 §8: closed within a chunk
    > eof
    HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel
    = 200 OK | body hel | error truncated.chunkedContent
    # RFC 9112 §8: closed within a chunk-size line
    > eof
    HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r
    = 200 OK | error truncated.chunkedContent
    # RFC 9112 §8: closed before the last chunk
    > eof
    HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n
    = 200 OK | body hello | error truncated.chunkedContent
    # RFC 9112 §8: closed before the last empty line
    > eof
    HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n
    = 200 OK | body hello | error truncated.trailers
    # RFC 9112 §8: closed within the trailers
    > eof
    HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX: y\r\n
    = 200 OK | body hello | error truncated.trailers
    # RFC 9112 §2.2: bare LF in a head, leniently
    > bareLineFeedInHead
    HTTP/1.1 200 OK\nX: a\nContent-Length: 2\r\n\nok
    = 200 OK | X: a | body ok | end | reusable
    # RFC 9112 §2.2: bare LF behind a status without phrase, leniently
    > bareLineFeedInHead
    HTTP/1.1 204\n\n
    = 204 | end | reusable
    # RFC 9112 §5.2: a fold behind a bare LF, leniently
    > bareLineFeedInHead
    HTTP/1.1 204 \nX: a\n b\n\n
    = 204 | X: a  b | end | reusable
    # RFC 9112 §2.2: bare CR is refused, leniently or not
    > bareLineFeedInHead
    HTTP/1.1 204 \nX: a\^\rb\n\n
    = error field.bareCarriageReturn
    # RFC 9112 §2.2: CR before the LF of an empty line is no fold
    > bareLineFeedInHead
    HTTP/1.1 204 \nX: a\n\r\n
    = 204 | X: a | end | reusable
    # nginx: a usual answer
    HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Thu, 20 Nov 2025 10:00:00 GMT\r\nContent-Type: text/html\r\n
    Content-Length: 5\r\nLast-Modified: Thu, 20 Nov 2025 09:00:00 GMT\r\nConnection: keep-alive\r\n
    ETag: "691edc90-5"\r\nAccept-Ranges: bytes\r\n\r\nhello
    = 200 OK | Server: nginx/1.22.1 | ETag: "691edc90-5" | Connection: keep-alive | body hello | end | reusable
    # Go: a usual chunked answer
    HTTP/1.1 200 OK\r\nDate: Thu, 20 Nov 2025 10:00:00 GMT\r\nContent-Type: text/plain; charset=utf-8\r\n
    Transfer-Encoding: chunked\r\n\r\n6\r\nhello\n\r\n0\r\n\r\n
    = 200 OK | Content-Type: text/plain; charset=utf-8 | body hello\n | end | reusable
    # Python's http.server: HTTP/1.0 until close
    > eof
    HTTP/1.0 200 OK\r\nServer: SimpleHTTP/0.6 Python/3.11.2\r\nContent-type: text/html; charset=utf-8\r\n\r\n<p>
    = 200 OK | Content-Type: text/html; charset=utf-8 | body <p> | end | closing
    """#

@Suite struct ResponsePropertyTests {
    private let reserved: Set<String> = ["content-length", "transfer-encoding", "connection", "trailer"]

    /// A valid response, with what a decoder must find in it.
    private func response(_ random: inout Generator) -> (bytes: [UInt8], fields: HeaderFields, content: [UInt8]) {
        let fields = random.fields(reserved)
        let content = random.bytes(upTo: 300)
        var bytes = Array("HTTP/1.1 200 \(random.value().filter { $0 != "\t" })\r\n".utf8)
        for field in fields {
            let before = random.pick(["", " ", "\t", "  "])
            let after = random.pick(["", " ", "\t "])
            bytes += Array("\(field.name):\(before)\(field.value)\(after)\r\n".utf8)
        }
        if random.below(2) == 0 {
            return (bytes + Array("Content-Length: \(content.count)\r\n\r\n".utf8) + content, fields, content)
        }
        bytes += Array("Transfer-Encoding: chunked\r\n\r\n".utf8)
        for piece in random.pieces(content, upTo: 40) {
            let padding = random.pick(["", "0", "000"])
            let blankExtension = random.pick(["", ";a", " ; b=c"])
            bytes += Array("\(padding)\(String(piece.count, radix: 16))\(blankExtension)\r\n".utf8) + piece + [13, 10]
        }
        return (bytes + Array("0\r\n\r\n".utf8), fields, content)
    }

    @Test(arguments: 0..<200) func `Any valid response is decoded to what it says`(seed: Int) throws {
        var random = Generator(seed: UInt64(seed))
        let response = response(&random)
        let transcript = ResponseScript().run(random.pieces(response.bytes, upTo: 1 + random.below(100)))
        #expect(transcript.error == nil)
        #expect(transcript.events.last == "reusable")
        let blanks: Set<Character> = [" ", "\t"]
        let expected = response.fields.map { field in
            var value = Substring(field.value)
            while let first = value.first, blanks.contains(first) { value.removeFirst() }
            while let last = value.last, blanks.contains(last) { value.removeLast() }
            return HeaderField(name: field.name, value: String(value))
        }
        #expect(transcript.heads.first.map { Array($0.dropLast()) } == expected)
        #expect(response.content.isEmpty || transcript.events.contains("body \(escaped(response.content))"))
    }

    @Test(arguments: 0..<200) func `Any response, however broken, is the same however it is cut`(seed: Int) {
        var random = Generator(seed: UInt64(seed))
        var bytes = response(&random).bytes
        for _ in 0..<random.below(4) {
            let place = random.below(bytes.count)
            switch random.below(4) {
            case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(random.pick([13, 10, 0, 32, 58]), at: place)
            case _: bytes.removeSubrange(place..<min(bytes.count, place + 20))
            }
        }
        var script = ResponseScript()
        script.closes = random.below(2) == 0
        if random.below(2) == 0 { script.leniency = [.bareLineFeedInHead, .chunkedInHTTP10] }
        let whole = script.run([bytes])
        #expect(script.run(bytes.map { [$0] }) == whole)
        for _ in 0..<10 {
            #expect(script.run(random.pieces(bytes, upTo: 1 + random.below(60))) == whole)
        }
    }
}
