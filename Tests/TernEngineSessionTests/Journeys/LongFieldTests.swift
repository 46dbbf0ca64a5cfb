// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Whatever reads a field of a peer stops: no field makes a response cost much more than its bytes. Each has 220 KB, which the
/// parser admits, and 16 connections bring it at once.
@Suite(.serialized, .timeLimit(.minutes(5))) struct LongFieldTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let unit: String
        var status = 200

        var testDescription: String { "\(status) \(name): \(unit)" }

        /// Four fields, because a line has a limit.
        var response: String {
            let value = String(repeating: unit, count: 55_000 / unit.utf8.count)
            let field = "\(name): \(value)\r\n"
            let length = name == "Content-Length" || name == "Transfer-Encoding" ? "" : "Content-Length: 1\r\n"
            return "HTTP/1.1 \(status) X\r\n\(field)\(field)\(field)\(field)\(length)\r\nx"
        }
    }

    static let rows = [
        ("Vary", "aa,", 200), ("Vary", "\u{e9},", 200), ("Cache-Control", "max-age=5,", 200),
        ("Cache-Control", "no-cache=\"a,b\",", 200), ("Cache-Control", "\"", 200), ("Connection", "a,", 200),
        ("Keep-Alive", "timeout=5,", 200), ("Content-Encoding", "identity,", 200), ("Content-Encoding", ",", 200),
        ("Content-Encoding", "gzip,", 200), ("Content-Length", "1,", 200), ("Transfer-Encoding", ",", 200),
        ("WWW-Authenticate", "Basic realm=a,", 401), ("WWW-Authenticate", "Digest nonce=\"a", 401),
        ("Authentication-Info", "nextnonce=a,", 200), ("Set-Cookie", "a=b;", 200),
        ("Set-Cookie", "a=b; expires=1 1 ", 200),
        ("Location", "a/../", 302), ("Location", "\u{e9}", 302), ("Content-Range", "bytes 0-0/", 206),
        ("Content-Type", "a/b;", 200), ("Content-Type", "\u{e9}", 200), ("Content-Disposition", "a;b=c;", 200),
        ("Content-Disposition", "a;filename=\"\\\"", 200), ("Repr-Digest", "sha-256=:AAAA:,", 200),
        ("ETag", "\"a\",", 200),
        ("ETag", "\u{e9}", 200), ("Last-Modified", "Sun, 06 Nov ", 200), ("Date", "Sun, 06 Nov ", 200),
        ("Expires", "Sun-06:", 200), ("Age", "1,", 200), ("Retry-After", "1 ", 503),
        ("Strict-Transport-Security", "a;", 200), ("Link", "<a>; b=c,", 200),
        ("Allow", "GET,", 405), ("Upgrade", "a,", 426), ("Trailer", "a,", 200), ("Accept-Ranges", "bytes,", 200),
    ].map { Row(name: $0.0, unit: $0.1, status: $0.2) }

    private static let connections = 16

    /// A session and an origin that answers it as one row says.
    private struct Bench {
        let origin: ScriptedOrigin
        let session: Session

        init(_ row: Row, isStored: Bool) throws {
            let response = row.response
            origin = try ScriptedOrigin { _, _ in [.send(response)] }
            session = Session.limited(to: LongFieldTests.connections) {
                if isStored { $0.urlCache = URLCache(memoryCapacity: 1 << 26) }
                $0.httpCookieStorage = HTTPCookieStorage()
                $0.urlCredentialStorage = CredentialStorage()
            }
        }

        /// What the reactor works for one answer on each connection, in seconds of its processor.
        func cost(round: Int) async throws -> Double {
            let before = await session.onReactor { ThreadClock.now }
            let responses = try await withThrowingTaskGroup(of: HTTPURLResponse?.self) { group in
                for number in 0..<LongFieldTests.connections {
                    let request = try URLRequest(origin, "/\(round)/\(number)")
                    group.addTask { try? await session.data(for: request).1 }
                }
                return try await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
            }
            // What programs ask of a response.
            await session.onReactor { for response in responses { LongFieldTests.read(response) } }
            return await session.onReactor { ThreadClock.now } - before
        }
    }

    private static func read(_ response: HTTPURLResponse) {
        let head = response.head
        _ = (response.mimeType, response.proposedFilename, StrongValidator(of: head))
        _ = head.values(for: "Content-Range").map { ContentRange($0) }
        _ = ReprDigest.strongest(in: head.bytes(for: "Repr-Digest"))
        _ = head.values(for: "Retry-After").map { HTTPDate.seconds($0) }
        _ = head.bytes(for: "Strict-Transport-Security").map { StrictTransportSecurity($0) }
    }

    @Test func `a value that is longer than any of its kind is not read`() throws {
        func many(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }
        #expect(ContentRange("bytes 0-0/\(many("0", 100))1") == .part(first: 0, last: 0, total: 1))
        #expect(ContentRange("bytes 0-0/\(many("0", 120))1") == nil)
        #expect(ContentDisposition("a\(many(";x=y", 63));filename=b").fileName == "b")
        #expect(ContentDisposition("a\(many(";x=y", 64));filename=b").fileName == nil)
        #expect(ContentDisposition("a;filename=\(many("b", 8192))").fileName == nil)
        #expect(StrictTransportSecurity(Array("max-age=1; \(many("a", 1000))".utf8)) != nil)
        #expect(StrictTransportSecurity(Array("max-age=1; \(many("a", 1020))".utf8)) == nil)
        for (length, isRead) in [(1022, true), (1023, false)] {
            let response = try HTTPURLResponse(
                url: nil, statusCode: 200, headers: ["Content-Type": "a/\(many("b", length)); charset=x"])
            #expect((response.mimeType != nil) == isRead)
        }
        for (length, isRead) in [(8190, true), (8191, false)] {
            let head = try ResponseHead(status: 200, fields: ["ETag": "\"\(many("a", length))\""])
            #expect((StrongValidator(of: head) != nil) == isRead)
        }
    }

    /// The reactor's own time is measured, and in turns with that of a field that nothing reads, because other work of the
    /// machine slows both: more than three times as much in each of ten turns would be as many further passes over the bytes.
    @Test(arguments: [false, true]) func `no field costs much more than one that nothing reads`(isStored: Bool)
        async throws
    {
        let control = try Bench(Row(name: "X-Unread", unit: "aa,"), isStored: isStored)
        var turns = 0
        for row in Self.rows {
            let bench = try Bench(row, isStored: isStored)
            var least = Double.infinity
            for _ in 0..<10 where least > 3 {
                turns += 1
                least = min(least, try await bench.cost(round: turns) / control.cost(round: turns))
            }
            #expect(least <= 3, "\(row.testDescription) costs this many times what a field costs that nothing reads")
        }
    }
}
