// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct LineFeedTests {
    private static let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    private static func chunk(_ text: String) -> String { "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n" }

    @Test func `a line that never ends is an error that names its limit, and ends the response`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.send("HTTP/1.1 200 OK\r\n\r\nok\n"), .repeat(Array(repeating: 0x61, count: 65536), count: 1 << 20)]
        }
        let (bytes, _) = try await Session.limited().bytes(for: URLRequest(origin))
        var lines = bytes.lines(maximumLength: 100_000).makeAsyncIterator()
        #expect(try await lines.next() == "ok")
        do throws(SessionError) {
            _ = try await lines.next()
            Issue.record("a line that never ends was read")
        } catch {
            guard case .transfer(.unreadable(.lineTooLong(limit: 100_000))) = error.reason else {
                Issue.record("\(error)")
                return
            }
            #expect(error.origin?.port == origin.port)
        }
        #expect(try await lines.next() == nil)
    }

    @Test func `leaving the lines early stops the server`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.send("HTTP/1.1 200 OK\r\n\r\n"), .repeat(Array("line\n".utf8), count: 1 << 30)]
        }
        let session = Session.limited()
        var count = 0
        for try await line in try await session.bytes(for: URLRequest(origin)).0.lines {
            #expect(line == "line")
            count += 1
            if count == 10 { break }
        }
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }
}

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

@Suite(.timeLimit(.minutes(5))) struct DecodedLinesTests {
    private struct Reading: Decodable, Equatable {
        let name: String
        let value: Int
    }

    private static func read(_ body: String) async throws -> (values: [Reading], error: SessionError?) {
        let origin = try ScriptedOrigin { _, _ in
            [.respond(fields: [(name: "Content-Type", value: "application/x-ndjson")], body: body)]
        }
        let (bytes, _) = try await Session.limited().bytes(for: URLRequest(origin))
        var values: [Reading] = []
        do throws(SessionError) {
            var iterator = bytes.decoded(as: Reading.self).makeAsyncIterator()
            while let value = try await iterator.next() { values.append(value) }
            return (values, nil)
        } catch {
            return (values, error)
        }
    }

    @Test(arguments: ["\n", "\r\n", "\n\n", "\n \t\r\n"], ["", "\n"])
    func `each line is a value, and a blank one none`(separator: String, end: String) async throws {
        let body = "{\"name\":\"a\",\"value\":1}\(separator){ \"value\": 2, \"name\": \"b\\n\" }\(end)"
        let (values, error) = try await Self.read(body)
        #expect(values == [Reading(name: "a", value: 1), Reading(name: "b\n", value: 2)])
        #expect(error == nil)
    }

    @Test(arguments: ["{", "{\"name\":\"a\"}", "[1]", "null", "{\"name\":\"a\",\"value\":1}{}", "\u{1}"])
    func `a line that is not such a value is reported by its number`(line: String) async throws {
        let good = "{\"name\":\"a\",\"value\":1}\n"
        let (values, error) = try await Self.read("\(good)\n\(good)\(line)\n\(good)")
        #expect(values.count == 2)
        guard case .transfer(.unreadable(.undecodableLine(number: 4, let cause))) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause is DecodingError)
        #expect(error?.description.contains("line 4") == true)
    }

    @Test func `an endless value is an error, and nothing comes behind it`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [
                .send("HTTP/1.1 200 OK\r\n\r\n{\"name\":\""),
                .repeat(Array(repeating: 0x61, count: 65536), count: 1 << 20),
            ]
        }
        let (bytes, _) = try await Session.limited().bytes(for: URLRequest(origin))
        var values = bytes.decoded(as: Reading.self, maximumLineLength: 1000).makeAsyncIterator()
        let error = await #expect(throws: SessionError.self) { try await values.next() }
        guard case .transfer(.unreadable(.lineTooLong(limit: 1000))) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await values.next() == nil)
    }
}
