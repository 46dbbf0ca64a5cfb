// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct QueuedDelegateTests {
    /// Blocks that run when the test says so.
    private final class Queue: Sendable {
        private let blocks = Lock<[@Sendable () -> Void]>([])

        var isEmpty: Bool { blocks.withLock { $0.isEmpty } }

        func add(_ block: @escaping @Sendable () -> Void) { blocks.withLock { $0.append(block) } }

        func run() {
            let waiting = blocks.withLock { blocks in
                defer { blocks = [] }
                return blocks
            }
            for block in waiting { block() }
        }
    }

    private final class Recorder: QueuedDelegate {
        let events = DelegateQueue()
        let isOverridden: Bool
        let answersRetries = false
        private let entries = Lock<[String]>([])

        init(isOverridden: Bool = true) { self.isOverridden = isOverridden }

        var notes: [String] { entries.withLock { $0 } }

        private func note(_ text: String) { entries.withLock { $0.append(text) } }

        func deliver(_ event: QueuedEvent, in session: Session) {
            switch event {
            case .task(.response(let response, let question), _):
                note("\(response.statusCode)")
                question.answer(.allow)
            case .task(let event, _): note(event.name)
            case .body(let data, _): note(String(decoding: data.prefix(8), as: UTF8.self))
            case .download(.finished(let file), _):
                note(FileManager.default.fileExists(atPath: file.path) ? "a file" : "no file")
            case .download(let event, _): note("\(event)")
            case .stream(let event, _): note("\(event)")
            case .call(let call): call(session)
            }
        }

        func session(_ session: Session, didCreate task: SessionTask) { events.tasks.add(task) }
    }

    private let queue = Queue()

    private func session(_ delegate: Recorder) -> Session {
        let session = Session(configuration: .default, delegate: delegate)
        delegate.events.attach(to: session, CallbackQueue { [queue] in queue.add($0) })
        return session
    }

    @Test func `the events of a task are told on the queue, in their order, and not before`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("body")] }
        let delegate = Recorder()
        let session = session(delegate)
        let task = session.dataTask(with: try URLRequest(origin))
        task.resume()
        #expect(await eventually { !queue.isEmpty })
        #expect(delegate.notes == [] && delegate.events.tasks.all.first === task)
        #expect(
            await eventually {
                queue.run()
                return delegate.notes.last == "completed"
            })
        #expect(delegate.notes == ["200", "body", "completed"] && delegate.events.tasks.all.isEmpty)
    }

    @Test func `a file is there until its event has been told`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("body")] }
        let delegate = Recorder()
        let session = session(delegate)
        session.downloadTask(with: try URLRequest(origin)).resume()
        #expect(
            await eventually {
                queue.run()
                return delegate.notes.last == "completed"
            })
        #expect(delegate.notes.suffix(2) == ["a file", "completed"])
    }

    @Test func `tasks are paused while bytes of them wait, and continue behind them`() throws {
        let delegate = Recorder()
        let session = session(delegate)
        let request = URLRequest(url: URL(filePath: "/"))
        let (task, other) = (session.dataTask(with: request), session.dataTask(with: request))
        delegate.forward([0x61].span, of: task)
        delegate.forward([0x62].span, of: task)
        #expect(task.isSuspended && !other.isSuspended)
        delegate.forward([0x63].span, of: other)
        #expect(other.isSuspended)
        queue.run()
        #expect(!task.isSuspended && !other.isSuspended)
        #expect(delegate.notes == ["a", "b", "c"])
    }

    @Test func `the events of one request pause its task when many bytes wait`() throws {
        var waiting = WaitingEvents()
        let task = Session.limited().dataTask(with: URLRequest(url: URL(filePath: "/"))) { _ in }
        let many = Data(repeating: 0, count: Valve.highWater)
        #expect(waiting.add(.body(many, task)) == nil)
        #expect(waiting.add(.body(Data([1]), task)) === task)
        #expect(waiting.take().held.count == 1)
        #expect(waiting.add(.body(many, task)) == nil)
    }

    @Test func `without code that receives them, events do not wait, and questions get their usual answers`()
        async throws
    {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/" ? [.respond(status: 302, fields: [("Location", "/to")])] : [.ok("body")]
        }
        let delegate = Recorder(isOverridden: false)
        let session = session(delegate)
        let task = session.dataTask(with: try URLRequest(origin))
        task.resume()
        #expect(await eventually { task.state == .completed })
        #expect(task.error == nil && task.response?.statusCode == 200)
        #expect(queue.isEmpty && delegate.notes == [])
    }

    @Test func `a block waits for the events before it`() throws {
        let delegate = Recorder()
        let session = session(delegate)
        let task = session.dataTask(with: URLRequest(url: URL(filePath: "/")))
        delegate.forward([0x61].span, of: task)
        let notes = Lock<[String]>([])
        delegate.events.perform { notes.withLock { $0 = delegate.notes } }
        queue.run()
        #expect(notes.withLock { $0 } == ["a"])
    }
}
