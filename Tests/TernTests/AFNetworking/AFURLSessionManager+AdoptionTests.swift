// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
import TestProofs
import Testing

@testable import Tern
@testable import TernAFNetworking

@Suite(.timeLimit(.minutes(2))) struct AFURLSessionManagerAdoptionTests {
    private let hub = Tern.SessionDelegate()
    private let session: Session
    private let origin: ScriptedOrigin

    init() throws {
        session = Session(configuration: .default, delegate: hub)
        origin = try ScriptedOrigin { _, request in
            let fields: [(name: String, value: String)] = [("Content-Type", "text/json")]
            return request.target == "/slow"
                ? [
                    .send("HTTP/1.1 200 OK\r\nContent-Type: text/json\r\nContent-Length: 4\r\n\r\n["), .hold,
                    .send("42]"),
                ]
                : [.respond(fields: fields, body: "[\(request.body.count)]")]
        }
    }

    private func request(_ path: String = "/") throws -> Tern.URLRequest {
        try Tern.URLRequest(string: origin.url(path))
    }

    /// What is posted about the end of tasks: the serialized bodies, or the files, by task.
    private final class Ends: Sendable {
        private let ends = Lock<[Int: String]>([:])

        init(_ tasks: [SessionTask]) {
            let identifiers = tasks.map(\.taskIdentifier)
            _ = NotificationCenter.default.addObserver(
                forName: .AFNetworkingTaskDidComplete, object: nil, queue: nil
            ) { [weak self] notification in
                guard let task = notification.object as? SessionTask, identifiers.contains(task.taskIdentifier) else {
                    return
                }
                let info = notification.userInfo ?? [:]
                let file = info[Notification.Key.AFNetworkingTaskDidCompleteAssetPath] as? URL
                let object = info[Notification.Key.AFNetworkingTaskDidCompleteSerializedResponse]
                let error = info[Notification.Key.AFNetworkingTaskDidCompleteError]
                let text = file?.text ?? (object as? [Int]).map { "\($0)" } ?? "error \(error != nil)"
                if let file { try? FileManager.default.removeItem(at: file) }
                self?.ends.withLock { $0[task.taskIdentifier] = text }
            }
        }

        func of(_ task: SessionTask) async -> String? {
            let end = ContinuousClock.now + .seconds(30)
            while ends.withLock({ $0[task.taskIdentifier] }) == nil, ContinuousClock.now < end { await Task.yield() }
            return ends.withLock { $0[task.taskIdentifier] }
        }
    }

    @Test(.proves("1.3a")) func `tasks that a session has when it is wrapped are the manager's, started or not`()
        async throws
    {
        let data = session.dataTask(with: try request())
        let upload = session.uploadTask(with: try request(), from: .data(Data(count: 7)))
        let download = session.downloadTask(with: try request())
        let running = session.dataTask(with: try request("/slow"))
        running.resume()
        #expect(await origin.waitFor { $0.requestCount == 1 })
        let manager = try #require(AFURLSessionManager(session: session, delegate: hub))
        let tasks: [SessionTask] = [data, upload, download, running]
        let ends = Ends(tasks)
        #expect(Set(manager.tasks.map(\.taskIdentifier)) == Set(tasks.map(\.taskIdentifier)))
        #expect(manager.dataTasks.count == 2 && manager.uploadTasks.count == 1 && manager.downloadTasks.count == 1)
        #expect(manager.downloadProgress(for: data) != nil && manager.uploadProgress(for: upload) != nil)
        for task in [data, upload, download] { task.resume() }
        #expect(await ends.of(data) == "[0]")
        #expect(await ends.of(upload) == "[7]")
        #expect(await ends.of(download) == "[0]")
        try origin.release()
        #expect(await ends.of(running) != nil)
        while !manager.tasks.isEmpty { await Task.yield() }
        #expect(hub.unownedTasks.all.isEmpty)
    }

    @Test(.proves("1.3a")) func `blocks receive the events of adopted tasks, and releasing the manager ends them`()
        async throws
    {
        let journal = Journal()
        let first = session.dataTask(with: try request())
        let second = session.dataTask(with: try request("/slow"))
        let ends = Ends([first, second])
        var manager = AFURLSessionManager(session: session, delegate: hub)
        manager?.setTaskDidCompleteBlock { _, task, error in journal.note("\(task === first) \(error == nil)") }
        first.resume()
        #expect(await ends.of(first) == "[0]")
        #expect(journal.entries == ["true true"])
        second.resume()
        #expect(await origin.waitFor { $0.requestCount == 2 })
        manager = nil
        #expect(await ends.of(second) == "error true")
    }

    @Test(.proves("1.3b")) func `a task that has ended, was released, or has a delegate of its own cannot be adopted`()
        async throws
    {
        let ended = session.dataTask(with: try request())
        ended.resume()
        while ended.state != .completed || !hub.unownedTasks.all.isEmpty { await Task.yield() }
        for _ in 0..<200 { _ = session.dataTask(with: try request()) }
        let own = session.dataTask(with: try request()) { _ in }
        let manager = try #require(AFURLSessionManager(session: session, delegate: hub))
        #expect(manager.tasks.isEmpty)
        own.cancel()
        #expect(AFURLSessionManager(session: session, delegate: Tern.SessionDelegate()) == nil)
        #expect(AFURLSessionManager(session: Session(), delegate: hub) == nil)
    }
}
