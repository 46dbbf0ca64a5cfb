// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct ConnectionLeftoverTests {
    /// Reads a part of a body of `length` that comes in two parts, and drops the rest.
    private static func drop(_ length: Int, _ session: Session, _ origin: ScriptedOrigin) async throws {
        for try await piece in try await session.bytes(for: URLRequest(origin, "/\(length)")).0 {
            #expect(!piece.isEmpty)
            break
        }
    }

    private static func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in
            guard let length = Int(request.target.dropFirst()) else { return [.ok("answer")] }
            return [
                .send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nx"), .hold,
                .send(Array(repeating: 0x61, count: length - 1)),
            ]
        }
    }

    @Test(arguments: [2, 65_537]) func `a short rest is drained, and the connection reused`(
        length: Int
    ) async throws {
        let origin = try Self.origin()
        let session = Session.limited()
        for _ in 0..<3 {
            try await Self.drop(length, session, origin)
            try origin.release()
            #expect(try await session.text(URLRequest(origin)) == "answer")
        }
        #expect(origin.connectionCount == 1)
    }

    @Test func `a longer rest closes the connection at once`() async throws {
        let origin = try Self.origin()
        let session = Session.limited()
        try await Self.drop(65_538, session, origin)
        #expect(await origin.waitFor { $0.openConnections == 0 })
        #expect(try await session.text(URLRequest(origin)) == "answer")
        #expect(origin.connectionCount == 2)
    }

    @Test(arguments: ["Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n", "\r\nx"])
    func `a rest of unknown length closes the connection at once`(end: String) async throws {
        let origin = try ScriptedOrigin { _, _ in [.send("HTTP/1.1 200 OK\r\n" + end), .awaitClose] }
        try await Self.drop(1, .limited(), origin)
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test func `a rest that does not come is not waited for long`() async throws {
        let origin = try ScriptedOrigin { connection, _ in
            connection == 1 ? [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"), .awaitClose] : [.ok("answer")]
        }
        let session = Session.limited()
        try await Self.drop(9, session, origin)
        #expect(try await session.text(URLRequest(origin)) == "answer")
        #expect(origin.connectionCount == 2)
    }

    @Test func `cancelling closes, whatever is left`() async throws {
        let origin = try Self.origin()
        let session = Session.limited()
        let task = session.dataTask(with: try URLRequest(origin, "/9"))
        task.resume()
        #expect(await origin.waitFor { $0.requestCount == 1 })
        task.cancel()
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }
}
