// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Synchronization
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// `finish(within:)`: the end of a session that waits for its tasks.
@Suite(.timeLimit(.minutes(1))) struct FinishTests {
    private final class EndRecorder: SessionDelegate {
        let count = Lock(0)

        func sessionDidBecomeInvalid(_ session: Session) { count.withLock { $0 += 1 } }
    }

    /// A session whose first request is being processed until the origin is released.
    private func begun() async throws -> (ScriptedOrigin, Session, RecordingDelegate, EndRecorder) {
        let origin = try ScriptedOrigin { _, _ in [.hold, .ok("done")] }
        let (ends, record) = (EndRecorder(), RecordingDelegate())
        var configuration = SessionConfiguration()
        configuration.reactorCount = 1
        let session = Session(configuration: configuration, delegate: ends)
        session.dataTask(with: try URLRequest(origin), delegate: record).resume()
        #expect(await origin.waitFor { $0.requestCount == 1 })
        return (origin, session, record, ends)
    }

    @Test func `an idle session ends at once, and a second time`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("done")] }
        let session = Session.limited()
        #expect(try await session.text(URLRequest(origin)) == "done")
        await session.finish()
        #expect(await origin.waitFor { $0.openConnections == 0 })
        await session.finish(within: .seconds(60))
        await #expect(throws: SessionError.self) { try await session.text(URLRequest(origin)) }
    }

    @Test func `a running task ends, a new one does not begin, and every caller waits`() async throws {
        let (origin, session, record, ends) = try await begun()
        async let first: Void = session.finish()
        async let second: Void = session.finish(within: .seconds(60))
        #expect(await eventually { session.invalidation.load(ordering: .sequentiallyConsistent) == .begun })
        let late = RecordingDelegate()
        session.dataTask(with: try URLRequest(origin), delegate: late).resume()
        #expect(await late.end().error?.reason.isInvalidation == true)
        #expect(record.record.completions == 0 && ends.count.withLock { $0 } == 0)
        try origin.release()
        _ = await (first, second)
        #expect(record.record.error == nil && String(decoding: record.record.body, as: UTF8.self) == "done")
        #expect(ends.count.withLock { $0 } == 1)
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test func `what is left after the time is cancelled`() async throws {
        let (origin, session, record, ends) = try await begun()
        async let long: Void = session.finish(within: .seconds(60))
        await session.finish(within: .milliseconds(20))
        _ = await long
        #expect(record.record.error?.reason.kind == .cancelled && ends.count.withLock { $0 } == 1)
        withExtendedLifetime(origin) {}
    }

    @Test func `cancelling the wait cancels the tasks`() async throws {
        let (origin, session, record, ends) = try await begun()
        let wait = Task { await session.finish(within: .seconds(60)) }
        wait.cancel()
        await wait.value
        #expect(record.record.error?.reason.kind == .cancelled && ends.count.withLock { $0 } == 1)
        withExtendedLifetime(origin) {}
    }

    @Test func `a session that cannot end does not wait`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("done")] }
        let session = Session.limited()
        session.ruleOutInvalidation()
        await session.finish()
        #expect(try await session.text(URLRequest(origin)) == "done")
    }
}
