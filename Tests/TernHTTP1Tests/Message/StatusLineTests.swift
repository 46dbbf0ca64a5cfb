// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("Status lines")
struct StatusLineTests {
    @Test("Every case gives its verdict, however it is cut", arguments: ResponseCase.parse(statusLines))
    func verdict(_ response: ResponseCase) {
        response.check()
    }
}

private let statusLines = #"""
    # RFC 9112 §4: version, status, reason
    HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n
    = 200 OK | end | reusable
    # RFC 9112 §4: the reason phrase may be empty
    HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n
    = 200 | end | reusable
    # RFC 9112 §4: the space before an empty reason phrase is missed by no one
    HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n
    = 200 | end | reusable
    # RFC 9112 §4: a reason phrase of several words
    HTTP/1.1 404 Not Found Here\r\nContent-Length: 0\r\n\r\n
    = 404 Not Found Here | end | reusable
    # RFC 9112 §4: a reason phrase with a tab
    HTTP/1.1 200 a\tb\r\nContent-Length: 0\r\n\r\n
    = 200 a\tb | end | reusable
    # RFC 9112 §4: a reason phrase in UTF-8 is obs-text
    HTTP/1.1 200 \xC3\xA9\r\nContent-Length: 0\r\n\r\n
    = 200 \xC3\xA9 | end | reusable
    # RFC 9112 §4: a reason phrase in ISO-8859-1 is obs-text
    HTTP/1.1 200 \xE9\r\nContent-Length: 0\r\n\r\n
    = 200 \xC3\xA9 | end | reusable
    # RFC 9112 §4: a client ignores what the reason phrase says, control characters too
    HTTP/1.1 200 a\x01\r\nContent-Length: 0\r\n\r\n
    = 200 a\x01 | end | reusable
    # RFC 9112 §4: the reason phrase may contradict the status
    HTTP/1.1 500 OK\r\nContent-Length: 0\r\n\r\n
    = 500 OK | end | reusable
    # RFC 9112 §4: more spaces belong to the reason phrase
    HTTP/1.1 200  OK\r\nContent-Length: 0\r\n\r\n
    = 200  OK | end | reusable
    # RFC 9110 §15: 599 is the last status of a class
    HTTP/1.1 599 x\r\nContent-Length: 0\r\n\r\n
    = 599 x | end | reusable
    # RFC 9110 §15: a status of no class is handed on, to be treated as 5xx
    HTTP/1.1 999 x\r\nContent-Length: 0\r\n\r\n
    = 999 x | end | reusable
    # RFC 9110 §15: a status below 100 is of no class either
    HTTP/1.1 099 x\r\nContent-Length: 0\r\n\r\n
    = 99 x | end | reusable
    # RFC 9110 §15: an unknown status of a known class
    HTTP/1.1 299 x\r\nContent-Length: 0\r\n\r\n
    = 299 x | end | reusable
    # RFC 9110 §6.2: a higher minor version is read as the highest one known
    HTTP/1.2 200 OK\r\nContent-Length: 0\r\n\r\n
    = 200 OK | end | reusable
    # RFC 9110 §6.2: the highest minor version
    HTTP/1.9 200 OK\r\nContent-Length: 0\r\n\r\n
    = 200 OK | end | reusable
    # RFC 9110 §2.5: another major version has another syntax
    HTTP/\^2.0 200 OK\r\nContent-Length: 0\r\n\r\n
    = error statusLine.unsupportedVersion
    # RFC 9110 §2.5: HTTP/0.9 has no status line
    HTTP/\^0.9 200 OK\r\n\r\n
    = error statusLine.unsupportedVersion
    # RFC 9110 §2.5: HTTP/3 over TCP
    HTTP/\^3.0 200 OK\r\n\r\n
    = error statusLine.unsupportedVersion
    # RFC 9112 §2.3: a version is two digits
    HTTP/1\^ 200 OK\r\n\r\n
    = error statusLine.version
    # RFC 9112 §2.3: a minor version of two digits
    HTTP/1.1\^0 200 OK\r\n\r\n
    = error statusLine.version
    # RFC 9112 §2.3: a major version of two digits
    HTTP/1\^1.1 200 OK\r\n\r\n
    = error statusLine.version
    # RFC 9112 §2.3: a version with a comma
    HTTP/1\^,1 200 OK\r\n\r\n
    = error statusLine.version
    # RFC 9112 §2.3: a version without its major number
    HTTP/\^.1 200 OK\r\n\r\n
    = error statusLine.version
    # RFC 9112 §2.3: a version without its minor number
    HTTP/1.\^ 200 OK\r\n\r\n
    = error statusLine.version
    # RFC 9112 §2.3: a signed version
    HTTP/\^+1.1 200 OK\r\n\r\n
    = error statusLine.version
    # RFC 9112 §2.3: a version in letters
    HTTP/\^x.1 200 OK\r\n\r\n
    = error statusLine.version
    # RFC 9112 §2.3: a space within the name
    HTTP\^ /1.1 200 OK\r\n\r\n
    = error statusLine.notHTTP
    # RFC 9112 §2.3: the name is case-sensitive
    \^http/1.1 200 OK\r\n\r\n
    = error statusLine.notHTTP
    # RFC 9112 §2.3: mixed case
    H\^ttp/1.1 200 OK\r\n\r\n
    = error statusLine.notHTTP
    # RFC 9112 §2.3: a longer name
    HTTP\^S/1.1 200 OK\r\n\r\n
    = error statusLine.notHTTP
    # RFC 9112 §2.3: SHOUTcast
    \^ICY 200 OK\r\n\r\n
    = error statusLine.notHTTP
    # RFC 9112 §2.3: SSH
    \^SSH-2.0-OpenSSH_9.2\r\n
    = error statusLine.notHTTP
    # RFC 9112 §2.3: a TLS alert to a plain request
    \^\x15\x03\x01\x00\x02\x02\x46
    = error statusLine.notHTTP
    # RFC 9112 §2.3: HTTP/0.9, which is nothing but content
    \^<html>hello</html>
    = error statusLine.notHTTP
    # RFC 9113 §3.4: an HTTP/2 settings frame
    \^\x00\x00\x12\x04\x00\x00\x00\x00\x00
    = error statusLine.notHTTP
    # RFC 9112 §3: a request instead of a response
    \^GET / HTTP/1.1\r\nHost: a\r\n\r\n
    = error statusLine.notHTTP
    # RFC 9112 §2.2: only servers pass over an empty line before a message
    \^\r\nHTTP/1.1 200 OK\r\n\r\n
    = error statusLine.notHTTP
    # RFC 9112 §2.2: no space before the status line
    \^ HTTP/1.1 200 OK\r\n\r\n
    = error statusLine.notHTTP
    # RFC 9112 §2.2: no byte order mark before the status line
    \^\xEF\xBB\xBFHTTP/1.1 200 OK\r\n\r\n
    = error statusLine.notHTTP
    # RFC 9112 §4: no status
    HTTP/1.1 \^\r\n\r\n
    = error statusLine.status
    # RFC 9112 §4: no status, and no space
    HTTP/1.1\^\r\n\r\n
    = error statusLine.version
    # RFC 9112 §4: a tab before the status
    HTTP/1.1\^\t200 OK\r\n\r\n
    = error statusLine.version
    # RFC 9112 §4: two spaces before the status
    HTTP/1.1 \^ 200 OK\r\n\r\n
    = error statusLine.status
    # RFC 9112 §4: one digit
    HTTP/1.1 2\^ OK\r\n\r\n
    = error statusLine.status
    # RFC 9112 §4: two digits
    HTTP/1.1 20\^ OK\r\n\r\n
    = error statusLine.status
    # RFC 9112 §4: two digits and the line's end
    HTTP/1.1 20\^\r\n\r\n
    = error statusLine.status
    # RFC 9112 §4: four digits
    HTTP/1.1 200\^0 OK\r\n\r\n
    = error statusLine.status
    # RFC 9112 §4: a letter behind the digits
    HTTP/1.1 200\^OK\r\n\r\n
    = error statusLine.status
    # RFC 9112 §4: a tab behind the digits
    HTTP/1.1 200\^\tOK\r\n\r\n
    = error statusLine.status
    # RFC 9112 §4: a hexadecimal status
    HTTP/1.1 2\^aa OK\r\n\r\n
    = error statusLine.status
    # RFC 9112 §4: a negative status
    HTTP/1.1 \^-20 OK\r\n\r\n
    = error statusLine.status
    # RFC 9112 §4: a status with a sign
    HTTP/1.1 \^+200 OK\r\n\r\n
    = error statusLine.status
    # RFC 9112 §4: a status in words
    HTTP/1.1 \^OK\r\n\r\n
    = error statusLine.status
    # RFC 9112 §4: digits that are not ASCII
    HTTP/1.1 \^\xD9\xA2\xD9\xA0\xD9\xA0 OK\r\n\r\n
    = error statusLine.status
    # RFC 9112 §4: NUL in the reason phrase
    HTTP/1.1 200 O\^\0K\r\n\r\n
    = error statusLine.reasonPhrase
    # RFC 9112 §2.2: bare CR in the reason phrase
    HTTP/1.1 200 O\^\rK\r\n\r\n
    = error statusLine.bareCarriageReturn
    # RFC 9112 §2.2: CR CR LF
    HTTP/1.1 200 OK\^\r\r\n\r\n
    = error statusLine.bareCarriageReturn
    # RFC 9112 §2.1: bare LF behind the reason phrase
    HTTP/1.1 200 OK\^\n\r\n
    = error statusLine.bareLineFeed
    # RFC 9112 §2.1: bare LF behind the status
    HTTP/1.1 200\^\n\r\n
    = error statusLine.bareLineFeed
    # RFC 9112 §2.1: LF within the version
    HTTP/1\^\n.1 200 OK\r\n\r\n
    = error statusLine.version
    # RFC 9112 §2.2: a status line and no more
    HTTP/1.1 200 OK\r\n
    = more
    # RFC 9112 §2.2: half a status line
    HTTP/1.1 20
    = more
    # RFC 9112 §2.2: nothing

    = more
    """#
