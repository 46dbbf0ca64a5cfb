// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernHTTP1

@Suite("Transfer-Encoding")
struct FramingHeadersTests {
    @Test("Every case gives its verdict, however it is cut", arguments: ResponseCase.parse(transferEncodings))
    func verdict(_ response: ResponseCase) {
        response.check()
    }
}

private let transferEncodings = #"""
    # RFC 9112 §6.1: chunked
    HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n
    = 200 OK | body hello | end | reusable
    # RFC 9112 §7: codings are case-blind
    HTTP/1.1 200 OK\r\nTransfer-Encoding: ChUnKeD\r\n\r\n5\r\nhello\r\n0\r\n\r\n
    = 200 OK | body hello | end | reusable
    # RFC 9110 §5.1: the name in any case
    HTTP/1.1 200 OK\r\ntransfer-ENCODING: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n
    = 200 OK | body hello | end | reusable
    # RFC 9110 §5.6.1: empty list elements are passed over
    HTTP/1.1 200 OK\r\nTransfer-Encoding: , \t, chunked ,,\r\n\r\n0\r\n\r\n
    = 200 OK | end | reusable
    # RFC 9112 §5: no space behind the colon
    HTTP/1.1 200 OK\r\nTransfer-Encoding:chunked\r\n\r\n0\r\n\r\n
    = 200 OK | end | reusable
    # RFC 9112 §6.3: both, the coding first
    HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: \^5\r\n\r\n0\r\n\r\n
    = error framing.lengthAndTransferEncoding
    # RFC 9112 §6.3: both, the length first
    HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: \^chunked\r\n\r\n0\r\n\r\n
    = error framing.lengthAndTransferEncoding
    # RFC 9112 §6.3: both, with fields between
    HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: y\r\nTransfer-Encoding: \^chunked\r\n\r\n0\r\n\r\n
    = error framing.lengthAndTransferEncoding
    # RFC 9112 §6.1: identity is gone
    HTTP/1.1 200 OK\r\nTransfer-Encoding: \^identity\r\n\r\nhello
    = error framing.transferCoding
    # RFC 9112 §6.1: identity behind chunked
    HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, \^identity\r\n\r\n0\r\n\r\n
    = error framing.transferCoding
    # RFC 9112 §6.1: identity before chunked
    HTTP/1.1 200 OK\r\nTransfer-Encoding: \^identity, chunked\r\n\r\n0\r\n\r\n
    = error framing.transferCoding
    # RFC 9112 §7.2: gzip was not asked for
    HTTP/1.1 200 OK\r\nTransfer-Encoding: \^gzip, chunked\r\n\r\n0\r\n\r\n
    = error framing.transferCoding
    # RFC 9112 §6.1: gzip alone ends with the connection, and was not asked for
    HTTP/1.1 200 OK\r\nTransfer-Encoding: \^gzip\r\n\r\nhello
    = error framing.transferCoding
    # RFC 9112 §6.1: chunked twice in a list
    HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, \^chunked\r\n\r\n0\r\n\r\n
    = error framing.transferCoding
    # RFC 9112 §6.1: chunked twice in two lines
    HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: \^chunked\r\n\r\n0\r\n\r\n
    = error framing.transferCoding
    # RFC 9112 §6.1: chunked, and something else on a second line
    HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: \^gzip\r\n\r\n0\r\n\r\n
    = error framing.transferCoding
    # RFC 9112 §6.1: something like chunked
    HTTP/1.1 200 OK\r\nTransfer-Encoding: \^xchunked\r\n\r\n0\r\n\r\n
    = error framing.transferCoding
    # RFC 9112 §6.1: chunked and a letter
    HTTP/1.1 200 OK\r\nTransfer-Encoding: \^chunkedx\r\n\r\n0\r\n\r\n
    = error framing.transferCoding
    # RFC 9112 §6.1: half of chunked
    HTTP/1.1 200 OK\r\nTransfer-Encoding: \^chunk\r\n\r\n0\r\n\r\n
    = error framing.transferCoding
    # RFC 9112 §7: chunked has no parameters
    HTTP/1.1 200 OK\r\nTransfer-Encoding: \^chunked;q=1\r\n\r\n0\r\n\r\n
    = error framing.transferCoding
    # RFC 9112 §7: chunked and a word
    HTTP/1.1 200 OK\r\nTransfer-Encoding: \^chunked x\r\n\r\n0\r\n\r\n
    = error framing.transferCoding
    # RFC 9112 §6.1: chunked in quotes
    HTTP/1.1 200 OK\r\nTransfer-Encoding: \^"chunked"\r\n\r\n0\r\n\r\n
    = error framing.transferCoding
    # RFC 9112 §6.1: chunked behind a vertical tab
    HTTP/1.1 200 OK\r\nTransfer-Encoding: \^\x0Bchunked\r\n\r\n0\r\n\r\n
    = error framing.transferCoding
    # RFC 9112 §6.1: chunked before a control character
    HTTP/1.1 200 OK\r\nTransfer-Encoding: \^chunked\x01\r\n\r\n0\r\n\r\n
    = error framing.transferCoding
    # RFC 9112 §6.1: chunked with a letter that only looks right
    HTTP/1.1 200 OK\r\nTransfer-Encoding: \^chun\xE2\x84\xAAed\r\n\r\n0\r\n\r\n
    = error framing.transferCoding
    # RFC 9112 §6.1: no coding
    HTTP/1.1 200 OK\r\nTransfer-Encoding:\^\r\n\r\n0\r\n\r\n
    = error framing.transferCoding
    # RFC 9112 §6.1: a list of nothing
    HTTP/1.1 200 OK\r\nTransfer-Encoding: \^, ,\r\n\r\n0\r\n\r\n
    = error framing.transferCoding
    # RFC 9112 §6.1: chunked, and no coding on a second line
    HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding:\^\r\n\r\n0\r\n\r\n
    = error framing.transferCoding
    # RFC 9112 §6.1: HTTP/1.0 has none
    HTTP/1.0 200 OK\r\nTransfer-Encoding: \^chunked\r\n\r\n0\r\n\r\n
    = error framing.transferEncodingInHTTP10
    # RFC 9112 §6.1: HTTP/1.0 that wants to stay has none either
    HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: \^chunked\r\n\r\n0\r\n\r\n
    = error framing.transferEncodingInHTTP10
    # RFC 9112 §6.1: HTTP/1.0, leniently, and closed behind it
    > chunkedInHTTP10
    HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n
    = 200 OK | body ok | end | closing
    # RFC 9112 §5.1: a space before the colon hides nothing
    HTTP/1.1 200 OK\r\nTransfer-Encoding \^: chunked\r\nContent-Length: 5\r\n\r\nhello
    = error field.spaceBeforeColon
    # RFC 9112 §6.1: a name that is nearly right is another field
    HTTP/1.1 200 OK\r\nTransfer_Encoding: chunked\r\nContent-Length: 5\r\n\r\nhello
    = 200 OK | body hello | end | reusable
    # RFC 9112 §6.1: TE is a field of requests
    HTTP/1.1 200 OK\r\nTE: chunked\r\nContent-Length: 5\r\n\r\nhello
    = 200 OK | body hello | end | reusable
    """#

@Suite struct FramingFieldTests {
    private func field(_ name: String) -> FramingField? { FramingField(name.utf8.span, 0..<name.utf8.count) }

    @Test func `the four fields are known in any case`() {
        #expect(field("Content-Length") == .contentLength)
        #expect(field("TRANSFER-ENCODING") == .transferEncoding)
        #expect(field("connection") == .connection)
        #expect(field("Keep-Alive") == .keepAlive)
    }

    @Test(arguments: ["content-lengti", "transfer-encodinh", "connectioo", "keep-alivf", "", "Content-Type", "Date"])
    func `a name that differs in one letter is another field`(name: String) { #expect(field(name) == nil) }

    @Test func `no length of a known name is left out of the quick look`() {
        for length: UInt32 in [10, 14, 17] { #expect(FramingField.mayHave(length: length)) }
        for length: UInt32 in [0, 9, 11, 31, 32, 42, 46, .max] { #expect(!FramingField.mayHave(length: length)) }
    }

    @Test func `the length and the coding end the content, the other fields do not`() {
        let framing = ["Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Date"].filter {
            FramingField.isFraming($0.utf8.span)
        }
        #expect(framing == ["Content-Length", "Transfer-Encoding"])
    }
}

@Suite struct LongFramingListTests {
    /// What the lists of a head's framing fields leave of it; nil for an error.
    private func isPersistent(_ fields: String) -> Bool? {
        var decoder = ResponseDecoder(ParsingLimits(), [])
        decoder.begin(RequestTraits())
        var offset = 0
        let head = "HTTP/1.1 200 OK\r\n\(fields)\r\n"
        guard case .head? = try? decoder.receive(head.utf8.span, from: &offset) else { return nil }
        return decoder.isPersistent
    }

    @Test func `what is too long to be read to its end counts as if it said the worst`() {
        func repeated(_ field: String, _ text: String, _ count: Int) -> String {
            "\(field): \(String(repeating: text, count: count))\r\n"
        }
        let length = "Content-Length: 0\r\n"
        #expect(isPersistent(length + repeated("Connection", "a,", 64)) == true)
        #expect(isPersistent(length + repeated("Connection", "a,", 65)) == false)
        #expect(isPersistent(length + String(repeating: "Connection: a\r\n", count: 65)) == false)
        #expect(isPersistent(length + repeated("Keep-Alive", "timeout=5,", 5000)) == true)
        #expect(isPersistent(repeated("Transfer-Encoding", ",", 9000)) == nil)
        #expect(isPersistent("Content-Length: 0\(String(repeating: ",0", count: 63))\r\n") == true)
        #expect(isPersistent("Content-Length: 0\(String(repeating: ",0", count: 65))\r\n") == nil)
    }
}

@Suite struct KeepAliveTests {
    private func read(_ text: String) -> KeepAlive {
        var (keepAlive, list) = (KeepAlive(), ListReader(.tokens))
        keepAlive.read(text.utf8.span, 0..<text.utf8.count, &list)
        return keepAlive
    }

    @Test func `both parameters are read, in any order and case`() {
        #expect(read("timeout=5, max=100") == KeepAlive(timeout: 5, max: 100))
        #expect(read("MAX=1,Timeout=0") == KeepAlive(timeout: 0, max: 1))
    }

    @Test(arguments: ["", "timeout", "timeout=", "timeout=-1", "timeout=5s", "timeout=99999999999999999999", "other=5"])
    func `what is malformed or unknown promises nothing`(text: String) { #expect(read(text) == KeepAlive()) }
}
