// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("The chunked coding")
struct ChunkedDecoderTests {
    @Test("Every case gives its verdict, however it is cut", arguments: ResponseCase.parse(chunks, head: chunkedHead))
    func verdict(_ response: ResponseCase) {
        response.check()
    }
}

private let chunkedHead = #"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"#

private let chunks = #"""
    # RFC 9112 §7.1: one chunk
    5\r\nhello\r\n0\r\n\r\n
    = 200 OK | body hello | end | reusable
    # RFC 9112 §7.1: several chunks
    1\r\nh\r\n3\r\nell\r\n1\r\no\r\n0\r\n\r\n
    = 200 OK | body hello | end | reusable
    # RFC 9112 §7.1: no chunk but the last
    0\r\n\r\n
    = 200 OK | end | reusable
    # RFC 9112 §7.1: sizes in upper case
    A\r\n0123456789\r\n0\r\n\r\n
    = 200 OK | body 0123456789 | end | reusable
    # RFC 9112 §7.1: sizes in lower case
    a\r\n0123456789\r\n0\r\n\r\n
    = 200 OK | body 0123456789 | end | reusable
    # RFC 9112 §7.1: a size of two digits
    1f\r\n0123456789012345678901234567890\r\n0\r\n\r\n
    = 200 OK | body 0123456789012345678901234567890 | end | reusable
    # RFC 9112 §7.1: leading zeros
    0005\r\nhello\r\n0\r\n\r\n
    = 200 OK | body hello | end | reusable
    # RFC 9112 §7.1: more leading zeros than a number has digits
    00000000000000000000000000000005\r\nhello\r\n0\r\n\r\n
    = 200 OK | body hello | end | reusable
    # RFC 9112 §7.1: a last chunk of many zeros
    000000\r\n\r\n
    = 200 OK | end | reusable
    # RFC 9112 §7.1: data of any bytes
    4\r\n\r\n\0\xFF\r\n0\r\n\r\n
    = 200 OK | body \r\n\0\xFF | end | reusable
    # RFC 9112 §7.1: data that looks like the last chunk
    5\r\n0\r\n\r\n\r\n0\r\n\r\n
    = 200 OK | body 0\r\n\r\n | end | reusable
    # RFC 9112 §7.1.1: an extension
    5;a\r\nhello\r\n0\r\n\r\n
    = 200 OK | body hello | end | reusable
    # RFC 9112 §7.1.1: an extension with a value
    5;a=b\r\nhello\r\n0\r\n\r\n
    = 200 OK | body hello | end | reusable
    # RFC 9112 §7.1.1: several extensions
    5;a=b;c;d="e f"\r\nhello\r\n0;last\r\n\r\n
    = 200 OK | body hello | end | reusable
    # RFC 9112 §7.1.1: blanks around the semicolon
    5 \t; a = b\r\nhello\r\n0\r\n\r\n
    = 200 OK | body hello | end | reusable
    # RFC 9112 §7.1.1: a quoted semicolon
    5;a="b;c\\"d"\r\nhello\r\n0\r\n\r\n
    = 200 OK | body hello | end | reusable
    # RFC 9112 §7.1.1: a tab in an extension
    5;a="b\tc"\r\nhello\r\n0\r\n\r\n
    = 200 OK | body hello | end | reusable
    # RFC 9112 §7.1.1: obs-text in an extension
    5;a="\xE9"\r\nhello\r\n0\r\n\r\n
    = 200 OK | body hello | end | reusable
    # RFC 9112 §7.1.1: an extension longer than a block of the search
    5;abcdefghijklmnopqrstuvwxyz=0123456789\r\nhello\r\n0\r\n\r\n
    = 200 OK | body hello | end | reusable
    # RFC 9112 §7.1: no size
    \^\r\nhello\r\n0\r\n\r\n
    = 200 OK | error chunk.size
    # RFC 9112 §7.1: a size in letters
    \^g\r\nhello\r\n0\r\n\r\n
    = 200 OK | error chunk.size
    # RFC 9112 §7.1: a letter behind the size
    5\^g\r\nhello\r\n0\r\n\r\n
    = 200 OK | error chunk.size
    # RFC 9112 §7.1: a plus sign
    \^+5\r\nhello\r\n0\r\n\r\n
    = 200 OK | error chunk.size
    # RFC 9112 §7.1: a minus sign
    \^-5\r\nhello\r\n0\r\n\r\n
    = 200 OK | error chunk.size
    # RFC 9112 §7.1: a prefix
    0\^x5\r\nhello\r\n0\r\n\r\n
    = 200 OK | error chunk.size
    # RFC 9112 §7.1: a decimal point
    5\^.0\r\nhello\r\n0\r\n\r\n
    = 200 OK | error chunk.size
    # RFC 9112 §7.1: a comma
    5\^,5\r\nhello\r\n0\r\n\r\n
    = 200 OK | error chunk.size
    # RFC 9112 §7.1: an underscore
    1\^_0\r\nhello\r\n0\r\n\r\n
    = 200 OK | error chunk.size
    # RFC 9112 §7.1: a space before the size
    \^ 5\r\nhello\r\n0\r\n\r\n
    = 200 OK | error chunk.size
    # RFC 9112 §7.1: a tab before the size
    \^\t5\r\nhello\r\n0\r\n\r\n
    = 200 OK | error chunk.size
    # RFC 9112 §7.1: an extension without a size
    \^;a=b\r\nhello\r\n0\r\n\r\n
    = 200 OK | error chunk.size
    # RFC 9112 §7.1: NUL for a size
    \^\0\r\nhello\r\n0\r\n\r\n
    = 200 OK | error chunk.size
    # RFC 9112 §7.1: NUL behind the size
    5\^\0\r\nhello\r\n0\r\n\r\n
    = 200 OK | error chunk.size
    # RFC 9112 §7.1: digits that are not ASCII
    \^\xD9\xA5\r\nhello\r\n0\r\n\r\n
    = 200 OK | error chunk.size
    # RFC 9112 §7.1: the largest size
    7fffffffffffffff\r\nx
    = 200 OK | body x | more
    # RFC 9112 §7.1: one more
    800000000000000\^0\r\nx
    = 200 OK | error chunk.sizeOverflow
    # RFC 9112 §7.1: all 64 bits
    fffffffffffffff\^f\r\nx
    = 200 OK | error chunk.sizeOverflow
    # RFC 9112 §7.1: seventeen digits
    FFFFFFFFFFFFFFF\^FF\r\nx
    = 200 OK | error chunk.sizeOverflow
    # RFC 9112 §7.1: two to the 64th and five
    1000000000000000\^5\r\nhello\r\n0\r\n\r\n
    = 200 OK | error chunk.sizeOverflow
    # RFC 9112 §7.1: bare LF behind the size
    5\^\nhello\r\n0\r\n\r\n
    = 200 OK | error chunk.bareLineFeed
    # RFC 9112 §7.1: bare LF behind the last size
    0\^\n\r\n
    = 200 OK | error chunk.bareLineFeed
    # RFC 9112 §7.1: bare LF is no leniency, not even with one for heads
    > bareLineFeedInHead
    5\^\nhello\r\n0\r\n\r\n
    = 200 OK | error chunk.bareLineFeed
    # RFC 9112 §7.1: bare CR behind the size
    5\^\rhello\r\n0\r\n\r\n
    = 200 OK | error chunk.bareCarriageReturn
    # RFC 9112 §7.1: CR CR LF behind the size
    5\^\r\r\nhello\r\n0\r\n\r\n
    = 200 OK | error chunk.bareCarriageReturn
    # RFC 9112 §7.1.1: bare LF in an extension
    5;a\^\nhello\r\n0\r\n\r\n
    = 200 OK | error chunk.bareLineFeed
    # RFC 9112 §7.1.1: bare LF in a quoted extension
    5;a="\^\n"\r\nhello\r\n0\r\n\r\n
    = 200 OK | error chunk.bareLineFeed
    # RFC 9112 §7.1.1: bare CR in an extension
    5;a\^\rb\r\nhello\r\n0\r\n\r\n
    = 200 OK | error chunk.bareCarriageReturn
    # RFC 9112 §7.1.1: NUL in an extension
    5;a\^\0\r\nhello\r\n0\r\n\r\n
    = 200 OK | error chunk.chunkExtension
    # RFC 9112 §7.1.1: a control character in an extension
    5;a\^\x01\r\nhello\r\n0\r\n\r\n
    = 200 OK | error chunk.chunkExtension
    # RFC 9112 §7.1: data is longer than its size
    5\r\nhello\^x\r\n0\r\n\r\n
    = 200 OK | body hello | error chunk.dataEnd
    # RFC 9112 §7.1: data is shorter than its size
    6\r\nhello\r\^\n0\r\n\r\n
    = 200 OK | body hello\r | error chunk.dataEnd
    # RFC 9112 §7.1: bare LF behind data
    5\r\nhello\^\n0\r\n\r\n
    = 200 OK | body hello | error chunk.dataEnd
    # RFC 9112 §7.1: bare CR behind data
    5\r\nhello\r\^0\r\n\r\n
    = 200 OK | body hello | error chunk.dataEnd
    # RFC 9112 §7.1: nothing behind data
    5\r\nhello\^0\r\n\r\n
    = 200 OK | body hello | error chunk.dataEnd
    # RFC 9112 §7.1: two bytes behind data that are no line end
    5\r\nhello\^XX0\r\n\r\n
    = 200 OK | body hello | error chunk.dataEnd
    # RFC 9112 §7.1: an empty line between chunks
    5\r\nhello\r\n\^\r\n0\r\n\r\n
    = 200 OK | body hello | error chunk.size
    # RFC 9112 §7.1: bare LF for the last empty line
    0\r\n\^\n
    = 200 OK | error field.bareLineFeed
    # RFC 9112 §7.1: bare LF for the last empty line, not even leniently
    > bareLineFeedInHead
    0\r\n\^\n
    = 200 OK | error field.bareLineFeed
    # RFC 9112 §7.1: a half-read size
    5
    = 200 OK | more
    # RFC 9112 §7.1: a size whose line is half-read
    5\r
    = 200 OK | more
    # RFC 9112 §7.1: half the data
    5\r\nhel
    = 200 OK | body hel | more
    # RFC 9112 §7.1: the data, and no line end
    5\r\nhello
    = 200 OK | body hello | more
    # RFC 9112 §7.1: the data, and half the line end
    5\r\nhello\r
    = 200 OK | body hello | more
    # RFC 9112 §7.1: no last chunk
    5\r\nhello\r\n
    = 200 OK | body hello | more
    # RFC 9112 §7.1: no last empty line
    5\r\nhello\r\n0\r\n
    = 200 OK | body hello | more
    # RFC 9112 §7.1: half the last empty line
    5\r\nhello\r\n0\r\n\r
    = 200 OK | body hello | more
    # RFC 9112 §7.1: something behind the end
    5\r\nhello\r\n0\r\n\r\nX
    = 200 OK | body hello | end | leftover
    # RFC 9112 §7.1: a second end behind the end
    5\r\nhello\r\n0\r\n\r\n0\r\n\r\n
    = 200 OK | body hello | end | leftover
    # RFC 9112 §7.1: padded sizes, as old servers send them
    5   \r\nhello\r\n0 \t \r\n\r\n
    = 200 OK | body hello | end | reusable
    # RFC 9112 §7.1: padding is no licence for a second size
    5 \^5\r\nhello\r\n0\r\n\r\n
    = 200 OK | error chunk.chunkExtension
    # RFC 9112 §7.1: padding is no licence for bare LF
    5 \^\nhello\r\n0\r\n\r\n
    = 200 OK | error chunk.bareLineFeed
    # RFC 9112 §7.1: padding is no licence for bare CR
    5 \^\r5\r\nhello\r\n0\r\n\r\n
    = 200 OK | error chunk.bareCarriageReturn
    # RFC 9112 §7.1: padding is spaces and tabs, and no other blank
    5 \^\x0B\r\nhello\r\n0\r\n\r\n
    = 200 OK | error chunk.chunkExtension
    # RFC 9112 §7.1: padding counts as part of the line
    > maximumChunkLineSize=4
    5   \^ \r\nhello\r\n0\r\n\r\n
    = 200 OK | error limit.chunkLineSize
    # RFC 9112 §7.1.2: a trailer
    5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n
    = 200 OK | body hello | end | trailer X-Sum: 1 | reusable
    # RFC 9112 §7.1.2: several trailers, in order and with repeats
    0\r\nB: 1\r\nA: 2\r\nB: 3\r\n\r\n
    = 200 OK | end | trailer B: 1 | trailer A: 2 | trailer B: 3 | reusable
    # RFC 9112 §5.2: a folded trailer
    0\r\nX: a\r\n b\r\n\r\n
    = 200 OK | end | trailer X: a   b | reusable
    # RFC 9112 §7.1.2: trailers do not become header fields
    0\r\nX: late\r\n\r\n
    = 200 OK | Transfer-Encoding: chunked | end | trailer X: late | reusable
    # RFC 9112 §7.1.2: half a trailer
    0\r\nX: a\r\n
    = 200 OK | more
    # RFC 9110 §6.5.1: Content-Length is no trailer, and ends nothing
    0\r\nContent-Length: 5\r\n\r\n
    = 200 OK | end | discarded Content-Length: 5 | reusable
    # RFC 9110 §6.5.1: nor if it is no number
    5\r\nhello\r\n0\r\nContent-Length: -1, x\r\n\r\n
    = 200 OK | body hello | end | discarded Content-Length: -1, x | reusable
    # RFC 9110 §6.5.1: Transfer-Encoding is no trailer, whatever its case
    0\r\ntransfer-encoding: chunked\r\n\r\n
    = 200 OK | end | discarded transfer-encoding: chunked | reusable
    # RFC 9110 §6.5.1: Host is no trailer
    0\r\nHost: a\r\n\r\n
    = 200 OK | end | discarded Host: a | reusable
    # RFC 9110 §6.5.1: Set-Cookie is no trailer, and sets no cookie
    0\r\nSet-Cookie: a=b\r\nSet-Cookie: c=d\r\n\r\n
    = 200 OK | end | discarded Set-Cookie: a=b | discarded Set-Cookie: c=d | reusable
    # RFC 9110 §6.5.1: Connection is no trailer, and closes nothing
    0\r\nX: y\r\nConnection: close\r\n\r\n
    = 200 OK | end | trailer X: y | discarded Connection: close | reusable
    # RFC 9110 §6.5.1: Keep-Alive is no trailer, and keeps nothing
    > close
    0\r\nConnection: keep-alive\r\nKeep-Alive: timeout=9\r\n\r\n
    = 200 OK | end | discarded Connection: keep-alive | discarded Keep-Alive: timeout=9 | closing
    # RFC 9110 §6.5.1: Content-Encoding is no trailer
    0\r\nContent-Encoding: gzip\r\n\r\n
    = 200 OK | end | discarded Content-Encoding: gzip | reusable
    # RFC 9110 §6.5.1: WWW-Authenticate is no trailer, nor is Authorization
    0\r\nWWW-Authenticate: Basic\r\nAuthorization: Basic eA==\r\n\r\n
    = 200 OK | end | discarded WWW-Authenticate: Basic | discarded Authorization: Basic eA== | reusable
    # RFC 9110 §6.5.1: Trailer is no trailer
    0\r\nTrailer: X\r\nX: y\r\n\r\n
    = 200 OK | end | trailer X: y | discarded Trailer: X | reusable
    # RFC 9110 §6.5.1: what is a trailer keeps its order around what is none
    0\r\nB: 1\r\nVary: *\r\nA: 2\r\nTE: x\r\nB: 3\r\n\r\n
    = 200 OK | end | trailer B: 1 | trailer A: 2 | trailer B: 3 | discarded Vary: * | discarded TE: x | reusable
    # RFC 9112 §7.1.2: a discarded trailer does not become a header field
    0\r\nTransfer-Encoding: gzip\r\n\r\n
    = 200 OK | Transfer-Encoding: chunked | end | discarded Transfer-Encoding: gzip | reusable
    # RFC 9110 §6.5.1: a name that begins like one of these is a trailer
    0\r\nConnection-Id: 7\r\nHos: a\r\nX-Set-Cookie: b\r\n\r\n
    = 200 OK | end | trailer Connection-Id: 7 | trailer Hos: a | trailer X-Set-Cookie: b | reusable
    # RFC 9112 §5.2: what is discarded may be folded
    0\r\nSet-Cookie: a\r\n b\r\nX: y\r\n\r\n
    = 200 OK | end | trailer X: y | discarded Set-Cookie: a   b | reusable
    # RFC 9112 §5.2: a framing field is not unfolded, wherever it stands
    0\r\nContent-Length: 5\r\n\^ 6\r\n\r\n
    = 200 OK | error framing.folded
    # RFC 9112 §5.1: what is discarded has to be a field first
    0\r\nSet-Cookie \^: a\r\n\r\n
    = 200 OK | error field.spaceBeforeColon
    # RFC 9110 §5.5: NUL in what would be discarded
    0\r\nSet-Cookie: a\^\0\r\n\r\n
    = 200 OK | error field.value
    # RFC 9112 §6.3: bytes behind a discarded trailer are none of the response's
    0\r\nContent-Length: 5\r\n\r\nhello
    = 200 OK | end | discarded Content-Length: 5 | leftover
    # RFC 9112 §5.1: a space before a trailer's colon
    0\r\nX \^: a\r\n\r\n
    = 200 OK | error field.spaceBeforeColon
    # RFC 9112 §2.2: bare CR in a trailer
    0\r\nX: a\^\rb\r\n\r\n
    = 200 OK | error field.bareCarriageReturn
    # RFC 9112 §2.1: bare LF in a trailer, leniency or not
    > bareLineFeedInHead
    0\r\nX: a\^\n\r\n
    = 200 OK | error field.bareLineFeed
    # RFC 9110 §5.5: NUL in a trailer
    0\r\nX: a\^\0\r\n\r\n
    = 200 OK | error field.value
    # RFC 9112 §2.2: a blank before the first trailer
    0\r\n\^ X: a\r\n\r\n
    = 200 OK | error field.leadingWhitespace
    """#
