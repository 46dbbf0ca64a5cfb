// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine

@Suite(.timeLimit(.minutes(5))) struct BodyLinesTests {
    private static let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    private static func chunk(_ text: String) -> String { "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n" }

    @Test func `a line is delivered as soon as it has ended, wherever the chunks end`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [
                .send(Self.head + Self.chunk("one\r")), .hold, .send(Self.chunk("\ntwo\n\nthr")), .hold,
                .send(Self.chunk("ee\nlast") + "0\r\n\r\n"),
            ]
        }
        let (bytes, _) = try await Session.limited().bytes(for: URLRequest(origin))
        var lines = bytes.lines.makeAsyncIterator()
        #expect(try await lines.next() == "one")
        try origin.release()
        #expect(try await lines.next() == "two")
        #expect(try await lines.next() == "")
        try origin.release()
        #expect(try await lines.next() == "three")
        #expect(try await lines.next() == "last")
        #expect(try await lines.next() == nil)
        #expect(try await lines.next() == nil)
    }

    @Test func `a body cut at any point gives the lines that were complete, and the error`() async throws {
        let bytes = Array("first\r\nsecond\nthird".utf8)
        let origin = try ScriptedOrigin { _, request in
            let count = Int(request.target.dropFirst()) ?? 0
            return [.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\n".utf8) + bytes.prefix(count)), .close]
        }
        let session = Session.limited()
        for count in 0..<bytes.count {
            let (bytes, _) = try await session.bytes(for: URLRequest(origin, "/\(count)"))
            var lines: [String] = []
            let error = await #expect(throws: SessionError.self) {
                for try await line in bytes.lines { lines.append(line) }
            }
            #expect(error?.reason.isConnectionLoss == true)
            // A line has come with its CR, whatever follows.
            #expect(lines == Array(["first", "second"].prefix(count < 6 ? 0 : count < 14 ? 1 : 2)), "\(count)")
        }
    }
}
