// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine

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
