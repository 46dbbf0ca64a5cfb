// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct ConnectionTests {
    @Test func `is watched again after a response that ended while its task was suspended`() async throws {
        let body = String(repeating: "x", count: 1000)
        let origin = try ScriptedOrigin { connection, _ in
            connection == 1 ? [.ok(body), .hold, .ok("stray"), .awaitClose] : [.ok("mine")]
        }
        let session = Session.limited()
        let delegate = RecordingDelegate { task, event in if case .body = event { task.suspend() } }
        session.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
        #expect(await delegate.end().body.count == 1000)
        try origin.release()
        #expect(await origin.waitFor { $0.openConnections == 0 })
        #expect(try await session.text(URLRequest(origin)) == "mine")
    }

    @Test func `goes back to its pool when a request cannot be encoded`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("answer")] }
        let session = Session.limited()
        var bad = try URLRequest(origin)
        bad.setValue("a\r\nb", forHTTPHeaderField: "X-Bad")
        for _ in 0..<3 {
            #expect(await session.failure(of: bad)?.reason.invalidity != nil)
            #expect(try await session.text(URLRequest(origin)) == "answer")
        }
        #expect(origin.connectionCount == 1)
        #expect(origin.requests.count == 3)
    }

    @Test func `leaves its pool when it dies while a request that cannot be encoded holds it`() async throws {
        let origin = try ScriptedOrigin { connection, _ in
            connection == 1 ? [.ok(), .hold, .close] : [.ok("answer")]
        }
        let session = Session.limited()
        _ = try await session.data(for: URLRequest(origin))
        var bad = try URLRequest(origin)
        bad.setValue("a\r\nb", forHTTPHeaderField: "X-Bad")
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: bad, delegate: delegate)
        // The reactor gets no chance to see the close between the refusal and its giving the connection back.
        await session.onReactor {
            task.resume()
            try? origin.release()
            while origin.observations.openConnections > 0 { sched_yield() }
        }
        #expect(await delegate.end().error?.reason.invalidity != nil)
        #expect(try await session.text(URLRequest(origin)) == "answer")
        #expect(try await session.text(URLRequest(origin)) == "answer")
        #expect(origin.connectionCount == 2)
    }

    @Test func `leaves its pool when an idle TLS connection receives what is no TLS`() async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: try authority.issue()) { connection, _ in
            connection == 1
                ? [.ok("first"), .hold, .sendBelowTLS(Array("not a record, not even close".utf8)), .awaitClose]
                : [.ok("second")]
        }
        let session = try Session.trusting(authority)
        #expect(try await session.text(URLRequest(origin)) == "first")
        try origin.release()
        #expect(await origin.waitFor { $0.openConnections == 0 })
        #expect(try await session.text(URLRequest(origin)) == "second")
        #expect(try await session.text(URLRequest(origin)) == "second")
        #expect(origin.connectionCount == 2)
    }
}
