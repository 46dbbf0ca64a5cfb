// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct DataCollectorTests {
    private func limit(of error: SessionError?) -> Int? {
        if case .transfer(.bodyTooLarge(let limit)) = error?.reason { limit } else { nil }
    }

    @Test(arguments: [0, 1, 99, 100]) func `collects up to the limit`(count: Int) async throws {
        let body = String(repeating: "x", count: count)
        let origin = try ScriptedOrigin { _, request in request.target == "/chunked" ? [.chunked([body])] : [.ok(body)]
        }
        let session = Session.limited { $0.maximumCollectedBodySize = 100 }
        #expect(try await session.text(URLRequest(origin)) == body)
        #expect(try await session.text(URLRequest(origin, "/chunked")) == body)
    }

    @Test func `refuses a body that is announced too large, before it comes`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n"), .hold] }
        let session = Session.limited { $0.maximumCollectedBodySize = 100 }
        let error = await session.failure(of: try URLRequest(origin))
        #expect(limit(of: error) == 100)
        #expect(error?.phase == .body)
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test func `refuses a body that grows too large`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [
                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
                .repeat(Array("a\r\n0123456789\r\n".utf8), count: 1 << 30),
            ]
        }
        let session = Session.limited { $0.maximumCollectedBodySize = 1_000_000 }
        #expect(limit(of: await session.failure(of: try URLRequest(origin))) == 1_000_000)
        #expect(await origin.waitFor { $0.openConnections == 0 })
        #expect(origin.observations.bytesSent < 16_000_000)
    }

    @Test func `takes no offence at the length of what HEAD and 304 do not bring`() async throws {
        let origin = try ScriptedOrigin { _, request in
            [.respond(status: request.target == "/304" ? 304 : 200, fields: [("Content-Length", "1000000000000")])]
        }
        let session = Session.limited()
        let (data, response) = try await session.data(for: URLRequest(origin, method: "HEAD"))
        #expect(data.isEmpty)
        #expect(response.expectedContentLength == 1_000_000_000_000)
        #expect(try await session.data(for: URLRequest(origin, "/304")).1.statusCode == 304)
        #expect(origin.connectionCount == 1)
    }
}
