// SPDX-License-Identifier: Apache-2.0
import TernLock
import TernTesting
import TestProofs
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(1))) struct TaskStateObserversTests {
    private final class Journal: Sendable {
        private let lines = Lock<[String]>([])

        func note(_ line: String) { lines.withLock { $0.append(line) } }

        var entries: [String] { lines.withLock { $0 } }
    }

    private let journal = Journal()

    private func listen(to task: SessionTask) {
        let identifier = task.taskIdentifier
        TaskStateObservers.tell { [journal] task, runs in
            if task == identifier { journal.note(runs ? "runs" : "stops") }
        }
    }

    @Test(.proves("1.14a")) func `a change between running and being suspended is reported once, and nothing else`()
        async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.hold, .ok()] }
        let recorder = RecordingDelegate()
        let session = Session.limited()
        let task = session.dataTask(with: try URLRequest(origin), delegate: recorder)
        listen(to: task)
        task.suspend()
        task.resume()
        #expect(task.state == .suspended && journal.entries.isEmpty)
        task.resume()
        task.resume()
        #expect(journal.entries == ["runs"])
        task.suspend()
        task.suspend()
        task.resume()
        #expect(journal.entries == ["runs", "stops"])
        task.resume()
        #expect(await origin.waitFor { $0.requestCount == 1 })
        try origin.release()
        _ = await recorder.end()
        task.suspend()
        task.resume()
        #expect(journal.entries == ["runs", "stops", "runs"])
    }

    @Test func `a task that is cancelled neither runs nor stops`() async throws {
        let recorder = RecordingDelegate()
        let session = Session.limited()
        let task = session.dataTask(with: try URLRequest(string: "http://127.0.0.1:1/"), delegate: recorder)
        listen(to: task)
        task.cancel()
        task.resume()
        task.suspend()
        task.resume()
        _ = await recorder.end()
        #expect(journal.entries.isEmpty)
    }
}
