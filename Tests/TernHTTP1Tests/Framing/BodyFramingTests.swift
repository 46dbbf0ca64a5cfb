// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernHTTP1

@Suite("Content-Length")
struct BodyFramingTests {
    @Test("Every case gives its verdict, however it is cut", arguments: ResponseCase.parse(lengths))
    func verdict(_ response: ResponseCase) {
        response.check()
    }
}

private let lengths = #"""
    # RFC 9112 §6.3: content of known length
    HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello
    = 200 OK | body hello | end | reusable
    # RFC 9112 §6.3: no content
    HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n
    = 200 OK | end | reusable
    # RFC 9110 §8.6: content of any bytes
    HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n\r\n\r\n\0\xFF\n\r
    = 200 OK | body \r\n\r\n\0\xFF\n\r | end | reusable
    # RFC 9110 §8.6: content that looks like a response
    HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\nHTTP/1.1 200 OK\r\n\r\n
    = 200 OK | body HTTP/1.1 200 OK\r\n\r\n | end | reusable
    # RFC 9110 §8.6: leading zeros
    HTTP/1.1 200 OK\r\nContent-Length: 0005\r\n\r\nhello
    = 200 OK | body hello | end | reusable
    # RFC 9110 §8.6: blanks around the number belong to the line
    HTTP/1.1 200 OK\r\nContent-Length: \t 5 \t\r\n\r\nhello
    = 200 OK | body hello | end | reusable
    # RFC 9110 §5.1: the name in any case
    HTTP/1.1 200 OK\r\ncONTENT-lENGTH: 5\r\n\r\nhello
    = 200 OK | body hello | end | reusable
    # RFC 9112 §6.3: two equal lengths
    HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello
    = 200 OK | body hello | end | reusable
    # RFC 9112 §6.3: a list of equal lengths
    HTTP/1.1 200 OK\r\nContent-Length: 5, 5,5\r\n\r\nhello
    = 200 OK | body hello | end | reusable
    # RFC 9112 §6.3: equal lengths, written differently
    HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 05\r\n\r\nhello
    = 200 OK | body hello | end | reusable
    # RFC 9112 §6.3: two lengths that differ
    HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: \^6\r\n\r\nhello
    = error framing.differingLengths
    # RFC 9112 §6.3: two lengths that differ, with a field between
    HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: y\r\ncontent-length: \^6\r\n\r\nhello
    = error framing.differingLengths
    # RFC 9112 §6.3: a list of lengths that differ
    HTTP/1.1 200 OK\r\nContent-Length: 5, \^6\r\n\r\nhello
    = error framing.differingLengths
    # RFC 9112 §6.3: three lengths, the last of which differs
    HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\nContent-Length: \^0\r\n\r\nhello
    = error framing.differingLengths
    # RFC 9112 §6.3: an empty value
    HTTP/1.1 200 OK\r\nContent-Length:\^\r\n\r\nhello
    = error framing.length
    # RFC 9112 §6.3: a value of blanks
    HTTP/1.1 200 OK\r\nContent-Length:  \^\r\n\r\nhello
    = error framing.length
    # RFC 9112 §6.3: an empty list element
    HTTP/1.1 200 OK\r\nContent-Length: 5,\^\r\n\r\nhello
    = error framing.length
    # RFC 9112 §6.3: an empty first element
    HTTP/1.1 200 OK\r\nContent-Length: \^,5\r\n\r\nhello
    = error framing.length
    # RFC 9112 §6.3: a plus sign
    HTTP/1.1 200 OK\r\nContent-Length: \^+5\r\n\r\nhello
    = error framing.length
    # RFC 9112 §6.3: a minus sign
    HTTP/1.1 200 OK\r\nContent-Length: \^-5\r\n\r\nhello
    = error framing.length
    # RFC 9112 §6.3: minus zero
    HTTP/1.1 200 OK\r\nContent-Length: \^-0\r\n\r\n
    = error framing.length
    # RFC 9112 §6.3: a space within
    HTTP/1.1 200 OK\r\nContent-Length: 5\^ 5\r\n\r\nhello
    = error framing.length
    # RFC 9112 §6.3: a tab within
    HTTP/1.1 200 OK\r\nContent-Length: 5\^\t5\r\n\r\nhello
    = error framing.length
    # RFC 9112 §6.3: hexadecimal
    HTTP/1.1 200 OK\r\nContent-Length: 0\^x5\r\n\r\nhello
    = error framing.length
    # RFC 9112 §6.3: hexadecimal digits
    HTTP/1.1 200 OK\r\nContent-Length: \^a\r\n\r\nhello
    = error framing.length
    # RFC 9112 §6.3: a decimal point
    HTTP/1.1 200 OK\r\nContent-Length: 5\^.0\r\n\r\nhello
    = error framing.length
    # RFC 9112 §6.3: an exponent
    HTTP/1.1 200 OK\r\nContent-Length: 5\^e0\r\n\r\nhello
    = error framing.length
    # RFC 9112 §6.3: an underscore
    HTTP/1.1 200 OK\r\nContent-Length: 1\^_0\r\n\r\nhello
    = error framing.length
    # RFC 9112 §6.3: quotes
    HTTP/1.1 200 OK\r\nContent-Length: \^"5"\r\n\r\nhello
    = error framing.length
    # RFC 9112 §6.3: a parameter
    HTTP/1.1 200 OK\r\nContent-Length: 5\^;x\r\n\r\nhello
    = error framing.length
    # RFC 9112 §6.3: a word
    HTTP/1.1 200 OK\r\nContent-Length: \^chunked\r\n\r\nhello
    = error framing.length
    # RFC 9112 §6.3: digits that are not ASCII
    HTTP/1.1 200 OK\r\nContent-Length: \^\xD9\xA5\r\n\r\nhello
    = error framing.length
    # RFC 9112 §6.3: a vertical tab before the number
    HTTP/1.1 200 OK\r\nContent-Length: \^\x0B5\r\n\r\nhello
    = error framing.length
    # RFC 9112 §6.3: a control character behind the number
    HTTP/1.1 200 OK\r\nContent-Length: 5\^\x01\r\n\r\nhello
    = error framing.length
    # RFC 9110 §8.6: the largest number
    HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nx
    = 200 OK | body x | more
    # RFC 9110 §8.6: one more
    HTTP/1.1 200 OK\r\nContent-Length: 922337203685477580\^8\r\n\r\nx
    = error framing.lengthOverflow
    # RFC 9110 §8.6: two to the 64th
    HTTP/1.1 200 OK\r\nContent-Length: 1844674407370955161\^6\r\n\r\nx
    = error framing.lengthOverflow
    # RFC 9110 §8.6: two to the 64th and five
    HTTP/1.1 200 OK\r\nContent-Length: 1844674407370955162\^1\r\n\r\nhello
    = error framing.lengthOverflow
    # RFC 9110 §8.6: many digits
    HTTP/1.1 200 OK\r\nContent-Length: 999999999999999999\^99999999999999999999999999999999999999999999\r\n\r\nx
    = error framing.lengthOverflow
    # RFC 9112 §6.3: content is still coming
    HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell
    = 200 OK | body hell | more
    # RFC 9112 §6.3: bytes behind the content
    HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhello
    = 200 OK | body he | end | leftover
    # RFC 9112 §6.3: without a length, the connection's end is the content's
    > eof
    HTTP/1.1 200 OK\r\n\r\nhello
    = 200 OK | body hello | end | closing
    # RFC 9112 §6.3: without a length, and without content
    > eof
    HTTP/1.1 200 OK\r\n\r\n
    = 200 OK | end | closing
    # RFC 9112 §6.3: without a length, the connection is not kept even if the server says so
    > eof
    HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n\r\nhello
    = 200 OK | body hello | end | closing
    # RFC 9112 §6.3: without a length, content continues
    HTTP/1.1 200 OK\r\n\r\nhello
    = 200 OK | body hello | more
    # RFC 9110 §15.5.9: a request is not framed by its response's status
    HTTP/1.1 408 Request Timeout\r\nContent-Length: 2\r\nConnection: close\r\n\r\nxx
    = 408 Request Timeout | body xx | end | closing
    """#

@Suite struct RequestTraitsTests {
    @Test func `a union merges the flags and keeps the method`() {
        var traits = RequestTraits(isHead: true, asksUpgrade: true)
        traits.formUnion(RequestTraits(isConnect: true, asksClose: true, expectsContinue: true))
        #expect(traits.isHead && traits.asksUpgrade && traits.asksClose && traits.expectsContinue)
        #expect(!traits.isConnect)
    }
}
