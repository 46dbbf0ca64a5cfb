// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(1))) struct ProgressReporterTests {
    private func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in
            request.target == "/moved"
                ? [.respond(status: 307, fields: [("Location", "/")], body: "")]
                : [.ok(String(repeating: "x", count: 300_000))]
        }
    }

    @Test func `an async call reports what is sent and received, up to the whole`() async throws {
        let (session, origin) = (Session.limited(), try origin())
        let reports = Lock<[TransferProgress]>([])
        let content = RequestBody.data(Data(repeating: 1, count: 200_000))
        let (data, _) = try await session.upload(for: URLRequest(origin, "/moved"), from: content) { progress in
            reports.withLock { $0.append(progress) }
        }
        #expect(data.count == 300_000)
        let (last, received) = reports.withLock { ($0.last, $0.map(\.countOfBytesReceived)) }
        let whole = TransferProgress(
            countOfBytesSent: 200_000, countOfBytesExpectedToSend: 200_000, countOfBytesReceived: 300_000,
            countOfBytesExpectedToReceive: 300_000)
        #expect(last == whole)
        // Only the response counts that is the answer, and its bytes grow.
        #expect(received == received.sorted() && received.count > 1)
    }

    @Test func `a download reports what is written`() async throws {
        let (session, origin) = (Session.limited(), try origin())
        let target = URL(filePath: "/tmp/tern-progress-\(UInt64.random(in: 0 ... .max))")
        defer { try? FileManager.default.removeItem(at: target) }
        let reports = Lock<[TransferProgress]>([])
        _ = try await session.download(for: URLRequest(origin), to: target) { progress in
            reports.withLock { $0.append(progress) }
        }
        let last = reports.withLock { $0.last }
        #expect(last?.countOfBytesReceived == 300_000 && last?.countOfBytesExpectedToReceive == 300_000)
    }

    @Test func `a call with progress fails as one without it`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.reset] }
        await #expect(throws: SessionError.self) {
            _ = try await Session.limited().data(for: URLRequest(origin)) { _ in }
        }
    }
}
