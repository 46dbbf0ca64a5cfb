// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernHTTP1

@Suite("Field lines")
struct FieldLineTests {
    @Test("Every case gives its verdict, however it is cut", arguments: ResponseCase.parse(fieldLines))
    func verdict(_ response: ResponseCase) {
        response.check()
    }
}

private let fieldLines = #"""
    # RFC 9112 §5: a name, a colon, a space, a value
    HTTP/1.1 204 \r\nServer: x\r\n\r\n
    = 204 | Server: x | end | reusable
    # RFC 9112 §5: no space behind the colon
    HTTP/1.1 204 \r\nServer:x\r\n\r\n
    = 204 | Server: x | end | reusable
    # RFC 9112 §5: tabs and spaces around the value
    HTTP/1.1 204 \r\nServer:\t \tx y \t \r\n\r\n
    = 204 | Server: x y | end | reusable
    # RFC 9112 §5: an empty value
    HTTP/1.1 204 \r\nServer:\r\n\r\n
    = 204 | Server:  | end | reusable
    # RFC 9112 §5: a value of blanks is empty
    HTTP/1.1 204 \r\nServer: \t \r\n\r\n
    = 204 | Server:  | end | reusable
    # RFC 9112 §5: no fields at all
    HTTP/1.1 204 \r\n\r\n
    = 204 | end | reusable
    # RFC 9110 §5.1: names are looked up without regard to case
    HTTP/1.1 204 \r\nsErVeR: x\r\n\r\n
    = 204 | SERVER: x | end | reusable
    # RFC 9110 §5.3: repeats are joined
    HTTP/1.1 204 \r\nVary: a\r\nX: 1\r\nvary: b\r\n\r\n
    = 204 | Vary: a, b | end | reusable
    # RFC 9110 §5.3: Set-Cookie is not joined
    HTTP/1.1 204 \r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n
    = 204 | Set-Cookie: a=1 | end | reusable
    # RFC 9110 §5.1: every token character in a name
    HTTP/1.1 204 \r\n!#$%&'*+-.^_`|~09azAZ: x\r\n\r\n
    = 204 | !#$%&'*+-.^_`|~09azAZ: x | end | reusable
    # RFC 9110 §5.1: a name of one character
    HTTP/1.1 204 \r\nX: y\r\n\r\n
    = 204 | X: y | end | reusable
    # RFC 9110 §5.1: a name of sixteen characters
    HTTP/1.1 204 \r\nABCDEFGHIJKLMNOP: y\r\n\r\n
    = 204 | ABCDEFGHIJKLMNOP: y | end | reusable
    # RFC 9110 §5.1: a name of thirty-three characters
    HTTP/1.1 204 \r\nABCDEFGHIJKLMNOPABCDEFGHIJKLMNOPQ: y\r\n\r\n
    = 204 | ABCDEFGHIJKLMNOPABCDEFGHIJKLMNOPQ: y | end | reusable
    # RFC 9110 §5.1: rare token characters deep in a long name
    HTTP/1.1 204 \r\nABCDEFGHIJKLMNOP_ABC~EFG!JKLMNOPQ: y\r\n\r\n
    = 204 | ABCDEFGHIJKLMNOP_ABC~EFG!JKLMNOPQ: y | end | reusable
    # RFC 9110 §5.5: obs-text in a value is kept, as UTF-8
    HTTP/1.1 204 \r\nX: caf\xC3\xA9\r\n\r\n
    = 204 | X: caf\xC3\xA9 | end | reusable
    # RFC 9110 §5.5: obs-text that is not UTF-8 is kept as ISO-8859-1
    HTTP/1.1 204 \r\nX: caf\xE9\r\n\r\n
    = 204 | X: caf\xC3\xA9 | end | reusable
    # RFC 9110 §5.5: a stray control character does not cost the response
    HTTP/1.1 204 \r\nSet-Cookie: a=\x01\r\n\r\n
    = 204 | Set-Cookie: a=\x01 | end | reusable
    # RFC 9110 §5.5: DEL is kept, too
    HTTP/1.1 204 \r\nX: a\x7Fb\r\n\r\n
    = 204 | X: a\x7Fb | end | reusable
    # RFC 9110 §5.5: a tab within a value
    HTTP/1.1 204 \r\nX: a\tb\r\n\r\n
    = 204 | X: a\tb | end | reusable
    # RFC 9110 §5.5: a value with colons
    HTTP/1.1 204 \r\nX: a:b::c\r\n\r\n
    = 204 | X: a:b::c | end | reusable
    # RFC 9110 §5.5: a value that begins with a colon
    HTTP/1.1 204 \r\nX::y\r\n\r\n
    = 204 | X: :y | end | reusable
    # RFC 9110 §5.5: a value over several blocks of the search
    HTTP/1.1 204 \r\nX: 0123456789abcdef0123456789abcdef0123456789abcdef!\r\n\r\n
    = 204 | X: 0123456789abcdef0123456789abcdef0123456789abcdef! | end | reusable
    # RFC 9110 §5.6.4: a quoted string is only a value
    HTTP/1.1 204 \r\nX: "a, \\"b\\""\r\n\r\n
    = 204 | X: "a, \\"b\\"" | end | reusable
    # RFC 9112 §5.2: a folded value is unfolded
    HTTP/1.1 204 \r\nX: a\r\n b\r\n\r\n
    = 204 | X: a   b | end | reusable
    # RFC 9112 §5.2: a fold with a tab
    HTTP/1.1 204 \r\nX: a\r\n\tb\r\n\r\n
    = 204 | X: a   b | end | reusable
    # RFC 9112 §5.2: blanks before the fold
    HTTP/1.1 204 \r\nX: a \r\n b\r\n\r\n
    = 204 | X: a    b | end | reusable
    # RFC 9112 §5.2: two folds
    HTTP/1.1 204 \r\nX: a\r\n b\r\n c\r\nY: d\r\n\r\n
    = 204 | X: a   b   c | Y: d | end | reusable
    # RFC 9112 §5.2: the value begins on the second line
    HTTP/1.1 204 \r\nX:\r\n b\r\n\r\n
    = 204 | X: b | end | reusable
    # RFC 9112 §5.2: a fold of blanks adds nothing
    HTTP/1.1 204 \r\nX: a\r\n \t \r\n\r\n
    = 204 | X: a | end | reusable
    # RFC 9112 §5.2: a fold of blanks between two with content
    HTTP/1.1 204 \r\nX: a\r\n \r\n b\r\n\r\n
    = 204 | X: a      b | end | reusable
    # RFC 9112 §5.2: a fold of blanks under an empty value
    HTTP/1.1 204 \r\nX:\r\n \r\n\r\n
    = 204 | X:  | end | reusable
    # RFC 9112 §5.2: tabs within a folded value stay
    HTTP/1.1 204 \r\nX: a\tb\r\n c\td\r\n\r\n
    = 204 | X: a\tb   c\td | end | reusable
    # RFC 9112 §5.2: a fold looks like a field, and is none
    HTTP/1.1 200 \r\nX: a\r\n Content-Length: 5\r\nContent-Length: 0\r\n\r\n
    = 200 | Content-Length: 0 | end | reusable
    # RFC 9112 §5.2: a folded Connection is unfolded
    HTTP/1.1 204 \r\nConnection: x,\r\n close\r\n\r\n
    = 204 | end | closing
    # RFC 9112 §5.2: a Connection folded behind an option, and before one
    HTTP/1.1 204 \r\nConnection: x,\r\n \r\n\tclose\r\n ,y\r\n\r\n
    = 204 | end | closing
    # RFC 9112 §5.2: Content-Length is not folded
    HTTP/1.1 200 \r\nContent-Length: 1\r\n\^ 0\r\n\r\n
    = error framing.folded
    # RFC 9112 §5.2: Content-Length does not begin on the second line
    HTTP/1.1 200 \r\nContent-Length:\r\n\^ 10\r\n\r\n
    = error framing.folded
    # RFC 9112 §5.2: Transfer-Encoding is not folded
    HTTP/1.1 200 \r\nTransfer-Encoding:\r\n\^ chunked\r\n\r\n
    = error framing.folded
    # RFC 9112 §5.2: not even with nothing
    HTTP/1.1 200 \r\ncontent-length: 1\r\n\^\t\r\n\r\n
    = error framing.folded
    # RFC 9112 §2.2: no blank before the first field
    HTTP/1.1 200 \r\n\^ X: a\r\n\r\n
    = error field.leadingWhitespace
    # RFC 9112 §2.2: no tab before the first field
    HTTP/1.1 200 \r\n\^\tX: a\r\n\r\n
    = error field.leadingWhitespace
    # RFC 9112 §2.2: no line of blanks for an empty one
    HTTP/1.1 200 \r\n\^ \r\n\r\n
    = error field.leadingWhitespace
    # RFC 9112 §5.1: a space before the colon
    HTTP/1.1 200 \r\nContent-Length \^: 5\r\n\r\n
    = error field.spaceBeforeColon
    # RFC 9112 §5.1: a tab before the colon
    HTTP/1.1 200 \r\nX\t\^: 5\r\n\r\n
    = error field.spaceBeforeColon
    # RFC 9112 §5.1: several blanks before the colon
    HTTP/1.1 200 \r\nX \t \^: 5\r\n\r\n
    = error field.spaceBeforeColon
    # RFC 9110 §5.1: a space within the name
    HTTP/1.1 200 \r\nX \^Y: 5\r\n\r\n
    = error field.name
    # RFC 9110 §5.1: no name
    HTTP/1.1 200 \r\n\^: 5\r\n\r\n
    = error field.emptyName
    # RFC 9110 §5.1: a control character in the name
    HTTP/1.1 200 \r\nX\^\x01Y: 5\r\n\r\n
    = error field.name
    # RFC 9110 §5.1: NUL in the name
    HTTP/1.1 200 \r\nX\^\0Y: 5\r\n\r\n
    = error field.name
    # RFC 9110 §5.1: obs-text in the name
    HTTP/1.1 200 \r\nX\^\xE9Y: 5\r\n\r\n
    = error field.name
    # RFC 9110 §5.1: DEL in the name
    HTTP/1.1 200 \r\nX\^\x7FY: 5\r\n\r\n
    = error field.name
    # RFC 9110 §5.1: a parenthesis in the name
    HTTP/1.1 200 \r\nX\^(Y): 5\r\n\r\n
    = error field.name
    # RFC 9110 §5.1: a separator in the name
    HTTP/1.1 200 \r\nX\^;Y: 5\r\n\r\n
    = error field.name
    # RFC 9110 §5.1: an at sign in the name
    HTTP/1.1 200 \r\nX\^@Y: 5\r\n\r\n
    = error field.name
    # RFC 9110 §5.1: quotes around the name
    HTTP/1.1 200 \r\n\^"X": 5\r\n\r\n
    = error field.name
    # RFC 9110 §5.1: a bad byte deep in a long name
    HTTP/1.1 200 \r\nABCDEFGHIJKLMNOPABCDEFG\^[IJKLMNOPQ: y\r\n\r\n
    = error field.name
    # RFC 9112 §5: no colon
    HTTP/1.1 200 \r\nServer\^\r\n\r\n
    = error field.missingColon
    # RFC 9112 §5: no colon, but a blank at the end
    HTTP/1.1 200 \r\nServer \^\r\n\r\n
    = error field.missingColon
    # RFC 9112 §5: a second status line is no field
    HTTP/1.1 200 \r\nHTTP\^/1.1 200 OK\r\n\r\n
    = error field.name
    # RFC 9110 §5.5: NUL in the value
    HTTP/1.1 200 \r\nX: a\^\0b\r\n\r\n
    = error field.value
    # RFC 9110 §5.5: NUL at the value's end
    HTTP/1.1 200 \r\nX: a\^\0\r\n\r\n
    = error field.value
    # RFC 9110 §5.5: NUL behind a harmless control character
    HTTP/1.1 200 \r\nX: a\x02\^\0\r\n\r\n
    = error field.value
    # RFC 9112 §2.2: bare CR in the value
    HTTP/1.1 200 \r\nX: a\^\rb\r\n\r\n
    = error field.bareCarriageReturn
    # RFC 9112 §2.2: bare CR that hides a field
    HTTP/1.1 200 \r\nX: a\^\rContent-Length: 5\r\n\r\n
    = error field.bareCarriageReturn
    # RFC 9112 §2.2: CR CR LF
    HTTP/1.1 200 \r\nX: a\^\r\r\n\r\n
    = error field.bareCarriageReturn
    # RFC 9112 §2.2: bare CR in a name
    HTTP/1.1 200 \r\nX\^\rY: a\r\n\r\n
    = error field.missingColon
    # RFC 9112 §2.2: bare CR for the empty line
    HTTP/1.1 200 \r\nX: a\r\n\^\rY: b\r\n\r\n
    = error field.bareCarriageReturn
    # RFC 9112 §2.1: bare LF behind a value
    HTTP/1.1 200 \r\nX: a\^\nY: b\r\n\r\n
    = error field.bareLineFeed
    # RFC 9112 §2.1: bare LF for the empty line
    HTTP/1.1 200 \r\nX: a\r\n\^\n
    = error field.bareLineFeed
    # RFC 9112 §2.1: LF CR LF
    HTTP/1.1 200 \r\nX: a\^\n\r\n
    = error field.bareLineFeed
    # RFC 9112 §2.1: bare LF in a folded line
    HTTP/1.1 200 \r\nX: a\r\n b\^\n\r\n
    = error field.bareLineFeed
    # RFC 9112 §2.1: bare LF within a name
    HTTP/1.1 200 \r\nX\^\nY: b\r\n\r\n
    = error field.missingColon
    # RFC 9112 §2.1: a vertical tab is no line end
    HTTP/1.1 204 \r\nX: a\x0Bb\r\n\r\n
    = 204 | X: a\x0Bb | end | reusable
    # RFC 9112 §2.1: the Unicode line separator is no line end
    HTTP/1.1 204 \r\nX: a\xE2\x80\xA8b\r\n\r\n
    = 204 | X: a\xE2\x80\xA8b | end | reusable
    # RFC 9112 §2.1: NEL is no line end
    HTTP/1.1 204 \r\nX: a\x85b\r\n\r\n
    = 204 | X: a\xC2\x85b | end | reusable
    # RFC 9112 §5: the empty line is missing
    HTTP/1.1 200 \r\nX: a\r\n
    = more
    # RFC 9112 §5: half the empty line
    HTTP/1.1 200 \r\nX: a\r\n\r
    = more
    # RFC 9112 §5: half a name
    HTTP/1.1 200 \r\nServ
    = more
    # RFC 9112 §5: half a value
    HTTP/1.1 200 \r\nServer: ngi
    = more
    # RFC 9112 §5: a broken line is judged when it is complete
    HTTP/1.1 200 \r\nX Y: a
    = more
    # RFC 9112 §5.1: the first broken line is the one that is told
    HTTP/1.1 200 \r\nX \^: a\r\nY\0: b\r\n\r\n
    = error field.spaceBeforeColon
    """#

@Suite struct LineRefusalTests {
    private func verdict(_ text: String, wrong: Int?, limit: Int) -> String {
        switch LineRefusal(text.utf8.span, line: 0, wrong: wrong, limit: limit) {
        case .wait: "wait"
        case .refuse(let position, let isTooLong): "\(position)\(isTooLong ? " too long" : "")"
        }
    }

    @Test func `a line without its end waits, broken or not`() {
        #expect(verdict("ab", wrong: 1, limit: 4) == "wait")
        #expect(verdict("ab", wrong: nil, limit: 4) == "wait")
    }

    @Test func `a whole line is refused at its first error`() { #expect(verdict("ab\n", wrong: 1, limit: 4) == "1") }

    @Test func `an error behind the limit is one of length`() {
        #expect(verdict("abcdef\n", wrong: 5, limit: 4) == "4 too long")
    }

    @Test func `a line past its limit and a line end is refused before its end`() {
        #expect(verdict("abcde", wrong: nil, limit: 4) == "wait")
        #expect(verdict("abcdef", wrong: nil, limit: 4) == "4 too long")
    }
}

/// Lines are searched in blocks of sixteen bytes: these tests put everything at every place of a block, with nothing or
/// something behind it.
@Suite struct FastFieldParserTests {
    private func text(_ letters: String, _ count: Int) -> String {
        String((0..<count).map { Array(letters)[$0 % letters.count] })
    }

    private func transcript(_ lines: String) -> Transcript {
        UnmappedPage.run(ResponseScript(), Array("HTTP/1.1 204 x\r\n\(lines)\r\n".utf8))
    }

    @Test(arguments: 1..<40) func `A field is found whatever the lengths of its name and value`(length: Int) {
        let name = text("aZ9-0Az", length)
        for count in 0..<40 {
            let value = text("v!~\u{7F}", count)
            let expected = [HeaderField(name: name, value: value), HeaderField(name: "B", value: "1")]
            #expect(transcript("\(name): \(value)\r\nB: 1\r\n").heads.first == HeaderFields(expected))
            #expect(transcript("B: 1\r\n\(name):\(value)\r\n").heads.first == HeaderFields(expected.reversed()))
        }
    }

    @Test(arguments: 1..<40) func `A name of any token is found`(length: Int) {
        for place in 0..<length {
            var name = Array(text("name-", length))
            name[place] = Array("!#$%&'*+.^_`|~")[place % 14]
            #expect(transcript("\(String(name)): x\r\n").heads.first?.first?.name == String(name))
        }
    }

    @Test(arguments: 0..<40) func `What is no token is found at every place of a name`(place: Int) {
        for wrong in ["(", " ", "\u{7F}", "é", "/", "@", "[", "{"] {
            #expect(transcript(text("name-", place) + wrong + "abc: x\r\n").error != nil)
        }
    }

    @Test(arguments: 0..<40) func `A dangerous byte is found at every place of a value`(place: Int) {
        for wrong in ["\0", "\r", "\n"] {
            for rest in 0..<20 {
                let lines = "A: " + text("value", place) + "x" + wrong + "x" + text("value", rest) + "\r\n"
                #expect(transcript(lines).heads.isEmpty)
            }
        }
    }

    @Test(arguments: 0..<40) func `A harmless control character stays in the value`(place: Int) {
        let value = text("value", place) + "x\u{1}\tx" + text("value", 40 - place)
        #expect(transcript("A: \(value)\r\nB: c\r\n").heads.first == ["A": value, "B": "c"])
    }

    @Test(arguments: 0..<40) func `A line as long as allowed is read, and a longer one is not`(length: Int) {
        var script = ResponseScript()
        script.limits.maximumFieldLineSize = length + 3
        let head = Array("HTTP/1.1 204 x\r\nA:\r\nC: ".utf8)
        let value = Array(text("value", length).utf8)
        let end: [UInt8] = [13, 10, 13, 10]
        #expect(UnmappedPage.run(script, head + value + end).heads.count == 1)
        #expect(UnmappedPage.run(script, head + value + [0x76] + end).heads.isEmpty)
    }
}
