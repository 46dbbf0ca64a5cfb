// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Synchronization
import TernHTTP1
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Observers of a session and timelines of a task: who is told, where, and what they may do.
@Suite(.timeLimit(.minutes(1))) struct ObserverTests {
    private static func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in
            if let (status, location) = request.redirection { return [.redirect(status, to: location)] }
            switch request.target {
            case "/upgrade":
                return [.send("HTTP/1.1 101 X\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n"), .awaitClose]
            case "/events":
                return [.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: a\n\n"), .close]
            case "/silent": return [.awaitClose]
            default: return [.ok("answer")]
            }
        }
    }

    /// Every way to make a task.
    enum Verb: String, CaseIterable {
        case data, bytes, upload, download, downloadTo, events, upgrade, handler, task, stream
    }

    private func perform(
        _ verb: Verb, _ session: Session, _ origin: ScriptedOrigin, _ delegate: (any SessionTaskDelegate)? = nil
    ) async throws {
        let folder = try TestFolder()
        let request = try URLRequest(origin, verb == .upgrade ? "/upgrade" : verb == .events ? "/events" : "/302?/a")
        switch verb {
        case .data: _ = try await session.data(for: request, delegate: delegate)
        case .bytes: for try await _ in try await session.bytes(for: request, delegate: delegate).0 {}
        case .upload:
            _ = try await session.upload(for: request, from: .data(Data("text".utf8)), delegate: delegate)
        case .download:
            let (file, _) = try await session.download(for: request, delegate: delegate)
            try FileManager.default.removeItem(at: file)
        case .downloadTo: _ = try await session.download(for: request, to: folder.url("file"), delegate: delegate)
        case .events:
            for try await _ in session.events(for: request, reconnection: .never, delegate: delegate) {}
        case .upgrade:
            var request = request
            request.headers["Upgrade"] = "echo"
            try await session.upgrade(for: request, delegate: delegate).0.cancel()
        case .handler:
            await withCheckedContinuation { done in
                session.dataTask(with: request) { _ in done.resume() }.resume()
            }
        case .task:
            let recorder = RecordingDelegate()
            session.dataTask(with: request, delegate: delegate ?? recorder).resume()
            if delegate == nil { _ = await recorder.end() }
        case .stream:
            let stream = session.streamTask(withHostName: "127.0.0.1", port: Int(origin.port))
            stream.resume()
            try await stream.write(Data("GET /a HTTP/1.1\r\nHost: a\r\n\r\n".utf8), timeout: nil)
            _ = try await stream.readData(ofMinLength: 1, maxLength: 1, timeout: .seconds(20))
            stream.cancel()
        }
    }

    @Test(arguments: Verb.allCases)
    func `an observer is told of every task, however it is made`(verb: Verb) async throws {
        let (origin, observer) = (try Self.origin(), RecordingObserver())
        let session = Session.limited { $0.observers = [observer] }
        try await perform(verb, session, origin)
        // A stream that an upgrade gave is a task of its own.
        #expect(await eventually { observer.completedCount == (verb == .upgrade ? 2 : 1) })
        #expect(observer.faults == [])
    }

    @Test func `a closure observes what a timeline has`() async throws {
        let names = Lock<[String]>([])
        let origin = try Self.origin()
        let observer = EventObserver { observation in names.withLock { $0.append(observation.event.name) } }
        let session = Session.limited { $0.observers = [observer] }
        let task = session.dataTask(with: try URLRequest(origin, "/302?/a"), delegate: RecordingDelegate())
        let timeline = task.timeline
        task.resume()
        let expected = await timeline.reduce(into: []) { $0.append($1.event.name) }
        // A timeline is told before the observers are.
        #expect(await eventually { names.withLock { $0 } == expected })
    }

    @Test(arguments: Verb.allCases.filter { ![.handler, .task, .stream].contains($0) })
    func `every async call tells its delegate all but what concerns the content`(verb: Verb) async throws {
        let (origin, delegate) = (try Self.origin(), Noting())
        try await perform(verb, Session.limited(), origin, delegate)
        let isRedirected = ![.upgrade, .events].contains(verb)
        let expected = isRedirected ? ["will-send", "redirect", "will-send", "completed"] : ["will-send", "completed"]
        #expect(delegate.names.filter { ["will-send", "redirect", "response", "completed"].contains($0) } == expected)
        #expect(delegate.metrics?.hops.count == (isRedirected ? 2 : 1))
    }

    @Test(arguments: Verb.allCases.filter { ![.handler, .task, .stream].contains($0) })
    func `the delegate of the session is told of every call`(verb: Verb) async throws {
        let (origin, delegate) = (try Self.origin(), NotingSession())
        let session = Session(delegate: delegate)
        try await perform(verb, session, origin)
        #expect(await eventually { delegate.record.names.last == "completed" })
        #expect(delegate.created.load(ordering: .relaxed) == 1)
        // In place of it a delegate of the call is told, but for the task's creation.
        let own = Noting()
        let count = delegate.record.names.count
        try await perform(verb, session, origin, own)
        #expect(own.names.last == "completed" && delegate.record.names.count == count)
        #expect(delegate.created.load(ordering: .relaxed) == 2)
    }

    @Test func `a delegate of an async call follows no redirect that it refuses`() async throws {
        let (origin, delegate) = (try Self.origin(), Noting(follows: false))
        let (_, response) = try await Session.limited().data(for: URLRequest(origin, "/302?/a"), delegate: delegate)
        #expect(response.statusCode == 302)
    }

    @Test func `what an observer returns for a task is with each of its events, and no other's`() async throws {
        let (origin, session) = (
            try Self.origin(), Session.limited { $0.observers = [Counting(7), Silent(), Counting(9)] }
        )
        _ = try await session.data(for: URLRequest(origin))
        _ = try await session.data(for: URLRequest(origin))
        let counters = session.configuration.observers.compactMap { $0 as? Counting }
        #expect(counters.map(\.isRight) == [true, true])
        #expect(counters.map { $0.created.load(ordering: .relaxed) } == [2, 2])
    }

    @TaskLocal private static var place = "nowhere"

    @Test func `a task is created in the context of its caller`() async throws {
        let (origin, observer) = (try Self.origin(), Placing { Self.place })
        let session = Session.limited { $0.observers = [observer] }
        try await Self.$place.withValue("here") { _ = try await session.data(for: URLRequest(origin)) }
        #expect(observer.places == ["here"])
    }

    @Test func `fields that an observer adds are in each attempt, and in no later one`() async throws {
        let count = Atomic<Int>(0)
        let origin = try ScriptedOrigin { _, _ in
            count.wrappingAdd(1, ordering: .relaxed).newValue == 1 ? [.respond(status: 503)] : [.ok()]
        }
        let session = Session.limited {
            $0.observers = [Adding()]
            ($0.retryPolicy, $0.retryPolicy.backOff.base) = (.standard, .milliseconds(1))
        }
        _ = try await session.data(for: URLRequest(origin))
        #expect(origin.requests.map { $0.value(of: "Traceparent") } == ["attempt 1", "attempt 2"])
    }

    /// What an observer does when it is told, of every kind of event.
    enum Act: String, CaseIterable { case cancel, invalidate, finish, start, reset }

    @Test(arguments: Act.allCases)
    func `an observer may do anything at any event`(act: Act) async throws {
        let path = "/302?/a"
        // How many events there are, without an act.
        let total = try await run(nil, at: .max, path)
        for place in 1...total { _ = try await run(act, at: place, path) }
    }

    /// Returns the number of events.
    private func run(_ act: Act?, at place: Int, _ path: String) async throws -> Int {
        let (origin, watching, acting) = (try Self.origin(), RecordingObserver(), Acting(at: place))
        let session = Session.limited { $0.observers = [acting, watching] }
        acting.act = { [weak session] task in
            guard let session else { return }
            switch act {
            case .cancel: task.cancel()
            case .invalidate: session.invalidateAndCancel()
            case .finish: session.finishTasksAndInvalidate()
            case .start:
                if let other = try? URLRequest(origin, "/other") {
                    session.dataTask(with: other, delegate: RecordingDelegate()).resume()
                }
            case .reset: session.reset()
            case nil: break
            }
        }
        let delegate = RecordingDelegate()
        session.dataTask(with: try URLRequest(origin, path), delegate: delegate).resume()
        let record = await delegate.end()
        #expect(record.completions == 1, "\(place)")
        #expect(await eventually { watching.completedCount >= (act == .start ? 2 : 1) }, "\(place)")
        await session.expectNothingLeft()
        #expect(watching.faults == [], "\(place)")
        return acting.count.load(ordering: .relaxed)
    }

    @Test func `a connection is opened, used, idle and closed`() async throws {
        let (origin, observer) = (try Self.origin(), RecordingObserver())
        let session = Session.limited { $0.observers = [observer] }
        _ = try await session.data(for: URLRequest(origin))
        _ = try await session.data(for: URLRequest(origin))
        session.reset()
        #expect(await eventually { observer.connections == ["opened in-use idle in-use idle closed(session)"] })
        await #expect(throws: SessionError.self) {
            try await session.data(for: URLRequest(origin, "/silent").limited(to: Timeouts(total: .milliseconds(50))))
        }
        #expect(await eventually { observer.connections.last == "opened in-use closed(exchange)" })
    }

    // Timelines

    @Test func `a timeline has all events of a task, and ends`() async throws {
        let (origin, session) = (try Self.origin(), Session.limited())
        let task = session.dataTask(with: try URLRequest(origin, "/302?/a"), delegate: RecordingDelegate())
        let timeline = task.timeline
        task.resume()
        let names = await timeline.reduce(into: []) { $0.append($1.event.name) }
        #expect(names.first == "started" && names.last == "completed" && timeline.droppedCount == 0)
        #expect(names.count { $0 == "attempt-over" } == 2 && names.contains("connected"))
        #expect(await task.timeline.reduce(into: 0) { count, _ in count += 1 } == 0)
    }

    @Test func `a timeline that begins late has the rest`() async throws {
        let (origin, session) = (try Self.origin(), Session.limited())
        let task = session.dataTask(with: try URLRequest(origin, "/silent"), delegate: RecordingDelegate())
        task.resume()
        #expect(await origin.waitFor { $0.headCount == 1 })
        // The origin may have the head before the reactor has told that it was sent.
        await session.settle()
        let timeline = task.timeline
        task.cancel()
        let names = await timeline.reduce(into: []) { $0.append($1.event.name) }
        #expect(names == ["attempt-over", "hop-over", "completed"])
    }

    @Test func `a timeline of a task that is cancelled before it starts has its end`() async throws {
        let session = Session.limited()
        let task = session.dataTask(with: try URLRequest(Self.origin()), delegate: RecordingDelegate())
        let timeline = task.timeline
        task.cancel()
        let names = await timeline.reduce(into: []) { $0.append($1.event.name) }
        #expect(names == ["started", "hop-began", "hop-over", "completed"])
    }

    @Test func `a timeline that nobody reads keeps the last events, and counts the others`() async throws {
        let count = 2_000
        let origin = try ScriptedOrigin { _, _ in
            [.send(String(repeating: "HTTP/1.1 103 X\r\n\r\n", count: count)), .ok()]
        }
        var limits = ParsingLimits()
        limits.maximumInformationalResponseCount = count
        let session = Session.limited { [limits] in $0.limits = limits }
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: try URLRequest(origin), delegate: delegate)
        let timeline = task.timeline
        task.resume()
        _ = await delegate.end()
        let kept = await timeline.reduce(into: []) { $0.append($1.event.name) }
        #expect(kept.count == TaskTimeline.capacity && kept.last == "completed")
        #expect(timeline.droppedCount > count - TaskTimeline.capacity)
    }
}

/// Notes the names of events.
private final class Noting: SessionTaskDelegate {
    private let noted = Lock<(names: [String], metrics: TaskMetrics?)>(([], nil))
    private let follows: Bool

    init(follows: Bool = true) { self.follows = follows }

    var names: [String] { noted.withLock { $0.names } }
    var metrics: TaskMetrics? { noted.withLock { $0.metrics } }

    func handle(_ event: TaskEvent, of task: SessionTask) {
        noted.withLock { $0.names.append(event.name) }
        switch event {
        case .completed: noted.withLock { $0.metrics = task.metrics }
        case .redirect(_, let request, let question): question.answer(follows ? .follow(request) : .deliver)
        default: NoOpTaskDelegate.shared.handle(event, of: task)
        }
    }
}

private final class NotingSession: SessionDelegate, SessionDownloadDelegate, UpgradeDelegate {
    let record = Noting()
    let created = Atomic<Int>(0)

    func session(_ session: Session, didCreate task: SessionTask) { created.add(1, ordering: .relaxed) }
    func handle(_ event: TaskEvent, of task: SessionTask) { record.handle(event, of: task) }
    func downloadTask(_ task: SessionDownloadTask, didFinishDownloadingTo location: URL) {}
    func task(_ task: SessionTask, didBecome stream: StreamTask) {}
}

private struct Silent: SessionObserver {}

/// Returns a number for each task, and wants it back.
private final class Counting: SessionObserver {
    private let number: Int
    private let wrong = Atomic<Bool>(false)
    let created = Atomic<Int>(0)

    init(_ number: Int) { self.number = number }

    var isRight: Bool { !wrong.load(ordering: .relaxed) }

    func created(_ task: any ObservedTask) -> (any Sendable)? {
        created.add(1, ordering: .relaxed)
        return task.taskIdentifier * 10 + number
    }

    func observe(_ observation: TaskObservation) {
        if observation.context as? Int != observation.task.taskIdentifier * 10 + number {
            wrong.store(true, ordering: .relaxed)
        }
    }
}

private final class Placing: SessionObserver {
    private let noted = Lock<[String]>([])
    private let place: @Sendable () -> String

    init(_ place: @escaping @Sendable () -> String) { self.place = place }

    var places: [String] { noted.withLock { $0 } }

    func created(_ task: any ObservedTask) -> (any Sendable)? {
        noted.withLock { $0.append(place()) }
        return nil
    }
}

private struct Adding: SessionObserver {
    let addsFields = true

    func addFields(to request: inout URLRequest, _ observation: TaskObservation) {
        request.headers["Traceparent"] = "attempt \(observation.attempt)"
    }
}

/// Acts at one event, by its number.
private final class Acting: SessionObserver, @unchecked Sendable {
    let count = Atomic<Int>(0)
    private let place: Int
    /// Set before the first event.
    var act: (any ObservedTask) -> Void = { _ in }

    init(at place: Int) { self.place = place }

    func observe(_ observation: TaskObservation) {
        if observation.task.originalRequest.url?.path() == "/other" { return }
        if count.wrappingAdd(1, ordering: .relaxed).newValue == place { act(observation.task) }
    }
}
