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
            #"a space precedes a field's colon (RFC 9112 §5.1), at byte 32: "Content-Length :""#
        ),
        (
            #"HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n"#,
            #"the Content-Length is not a decimal number (RFC 9112 §6.3), at byte 33: "Content-Length: +5""#
        ),
        (
            #"\x15\x03\x01\x00\x02"#, #"the response begins with "\x15", not with "HTTP/" (RFC 9112 §2.3)"#
        ),
        (
            #"HTTP/1.1 200 OK\r\nSet-Cookie: secret=1\0; Path=/\r\n\r\n"#,
            #"a field value contains NUL (RFC 9110 §5.5), at byte 37: "Set-Cookie:…\x00""#
        ),
        (
            #"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\n"#,
            #"a chunk-size line ends with LF alone (RFC 9112 §7.1), at byte 48: "5\n""#
        ),
        (#"SSH-2.0-OpenSSH_9.2p1\r\n"#, #"the response begins with "S", not with "HTTP/" (RFC 9112 §2.3)"#),
        (
            #"HTTP/1.1 20x OK\r\n\r\n"#,
            #"the status is not three digits and a space (RFC 9112 §4), at byte 11: "HTTP/1.1 20x""#
        ),
    ])
    func `An error names what is wrong, its place and what stood there`(input: String, expected: String) {
        #expect(error(input)?.description == expected)
    }

    /// Each message says what is, not what should be: read aloud behind "The response breaks HTTP/1.1:", it is true.
    private static let table: [(HTTPProtocolError.Reason, String, String)] = [
        (.statusLine(.notHTTP), #"the response does not begin with "HTTP/""#, "RFC 9112 §2.3"),
        (.statusLine(.version), "the version is not digit, dot, digit and a space", "RFC 9112 §2.3"),
        (.statusLine(.unsupportedVersion), "the major version is not 1", "RFC 9110 §2.5"),
        (.statusLine(.status), "the status is not three digits and a space", "RFC 9112 §4"),
        (.statusLine(.reasonPhrase), "the reason phrase contains NUL", "RFC 9112 §4"),
        (.statusLine(.bareCarriageReturn), "a CR in the status line has no LF behind it", "RFC 9112 §2.2"),
        (.statusLine(.bareLineFeed), "the status line ends with LF alone", "RFC 9112 §2.1"),
        (.field(.emptyName), "a field has no name", "RFC 9110 §5.1"),
        (.field(.name), "a field name contains a byte that is not allowed", "RFC 9110 §5.1"),
        (.field(.spaceBeforeColon), "a space precedes a field's colon", "RFC 9112 §5.1"),
        (.field(.missingColon), "a field line has no colon", "RFC 9112 §5"),
        (.field(.value), "a field value contains NUL", "RFC 9110 §5.5"),
        (.field(.bareCarriageReturn), "a CR in a field line has no LF behind it", "RFC 9112 §2.2"),
        (.field(.bareLineFeed), "a field line ends with LF alone", "RFC 9112 §2.1"),
        (.field(.leadingWhitespace), "the first field line begins with a space", "RFC 9112 §2.2"),
        (.framing(.lengthAndTransferEncoding), "there is a Content-Length beside Transfer-Encoding", "RFC 9112 §6.2"),
        (.framing(.length), "the Content-Length is not a decimal number", "RFC 9112 §6.3"),
        (.framing(.lengthOverflow), "the Content-Length does not fit in 63 bits", "RFC 9110 §8.6"),
        (.framing(.differingLengths), "there are Content-Lengths that differ", "RFC 9112 §6.3"),
        (.framing(.transferCoding), "the Transfer-Encoding is not one chunked", "RFC 9112 §6.1"),
        (.framing(.transferEncodingInHTTP10), "an HTTP/1.0 message has Transfer-Encoding", "RFC 9112 §6.1"),
        (.framing(.folded), "a framing field is continued on a second line", "RFC 9112 §5.2"),
        (.chunk(.size), "a chunk size is not a hexadecimal number", "RFC 9112 §7.1"),
        (.chunk(.sizeOverflow), "a chunk size does not fit in 63 bits", "RFC 9112 §7.1"),
        (.chunk(.chunkExtension), "what follows a chunk size is no extension", "RFC 9112 §7.1.1"),
        (.chunk(.bareCarriageReturn), "a CR in a chunk-size line has no LF behind it", "RFC 9112 §2.2"),
        (.chunk(.bareLineFeed), "a chunk-size line ends with LF alone", "RFC 9112 §7.1"),
        (.chunk(.dataEnd), "no CRLF follows chunk data", "RFC 9112 §7.1"),
        (.limit(.statusLineSize), "the status line is too long", "ParsingLimits.maximumStatusLineSize"),
        (.limit(.fieldCount), "the header section has too many fields", "ParsingLimits.maximumFieldCount"),
        (.limit(.fieldLineSize), "a field line is too long", "ParsingLimits.maximumFieldLineSize"),
        (.limit(.fieldSectionSize), "the header section is too long", "ParsingLimits.maximumFieldSectionSize"),
        (.limit(.chunkLineSize), "a chunk-size line is too long", "ParsingLimits.maximumChunkLineSize"),
        (.limit(.chunkOverhead), "the chunk framing is out of proportion", "ParsingLimits.maximumChunkOverheadRatio"),
        (.limit(.trailerCount), "the trailer section has too many fields", "ParsingLimits.maximumTrailerCount"),
        (.limit(.trailerSectionSize), "the trailer section is too long", "ParsingLimits.maximumTrailerSectionSize"),
        (
            .limit(.informationalResponseCount), "too many informational responses came first",
            "ParsingLimits.maximumInformationalResponseCount"
        ),
        (.truncated(.beforeResponse), "the peer closed before its response", "RFC 9112 §8"),
        (.truncated(.head), "the peer closed within its response head", "RFC 9112 §8"),
        (.truncated(.content(missing: 3)), "the peer closed 3 bytes before the end of content", "RFC 9112 §8"),
        (.truncated(.chunkedContent), "the peer closed before the last chunk", "RFC 9112 §8"),
        (.truncated(.trailers), "the peer closed within its trailers", "RFC 9112 §8"),
        (.unsolicited(.bytes), "the server sent bytes that answer no request", "RFC 9112 §9.2"),
        (.unsolicited(.upgrade), "101 answers a request without Upgrade", "RFC 9110 §15.2.2"),
        (.request(.method), "the method is not a token", "RFC 9110 §9.1"),
        (.request(.target), "the request target is not visible ASCII of its form", "RFC 9112 §3.2"),
        (.request(.targetForm), "the form of the request target does not fit the method", "RFC 9112 §3.2"),
        (.request(.host), "the Host is no host, or there are several", "RFC 9110 §7.2"),
        (.request(.fieldName), "a field name is not a token", "RFC 9110 §5.1"),
        (.request(.fieldValue), "a field value contains a control character", "RFC 9110 §5.5"),
        (.request(.forbiddenTrailer), "the field is not allowed as a trailer", "RFC 9110 §6.5.1"),
        (.request(.trailersWithoutChunked), "there are trailers, and the content is not chunked", "RFC 9112 §7.1.2"),
        (.request(.framingField), "a framing field disagrees with the body", "RFC 9112 §6.2"),
        (.request(.negativeLength), "the content length is negative", "RFC 9110 §8.6"),
        (.request(.contentForbidden), "a CONNECT or TRACE request has content", "RFC 9110 §9.3.6"),
        (.request(.expectationWithoutContent), "a request without content expects 100 (Continue)", "RFC 9110 §10.1.1"),
        (.request(.tooMuchContent(excess: 3)), "content is 3 bytes longer than announced", "RFC 9110 §8.6"),
        (.request(.tooLittleContent(missing: 3)), "content is 3 bytes shorter than announced", "RFC 9110 §8.6"),
        (.misuse(.notReusable), "the exchange before is not complete, or was the last one", "RFC 9112 §9.3"),
        (.misuse(.nothingToSend), "no request head has announced this content", "RFC 9112 §6"),
        (.misuse(.failed), "the exchange has failed before", "RFC 9112 §9.5"),
    ]

    @Test func `Every message says what is wrong`() {
        for (reason, rule, source) in Self.table {
            #expect(reason.rule == rule && reason.source == source)
        }
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
