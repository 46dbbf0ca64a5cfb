// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import Testing

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
