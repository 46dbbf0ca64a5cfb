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
    # ParsingLimits.maximumStatusLineSize: at the limit
    > maximumStatusLineSize=20
    HTTP/1.1 200 1234567\r\nContent-Length: 0\r\n\r\n
    = 200 1234567 | end | reusable
    # ParsingLimits.maximumStatusLineSize: one past it
    > maximumStatusLineSize=20
    HTTP/1.1 200 1234567\^8\r\nContent-Length: 0\r\n\r\n
    = error limit.statusLineSize
    # ParsingLimits.maximumStatusLineSize: far past it, and no end in sight
    > maximumStatusLineSize=20
    HTTP/1.1 200 1234567\^890123456789
    = error limit.statusLineSize
    # ParsingLimits.maximumStatusLineSize: an end is still possible
    > maximumStatusLineSize=20
    HTTP/1.1 200 1234567\r
    = more
    # ParsingLimits.maximumStatusLineSize: no end is possible
    > maximumStatusLineSize=20
    HTTP/1.1 200 1234567\^89
    = error limit.statusLineSize
    # ParsingLimits.maximumStatusLineSize: a broken rule within the limit comes first
    > maximumStatusLineSize=20
    HTTP/1.1 2\^x 12345678901234567890\r\n\r\n
    = error statusLine.status
    # ParsingLimits.maximumStatusLineSize: a broken rule past the limit does not
    > maximumStatusLineSize=20
    HTTP/1.1 200 1234567\^8\0\r\n\r\n
    = error limit.statusLineSize
    # ParsingLimits.maximumStatusLineSize: a limit of nothing
    > maximumStatusLineSize=0
    \^HTTP/1.1 200 OK\r\n\r\n
    = error limit.statusLineSize
    # ParsingLimits.maximumFieldLineSize: at the limit
    > maximumFieldLineSize=10
    HTTP/1.1 204 \r\nX: 4567890\r\n\r\n
    = 204 | X: 4567890 | end | reusable
    # ParsingLimits.maximumFieldLineSize: one past it
    > maximumFieldLineSize=10
    HTTP/1.1 204 \r\nX: 4567890\^1\r\n\r\n
    = error limit.fieldLineSize
    # ParsingLimits.maximumFieldLineSize: blanks count
    > maximumFieldLineSize=10
    HTTP/1.1 204 \r\nX:        \^ \r\n\r\n
    = error limit.fieldLineSize
    # ParsingLimits.maximumFieldLineSize: a name past it
    > maximumFieldLineSize=10
    HTTP/1.1 204 \r\n1234567890\^1: x\r\n\r\n
    = error limit.fieldLineSize
    # ParsingLimits.maximumFieldLineSize: no end in sight
    > maximumFieldLineSize=10
    HTTP/1.1 204 \r\nX: 4567890\^12345678
    = error limit.fieldLineSize
    # ParsingLimits.maximumFieldLineSize: an end is still possible
    > maximumFieldLineSize=10
    HTTP/1.1 204 \r\nX: 4567890\r
    = more
    # ParsingLimits.maximumFieldLineSize: a broken rule within the limit comes first
    > maximumFieldLineSize=10
    HTTP/1.1 204 \r\nX \^: 4567890123\r\n\r\n
    = error field.spaceBeforeColon
    # ParsingLimits.maximumFieldLineSize: and before the line's end is known
    > maximumFieldLineSize=10
    HTTP/1.1 204 \r\nX \^: 4567890123
    = error field.spaceBeforeColon
    # ParsingLimits.maximumFieldLineSize: a broken rule past the limit does not
    > maximumFieldLineSize=10
    HTTP/1.1 204 \r\nX: 4567890\^1\r3\r\n\r\n
    = error limit.fieldLineSize
    # ParsingLimits.maximumFieldLineSize: a broken rule at the limit
    > maximumFieldLineSize=10
    HTTP/1.1 204 \r\nX: 4567890\^\r3\r\n\r\n
    = error field.bareCarriageReturn
    # ParsingLimits.maximumFieldLineSize: blanks before a colon past the limit
    > maximumFieldLineSize=10
    HTTP/1.1 204 \r\nX         \^ : y\r\n\r\n
    = error limit.fieldLineSize
    # ParsingLimits.maximumFieldLineSize: a continuation has its own
    > maximumFieldLineSize=10
    HTTP/1.1 204 \r\nX: 4567890\r\n 234567890\r\n\r\n
    = 204 | X: 4567890   234567890 | end | reusable
    # ParsingLimits.maximumFieldLineSize: a continuation past it
    > maximumFieldLineSize=10
    HTTP/1.1 204 \r\nX: 4567890\r\n 234567890\^1\r\n\r\n
    = error limit.fieldLineSize
    # ParsingLimits.maximumFieldLineSize: nothing but the empty line
    > maximumFieldLineSize=0
    HTTP/1.1 204 \r\n\r\n
    = 204 | end | reusable
    # ParsingLimits.maximumFieldCount: at the limit
    > maximumFieldCount=2
    HTTP/1.1 204 \r\nA: 1\r\nB: 2\r\n\r\n
    = 204 | B: 2 | end | reusable
    # ParsingLimits.maximumFieldCount: one past it
    > maximumFieldCount=2
    HTTP/1.1 204 \r\nA: 1\r\nB: 2\r\n\^C: 3\r\n\r\n
    = error limit.fieldCount
    # ParsingLimits.maximumFieldCount: the line past it is too long besides
    > maximumFieldCount=1 maximumFieldLineSize=10
    HTTP/1.1 204 \r\nA: 1\r\nB: 4567890\^12345\r\n\r\n
    = error limit.fieldLineSize
    # ParsingLimits.maximumFieldCount: a continuation is no field
    > maximumFieldCount=1
    HTTP/1.1 204 \r\nA: 1\r\n 2\r\n\r\n
    = 204 | A: 1   2 | end | reusable
    # ParsingLimits.maximumFieldCount: no fields
    > maximumFieldCount=0
    HTTP/1.1 204 \r\n\r\n
    = 204 | end | reusable
    # ParsingLimits.maximumFieldSectionSize: at the limit
    > maximumFieldSectionSize=12
    HTTP/1.1 204 \r\nA: 1\r\nB: 2\r\n\r\n
    = 204 | B: 2 | end | reusable
    # ParsingLimits.maximumFieldSectionSize: one past it
    > maximumFieldSectionSize=12
    HTTP/1.1 204 \r\nA: 1\r\nB: 2\^3\r\n\r\n
    = error limit.fieldSectionSize
    # ParsingLimits.maximumFieldSectionSize: one line past it
    > maximumFieldSectionSize=12
    HTTP/1.1 204 \r\nA: 1\r\nB: 2\r\n\^C: 3\r\n\r\n
    = error limit.fieldSectionSize
    # ParsingLimits.maximumFieldSectionSize: a continuation past it
    > maximumFieldSectionSize=12
    HTTP/1.1 204 \r\nA: 1\r\n 234\^5\r\n\r\n
    = error limit.fieldSectionSize
    # ParsingLimits.maximumFieldSectionSize: nothing but the empty line
    > maximumFieldSectionSize=0
    HTTP/1.1 204 \r\n\r\n
    = 204 | end | reusable
    # ParsingLimits.maximumFieldSectionSize: counts from behind the status line, in each response separately
    > maximumFieldSectionSize=6
    HTTP/1.1 103 \r\nA: 1\r\n\r\nHTTP/1.1 204 \r\nB: 2\r\n\r\n
    = 103 | 204 | B: 2 | end | reusable
    # ParsingLimits.maximumChunkLineSize: at the limit
    > maximumChunkLineSize=5
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n2;abc\r\nok\r\n0\r\n\r\n
    = 200 | body ok | end | reusable
    # ParsingLimits.maximumChunkLineSize: one past it
    > maximumChunkLineSize=5
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n2;abc\^d\r\nok\r\n0\r\n\r\n
    = 200 | error limit.chunkLineSize
    # ParsingLimits.maximumChunkLineSize: no end in sight
    > maximumChunkLineSize=5
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n2;abc\^defghijklm
    = 200 | error limit.chunkLineSize
    # ParsingLimits.maximumChunkLineSize: an end is still possible
    > maximumChunkLineSize=5
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n2;abc\r
    = 200 | more
    # ParsingLimits.maximumChunkLineSize: zeros without end
    > maximumChunkLineSize=5
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n00000\^0000000
    = 200 | error limit.chunkLineSize
    # ParsingLimits.maximumChunkLineSize: a broken rule within the limit comes first
    > maximumChunkLineSize=5
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n2\^x3456789
    = 200 | error chunk.size
    # ParsingLimits.maximumChunkLineSize: a broken rule past it does not
    > maximumChunkLineSize=5
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n2;345\^6\0\r\nok\r\n0\r\n\r\n
    = 200 | error limit.chunkLineSize
    # ParsingLimits.maximumChunkOverheadRatio: at the limit
    > maximumChunkOverheadRatio=5 chunkOverheadAllowance=0
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n2\r\ncd\r\n0\r\n\r\n
    = 200 | body abcd | end | reusable
    # ParsingLimits.maximumChunkOverheadRatio: past it
    > maximumChunkOverheadRatio=4 chunkOverheadAllowance=0
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n\^1\r\na\r\n0\r\n\r\n
    = 200 | error limit.chunkOverhead
    # ParsingLimits.maximumChunkOverheadRatio: extensions count
    > maximumChunkOverheadRatio=5 chunkOverheadAllowance=0
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n\^1;\r\na\r\n0\r\n\r\n
    = 200 | error limit.chunkOverhead
    # Limits.chunkOverheadAllowance: at the limit
    > maximumChunkOverheadRatio=0 chunkOverheadAllowance=10
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n
    = 200 | body a | end | reusable
    # Limits.chunkOverheadAllowance: one past it
    > maximumChunkOverheadRatio=0 chunkOverheadAllowance=9
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n\^0\r\n\r\n
    = 200 | body a | error limit.chunkOverhead
    # ParsingLimits.maximumChunkOverheadRatio: a large chunk pays for many small ones
    > maximumChunkOverheadRatio=1 chunkOverheadAllowance=0
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n10\r\n0123456789abcdef\r\n1\r\na\r\n0\r\n\r\n
    = 200 | body 0123456789abcdefa | end | reusable
    # ParsingLimits.maximumTrailerCount: at the limit
    > maximumTrailerCount=2
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: 1\r\nB: 2\r\n\r\n
    = 200 | end | trailer A: 1 | trailer B: 2 | reusable
    # ParsingLimits.maximumTrailerCount: one past it
    > maximumTrailerCount=2
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: 1\r\nB: 2\r\n\^C: 3\r\n\r\n
    = 200 | error limit.trailerCount
    # ParsingLimits.maximumTrailerCount: the line past it goes beyond the section besides
    > maximumTrailerCount=1 maximumTrailerSectionSize=12
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: 1\r\nB: 2\^3456789\r\n\r\n
    = 200 | error limit.trailerSectionSize
    # ParsingLimits.maximumTrailerSectionSize: at the limit
    > maximumTrailerSectionSize=12
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: 1\r\nB: 2\r\n\r\n
    = 200 | end | trailer A: 1 | trailer B: 2 | reusable
    # ParsingLimits.maximumTrailerSectionSize: one past it
    > maximumTrailerSectionSize=12
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: 1\r\nB: 2\^3\r\n\r\n
    = 200 | error limit.trailerSectionSize
    # ParsingLimits.maximumTrailerCount: what is discarded counts, at the limit
    > maximumTrailerCount=2
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n0\r\nTE: 1\r\nB: 2\r\n\r\n
    = 200 | end | trailer B: 2 | discarded TE: 1 | reusable
    # ParsingLimits.maximumTrailerCount: what is discarded counts, one past it
    > maximumTrailerCount=2
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n0\r\nTE: 1\r\nTE: 2\r\n\^TE: 3\r\n\r\n
    = 200 | error limit.trailerCount
    # ParsingLimits.maximumTrailerSectionSize: what is discarded counts
    > maximumTrailerSectionSize=13
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n0\r\nTE: 1\r\nB: 2\^3\r\n\r\n
    = 200 | error limit.trailerSectionSize
    # ParsingLimits.maximumFieldLineSize: holds for what is discarded
    > maximumFieldLineSize=26
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n0\r\nTE: 5678901234567890123456\^7\r\n\r\n
    = 200 | error limit.fieldLineSize
    # ParsingLimits.maximumFieldLineSize: holds for trailers, too
    > maximumFieldLineSize=26
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: 45678901234567890123456\^7\r\n\r\n
    = 200 | error limit.fieldLineSize
    # ParsingLimits.maximumFieldCount: does not hold for trailers
    > maximumFieldCount=1
    HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: 1\r\nB: 2\r\n\r\n
    = 200 | end | trailer A: 1 | trailer B: 2 | reusable
    # ParsingLimits.maximumInformationalResponseCount: at the limit
    > maximumInformationalResponseCount=2
    HTTP/1.1 103 \r\n\r\nHTTP/1.1 103 \r\n\r\nHTTP/1.1 204 \r\n\r\n
    = 103 | 103 | 204 | end | reusable
    # ParsingLimits.maximumInformationalResponseCount: one past it
    > maximumInformationalResponseCount=2
    HTTP/1.1 103 \r\n\r\nHTTP/1.1 103 \r\n\r\n\^HTTP/1.1 103 \r\n\r\nHTTP/1.1 204 \r\n\r\n
    = 103 | 103 | error limit.informationalResponseCount
    # ParsingLimits.maximumInformationalResponseCount: none
    > maximumInformationalResponseCount=0
    \^HTTP/1.1 100 \r\n\r\nHTTP/1.1 204 \r\n\r\n
    = error limit.informationalResponseCount
    """#
