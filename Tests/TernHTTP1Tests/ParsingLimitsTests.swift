// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("Limits, at them and one past them")
struct ParsingLimitsTests {
    @Test("Every case gives its verdict, however it is cut", arguments: ResponseCase.parse(limits))
    func verdict(_ response: ResponseCase) {
        response.check()
    }
}

private let limits = #"""
    # Limits.statusLineBytes: at the limit
    > statusLineBytes=20
    HTTP/1.1 200 1234567\r\nContent-Length: 0\r\n\r\n
    = 200 1234567 | end | reusable
    # Limits.statusLineBytes: one past it
    > statusLineBytes=20
    HTTP/1.1 200 1234567\^8\r\nContent-Length: 0\r\n\r\n
    = error limit.statusLineBytes
    # Limits.statusLineBytes: far past it, and no end in sight
    > statusLineBytes=20
    HTTP/1.1 200 1234567\^890123456789
    = error limit.statusLineBytes
    # Limits.statusLineBytes: an end is still possible
    > statusLineBytes=20
    HTTP/1.1 200 1234567\r
    = more
    # Limits.statusLineBytes: no end is possible
    > statusLineBytes=20
    HTTP/1.1 200 1234567\^89
    = error limit.statusLineBytes
    # Limits.statusLineBytes: a broken rule within the limit comes first
    > statusLineBytes=20
    HTTP/1.1 2\^x 12345678901234567890\r\n\r\n
    = error statusLine.status
    # Limits.statusLineBytes: a broken rule past the limit does not
    > statusLineBytes=20
    HTTP/1.1 200 1234567\^8\0\r\n\r\n
    = error limit.statusLineBytes
    # Limits.statusLineBytes: a limit of nothing
    > statusLineBytes=0
    \^HTTP/1.1 200 OK\r\n\r\n
    = error limit.statusLineBytes
    # Limits.fieldLineBytes: at the limit
    > fieldLineBytes=10
    HTTP/1.1 204 \r\nX: 4567890\r\n\r\n
    = 204 | X: 4567890 | end | reusable
    # Limits.fieldLineBytes: one past it
    > fieldLineBytes=10
    HTTP/1.1 204 \r\nX: 4567890\^1\r\n\r\n
    = error limit.fieldLineBytes
    # Limits.fieldLineBytes: blanks count
    > fieldLineBytes=10
    HTTP/1.1 204 \r\nX:        \^ \r\n\r\n
    = error limit.fieldLineBytes
    # Limits.fieldLineBytes: a name past it
    > fieldLineBytes=10
    HTTP/1.1 204 \r\n1234567890\^1: x\r\n\r\n
    = error limit.fieldLineBytes
    # Limits.fieldLineBytes: no end in sight
    > fieldLineBytes=10
    HTTP/1.1 204 \r\nX: 4567890\^12345678
    = error limit.fieldLineBytes
    # Limits.fieldLineBytes: an end is still possible
    > fieldLineBytes=10
    HTTP/1.1 204 \r\nX: 4567890\r
    = more
    # Limits.fieldLineBytes: a broken rule within the limit comes first
    > fieldLineBytes=10
    HTTP/1.1 204 \r\nX \^: 4567890123\r\n\r\n
    = error field.spaceBeforeColon
    # Limits.fieldLineBytes: and before the line's end is known
    > fieldLineBytes=10
    HTTP/1.1 204 \r\nX \^: 4567890123
    = error field.spaceBeforeColon
    # Limits.fieldLineBytes: a broken rule past the limit does not
    > fieldLineBytes=10
    HTTP/1.1 204 \r\nX: 4567890\^1\r3\r\n\r\n
    = error limit.fieldLineBytes
    # Limits.fieldLineBytes: a broken rule at the limit
    > fieldLineBytes=10
    HTTP/1.1 204 \r\nX: 4567890\^\r3\r\n\r\n
    = error field.bareCarriageReturn
    # Limits.fieldLineBytes: blanks before a colon past the limit
    > fieldLineBytes=10
    HTTP/1.1 204 \r\nX         \^ : y\r\n\r\n
    = error limit.fieldLineBytes
    # Limits.fieldLineBytes: a continuation has its own
    > fieldLineBytes=10
    HTTP/1.1 204 \r\nX: 4567890\r\n 234567890\r\n\r\n
    = 204 | X: 4567890   234567890 | end | reusable
    # Limits.fieldLineBytes: a continuation past it
    > fieldLineBytes=10
    HTTP/1.1 204 \r\nX: 4567890\r\n 234567890\^1\r\n\r\n
    = error limit.fieldLineBytes
    # Limits.fieldLineBytes: nothing but the empty line
    > fieldLineBytes=0
    HTTP/1.1 204 \r\n\r\n
    = 204 | end | reusable
    # Limits.fieldCount: at the limit
    > fieldCount=2
    HTTP/1.1 204 \r\nA: 1\r\nB: 2\r\n\r\n
    = 204 | B: 2 | end | reusable
    # Limits.fieldCount: one past it
    > fieldCount=2
    HTTP/1.1 204 \r\nA: 1\r\nB: 2\r\n\^C: 3\r\n\r\n
    = error limit.fieldCount
    # Limits.fieldCount: the line past it is too long besides
    > fieldCount=1 fieldLineBytes=10
    HTTP/1.1 204 \r\nA: 1\r\nB: 4567890\^12345\r\n\r\n
    = error limit.fieldLineBytes
    # Limits.fieldCount: a continuation is no field
    > fieldCount=1
    HTTP/1.1 204 \r\nA: 1\r\n 2\r\n\r\n
    = 204 | A: 1   2 | end | reusable
    # Limits.fieldCount: no fields
    > fieldCount=0
    HTTP/1.1 204 \r\n\r\n
    = 204 | end | reusable
    # Limits.fieldSectionBytes: at the limit
    > fieldSectionBytes=12
    HTTP/1.1 204 \r\nA: 1\r\nB: 2\r\n\r\n
    = 204 | B: 2 | end | reusable
    # Limits.fieldSectionBytes: one past it
    > fieldSectionBytes=12
    HTTP/1.1 204 \r\nA: 1\r\nB: 2\^3\r\n\r\n
    = error limit.fieldSectionBytes
    # Limits.fieldSectionBytes: one line past it
    > fieldSectionBytes=12
    HTTP/1.1 204 \r\nA: 1\r\nB: 2\r\n\^C: 3\r\n\r\n
    = error limit.fieldSectionBytes
    # Limits.fieldSectionBytes: a continuation past it
    > fieldSectionBytes=12
    HTTP/1.1 204 \r\nA: 1\r\n 234\^5\r\n\r\n
    = error limit.fieldSectionBytes
    # Limits.fieldSectionBytes: nothing but the empty line
    > fieldSectionBytes=0
    HTTP/1.1 204 \r\n\r\n
    = 204 | end | reusable
    # Limits.fieldSectionBytes: counts from behind the status line, in each response anew
    > fieldSectionBytes=6
    HTTP/1.1 103 \r\nA: 1\r\n\r\nHTTP/1.1 204 \r\nB: 2\r\n\r\n
    = 103 | 204 | B: 2 | end | reusable
    # Limits.chunkLineBytes: at the limit
    > chunkLineBytes=5
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n2;abc\r\nok\r\n0\r\n\r\n
    = 200 | body ok | end | reusable
    # Limits.chunkLineBytes: one past it
    > chunkLineBytes=5
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n2;abc\^d\r\nok\r\n0\r\n\r\n
    = 200 | error limit.chunkLineBytes
    # Limits.chunkLineBytes: no end in sight
    > chunkLineBytes=5
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n2;abc\^defghijklm
    = 200 | error limit.chunkLineBytes
    # Limits.chunkLineBytes: an end is still possible
    > chunkLineBytes=5
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n2;abc\r
    = 200 | more
    # Limits.chunkLineBytes: zeros without end
    > chunkLineBytes=5
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n00000\^0000000
    = 200 | error limit.chunkLineBytes
    # Limits.chunkLineBytes: a broken rule within the limit comes first
    > chunkLineBytes=5
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n2\^x3456789
    = 200 | error chunk.size
    # Limits.chunkLineBytes: a broken rule past it does not
    > chunkLineBytes=5
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n2;345\^6\0\r\nok\r\n0\r\n\r\n
    = 200 | error limit.chunkLineBytes
    # Limits.chunkOverheadRatio: at the limit
    > chunkOverheadRatio=5 chunkOverheadAllowance=0
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n2\r\ncd\r\n0\r\n\r\n
    = 200 | body abcd | end | reusable
    # Limits.chunkOverheadRatio: past it
    > chunkOverheadRatio=4 chunkOverheadAllowance=0
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n\^1\r\na\r\n0\r\n\r\n
    = 200 | error limit.chunkOverhead
    # Limits.chunkOverheadRatio: extensions count
    > chunkOverheadRatio=5 chunkOverheadAllowance=0
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n\^1;\r\na\r\n0\r\n\r\n
    = 200 | error limit.chunkOverhead
    # Limits.chunkOverheadAllowance: at the limit
    > chunkOverheadRatio=0 chunkOverheadAllowance=10
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n
    = 200 | body a | end | reusable
    # Limits.chunkOverheadAllowance: one past it
    > chunkOverheadRatio=0 chunkOverheadAllowance=9
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n\^0\r\n\r\n
    = 200 | body a | error limit.chunkOverhead
    # Limits.chunkOverheadRatio: a large chunk pays for many small ones
    > chunkOverheadRatio=1 chunkOverheadAllowance=0
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n10\r\n0123456789abcdef\r\n1\r\na\r\n0\r\n\r\n
    = 200 | body 0123456789abcdefa | end | reusable
    # Limits.trailerCount: at the limit
    > trailerCount=2
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: 1\r\nB: 2\r\n\r\n
    = 200 | end | trailer A: 1 | trailer B: 2 | reusable
    # Limits.trailerCount: one past it
    > trailerCount=2
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: 1\r\nB: 2\r\n\^C: 3\r\n\r\n
    = 200 | error limit.trailerCount
    # Limits.trailerCount: the line past it goes beyond the section besides
    > trailerCount=1 trailerSectionBytes=12
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: 1\r\nB: 2\^3456789\r\n\r\n
    = 200 | error limit.trailerSectionBytes
    # Limits.trailerSectionBytes: at the limit
    > trailerSectionBytes=12
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: 1\r\nB: 2\r\n\r\n
    = 200 | end | trailer A: 1 | trailer B: 2 | reusable
    # Limits.trailerSectionBytes: one past it
    > trailerSectionBytes=12
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: 1\r\nB: 2\^3\r\n\r\n
    = 200 | error limit.trailerSectionBytes
    # Limits.trailerCount: what is discarded counts, at the limit
    > trailerCount=2
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n0\r\nTE: 1\r\nB: 2\r\n\r\n
    = 200 | end | trailer B: 2 | discarded TE: 1 | reusable
    # Limits.trailerCount: what is discarded counts, one past it
    > trailerCount=2
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n0\r\nTE: 1\r\nTE: 2\r\n\^TE: 3\r\n\r\n
    = 200 | error limit.trailerCount
    # Limits.trailerSectionBytes: what is discarded counts
    > trailerSectionBytes=13
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n0\r\nTE: 1\r\nB: 2\^3\r\n\r\n
    = 200 | error limit.trailerSectionBytes
    # Limits.fieldLineBytes: holds for what is discarded
    > fieldLineBytes=26
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n0\r\nTE: 5678901234567890123456\^7\r\n\r\n
    = 200 | error limit.fieldLineBytes
    # Limits.fieldLineBytes: holds for trailers, too
    > fieldLineBytes=26
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: 45678901234567890123456\^7\r\n\r\n
    = 200 | error limit.fieldLineBytes
    # Limits.fieldCount: does not hold for trailers
    > fieldCount=1
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: 1\r\nB: 2\r\n\r\n
    = 200 | end | trailer A: 1 | trailer B: 2 | reusable
    # Limits.informationalResponses: at the limit
    > informationalResponses=2
    HTTP/1.1 103 \r\n\r\nHTTP/1.1 103 \r\n\r\nHTTP/1.1 204 \r\n\r\n
    = 103 | 103 | 204 | end | reusable
    # Limits.informationalResponses: one past it
    > informationalResponses=2
    HTTP/1.1 103 \r\n\r\nHTTP/1.1 103 \r\n\r\n\^HTTP/1.1 103 \r\n\r\nHTTP/1.1 204 \r\n\r\n
    = 103 | 103 | error limit.informationalResponses
    # Limits.informationalResponses: none
    > informationalResponses=0
    \^HTTP/1.1 100 \r\n\r\nHTTP/1.1 204 \r\n\r\n
    = error limit.informationalResponses
    """#
