// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TernLock
import TernTesting
import TestProofs
import Testing

@testable import Tern
@testable import TernEngine

@Suite struct TaskDelegateRelayTests {
    private let journal = Journal()
    private let manager = SessionManager()

    init() { manager.startRequestsImmediately = false }

    @Test(.proves("5.6a", "5.8a", "5.10b")) func `a closure of the task's delegate answers where the hub has none`()
        async throws
    {
        let origin = try ScriptedOrigin { _, request in
            switch (request.target, request.value(of: "Authorization")) {
            case ("/from", _): [.respond(status: 302, fields: [("Location", "/to")])]
            case (_, nil): [.respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=\"r\"")])]
            case (_, let value?): [.ok(value)]
            }
        }
        let request = manager.request(origin.url("/from"))
        request.delegate.taskWillPerformHTTPRedirection = { [journal] _, _, response, request in
            journal.note("redirect \(response.statusCode)")
            return request
        }
        request.delegate.taskDidReceiveChallenge = { [journal] _, _, challenge in
            journal.note("challenge \(challenge.protectionSpace.realm ?? "none")")
            return (.useCredential, Credential(user: "a", password: "b", persistence: .none))
        }
        request.delegate.dataTaskDidReceiveData = { [journal] _, _, data in
            journal.note(String(decoding: data, as: UTF8.self))
        }
        request.delegate.taskDidCompleteWithError = { [journal] _, _, error in journal.note("end \(error == nil)") }
        request.resume()
        #expect(await request.serializingData().result.value == Data())
        #expect(journal.entries == ["redirect 302", "challenge r", "Basic YTpi", "end true"])
    }

    @Test func `a closure of the task's delegate, or of the manager's, refuses a retry`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 503)] }
        func request() throws -> DataRequest {
            var urlRequest = try URLRequest(url: origin.url("/"), method: .get)
            urlRequest.retryPolicy = .standard
            return manager.request(urlRequest)
        }
        let first = try request()
        first.delegate.taskWillRetry = { [journal] _, _, retry in
            journal.note("task \(retry.number) \(retry.cause)")
            return retry.number == 1 ? .retryWithDelay(.milliseconds(1)) : .doNotRetry
        }
        first.resume()
        #expect(await first.serializingData().response.response?.statusCode == 503)
        let second = try request()
        manager.delegate.taskWillRetry = { [journal] _, _, retry in
            journal.note("manager \(retry.number)")
            return .doNotRetry
        }
        second.resume()
        #expect(await second.serializingData().response.response?.statusCode == 503)
        #expect(journal.entries == ["task 1 503", "task 2 503", "manager 1"])
        #expect(origin.observations.requestCount == 3)
    }

    @Test(.proves("5.6b", "5.7a"))
    func `a closure of an upload's delegate is called in place of its progress, and brings a new stream`()
        async throws
    {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/from"
                ? [.respond(status: 307, fields: [("Location", "/to")])] : [.ok("\(request.body.count)")]
        }
        let request = manager.upload(InputStream(data: Data(count: 9)), to: origin.url("/from"))
            .uploadProgress { [journal] _ in journal.note("progress") }
        request.delegate.taskDidSendBodyData = { [journal] _, _, count, total, _ in journal.note("\(count) \(total)") }
        request.delegate.taskNeedNewBodyStream = { [journal] _, _ in
            journal.note("stream")
            return InputStream(data: Data(count: 5))
        }
        request.resume()
        #expect(await request.serializingString().result.value == "5")
        #expect(journal.entries == ["9 9", "stream", "5 5"])
    }
}

@Suite struct QueuedEventTests {
    private let journal = Journal()

    enum Forwarder: CaseIterable {
        /// The hub, for a task that belongs to no request.
        case hub
        /// The delegate of a request.
        case adapter
    }

    private func receiver(_ forwarder: Forwarder, of manager: SessionManager, for request: Request)
        -> any SessionDownloadDelegate
    {
        switch forwarder {
        case .hub: manager.delegate
        case .adapter: request.delegate.receiver
        }
    }

    private func unstarted(_ manager: SessionManager) -> SessionManager {
        manager.startRequestsImmediately = false
        return manager
    }

    @Test(arguments: Forwarder.allCases)
    func `every event and question that has a method arrives there`(_ forwarder: Forwarder) async throws {
        let manager = unstarted(SessionManager(delegate: NotingHub(journal)))
        let url = "http://127.0.0.1:1/"
        let request = manager.request(url)
        let address = try URLRequest(url: url, method: .get)
        let (task, download) = (manager.session.dataTask(with: address), manager.session.downloadTask(with: address))
        let events = try EngineEvents(of: manager.session, task: task)
        let receiver = receiver(forwarder, of: manager, for: request)
        var expected: [String] = []
        for event in events.ofTasks {
            receiver.handle(event, of: task)
            expected += Self.method(of: event)
        }
        for event in events.ofDownloads {
            receiver.handle(event, of: download)
            expected.append(Self.method(of: event))
        }
        _ = await eventually { journal.entries.count >= expected.count }
        #expect(journal.entries == expected)
    }

    @Test func `the hub passes every event of an adopted task to the delegate of its request`() async throws {
        let manager = unstarted(SessionManager(delegate: NotingHub(journal)))
        let url = "http://127.0.0.1:1/"
        let owner = Owner(request: nil, context: manager.context)
        let download = manager.session.downloadTask(with: try URLRequest(url: url, method: .get))
        let task = manager.session.dataTask(with: try URLRequest(url: url, method: .get))
        let request = Request(nil, delegate: owner)
        (manager.delegate[task], manager.delegate[download]) = (request, request)
        let events = try EngineEvents(of: manager.session, task: task)
        for event in events.ofTasks { manager.delegate.handle(event, of: task) }
        for event in events.ofDownloads { manager.delegate.handle(event, of: download) }
        _ = await eventually { owner.spy.events.count >= events.ofTasks.count + events.ofDownloads.count }
        #expect(owner.spy.events == events.ofTasks.map { "\($0)" } + events.ofDownloads.map { "\($0)" })
        #expect(journal.entries == [])
        (manager.delegate[task], manager.delegate[download]) = (nil, nil)
    }

    @Test(arguments: Forwarder.allCases)
    func `a question that no closure receives has its usual answer at once`(_ forwarder: Forwarder) async throws {
        let manager = unstarted(SessionManager())
        let request = manager.request("http://127.0.0.1:1/")
        let task = try #require(request.task)
        let other = manager.session.dataTask(with: try URLRequest(url: "http://127.0.0.1:1/", method: .get))
        let events = try EngineEvents(of: manager.session, task: task)
        let receiver = receiver(forwarder, of: manager, for: request)
        for event in events.ofTasks { receiver.handle(event, of: forwarder == .hub ? other : task) }
        let usual = [
            "trust performDefaultHandling", "retry retry", "redirect follow", "challenge default", "body unavailable",
            "response allow",
        ]
        var answers: [String] = []
        for await answer in events.asker.answers {
            answers.append(answer)
            if answers.count == usual.count { break }
        }
        #expect(answers == usual)
        let isRelayed = request.delegate.isRelayed.load(ordering: .relaxed)
        #expect(!isRelayed)
    }

    @Test func `only a complete download has a file`() throws {
        let manager = unstarted(SessionManager())
        let task = try #require(manager.download("http://127.0.0.1:1/").task as? SessionDownloadTask)
        let file = URL(filePath: "/a/b")
        #expect(QueuedEvent.download(.finished(file), task).file == file)
        #expect(QueuedEvent.download(.wrote(1, total: 1, expected: -1), task).file == nil)
        #expect(QueuedEvent.body(Data(), task).file == nil)
    }

    @Test func `events keep their order, and are taken once`() throws {
        let manager = unstarted(SessionManager())
        let task = try #require(manager.request("http://127.0.0.1:1/").task)
        var relay = WaitingEvents()
        #expect(relay.add(.body(Data("a".utf8), task)) == nil)
        #expect(relay.add(.task(.sentBodyData(1, total: 1, expected: 1), task)) == nil)
        let events = relay.take().events
        #expect(events.count == 2)
        guard case .body = events[0], case .task(.sentBodyData, _) = events[1] else {
            Issue.record("another order")
            return
        }
        #expect(relay.take().events.isEmpty)
    }

    /// The methods that the hub has for the event.
    private static func method(of event: TaskEvent) -> [String] {
        switch event {
        case .waitingForConnectivity: ["waiting"]
        case .willRetry: ["retry"]
        case .serverTrust: ["trust"]
        case .sentBodyData: ["sent 1 2 3"]
        case .redirect: ["redirect"]
        case .challenge: ["challenge"]
        case .newBody: ["stream"]
        case .response: ["response"]
        case .willCache: ["cache"]
        case .completed: ["completed"]
        default: []
        }
    }

    private static func method(of event: DownloadEvent) -> String {
        switch event {
        case .replaced: "replaced"
        case .resumed: "resumed 1 2"
        case .wrote: "wrote 1 2 3"
        case .finished: "finished"
        }
    }
}

/// Notes every call.
private final class NotingHub: Tern.SessionDelegate, @unchecked Sendable {
    private let journal: Journal

    init(_ journal: Journal) { self.journal = journal }

    override func urlSession(
        _ session: Session, task: SessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping RedirectCompletion
    ) { journal.note("redirect") }

    override func urlSession(_ session: Session, taskIsWaitingForConnectivity task: SessionTask) {
        journal.note("waiting")
    }

    override func urlSession(
        _ session: Session, task: SessionTask, willRetry retry: RetryMetrics,
        completionHandler: @escaping @Sendable (RetryAnswer) -> Void
    ) { journal.note("retry") }

    override func urlSession(
        _ session: Session, task: SessionTask, didReceive challenge: Challenge,
        completionHandler: @escaping ChallengeCompletion
    ) { journal.note(challenge.protectionSpace.authenticationMethod == .serverTrust ? "trust" : "challenge") }

    override func urlSession(
        _ session: Session, task: SessionTask, needNewBodyStream completionHandler: @escaping StreamCompletion
    ) { journal.note("stream") }

    override func urlSession(
        _ session: Session, dataTask: SessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping CacheCompletion
    ) { journal.note("cache") }

    override func urlSession(
        _ session: Session, task: SessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) { journal.note("sent \(bytesSent) \(totalBytesSent) \(totalBytesExpectedToSend)") }

    override func urlSession(_ session: Session, task: SessionTask, didCompleteWithError error: (any Error)?) {
        journal.note("completed")
    }

    override func urlSession(
        _ session: Session, dataTask: SessionDataTask, didReceive response: HTTPURLResponse,
        completionHandler: @escaping ResponseCompletion
    ) { journal.note("response") }

    override func urlSession(
        _ session: Session, dataTask: SessionDataTask, didBecome downloadTask: SessionDownloadTask
    ) { journal.note("replaced") }

    override func urlSession(
        _ session: Session, downloadTask: SessionDownloadTask, didFinishDownloadingTo location: URL
    ) { journal.note("finished") }

    override func urlSession(
        _ session: Session, downloadTask: SessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) { journal.note("wrote \(bytesWritten) \(totalBytesWritten) \(totalBytesExpectedToWrite)") }

    override func urlSession(
        _ session: Session, downloadTask: SessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) { journal.note("resumed \(fileOffset) \(expectedTotalBytes)") }
}

/// The delegate of a request that has adopted a task.
private final class Owner: DataTaskDelegate, @unchecked Sendable {
    let spy = Spy()

    override var receiver: any SessionDownloadDelegate { spy }
}

private final class Spy: SessionDownloadDelegate {
    private let lines = Lock<[String]>([])

    var events: [String] { lines.withLock { $0 } }

    func handle(_ event: TaskEvent, of task: SessionTask) { lines.withLock { $0.append("\(event)") } }
    func handle(_ event: DownloadEvent, of download: SessionDownloadTask) { lines.withLock { $0.append("\(event)") } }
    func downloadTask(_ task: SessionDownloadTask, didFinishDownloadingTo location: URL) {}
}
