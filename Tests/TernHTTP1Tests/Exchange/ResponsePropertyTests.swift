// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import Testing

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
        if random.below(2) == 0 { script.leniency = [.bareLineFeedInHead, .paddedChunkSize, .chunkedInHTTP10] }
        let whole = script.run([bytes])
        #expect(script.run(bytes.map { [$0] }) == whole)
        for _ in 0..<10 {
            #expect(script.run(random.pieces(bytes, upTo: 1 + random.below(60))) == whole)
        }
    }
}
