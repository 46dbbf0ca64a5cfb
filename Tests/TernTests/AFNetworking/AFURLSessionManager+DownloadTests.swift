// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
import TestProofs
import Testing

@testable import Tern
@testable import TernAFNetworking

@Suite(.timeLimit(.minutes(2))) struct AFURLSessionManagerDownloadTests {
    private let manager = AFURLSessionManager()
    private let folder: TemporaryFolder
    private let journal = Journal()

    init() throws { folder = try TemporaryFolder() }

    /// The result of a completion handler.
    private struct Outcome {
        var status: Int?
        var file: URL?
        var error: (any Error)?
    }

    private func outcome(
        _ make: (@escaping AFURLSessionManager.DownloadCompletionHandler) throws -> SessionDownloadTask
    ) async rethrows -> Outcome {
        let outcomes = AsyncStream<Outcome>.makeStream()
        try make { outcomes.continuation.yield(Outcome(status: $0?.statusCode, file: $1, error: $2)) }.resume()
        for await outcome in outcomes.stream { return outcome }
        return Outcome()
    }

    private func request(_ origin: ScriptedOrigin, _ path: String = "/") throws -> Tern.URLRequest {
        try Tern.URLRequest(string: origin.url(path))
    }

    /// Notes the notifications of that name.
    private func observe(
        _ name: Notification.Name, _ note: @escaping @Sendable (Notification) -> String?
    ) -> any NSObjectProtocol {
        NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [journal] notification in
            if let line = note(notification) { journal.note(line) }
        }
    }

    @Test(.proves("1.1a", "1.1c", "1.7a", "1.9c"))
    func `a download is not started, asks its destination once, and brings the file there`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("0123456789")] }
        let (target, request) = (try folder.file("file"), try request(origin))
        let fractions = Lock<[Double]>([])
        let outcome = await outcome { handler in
            let task = manager.downloadTask(
                with: request,
                progress: { progress in fractions.withLock { $0.append(progress.fractionCompleted) } },
                destination: { [journal] location, response in
                    journal.note("\(response.statusCode) \(location.text ?? "none")")
                    return target
                }, completionHandler: handler)
            #expect(task.state == .suspended && manager.downloadTasks.map(\.taskIdentifier) == [task.taskIdentifier])
            #expect(manager.tasks.count == 1 && manager.dataTasks.isEmpty)
            #expect(manager.downloadProgress(for: task) != nil && manager.uploadProgress(for: task) == nil)
            return task
        }
        #expect(outcome.status == 200 && outcome.file == target && outcome.error == nil)
        #expect(target.text == "0123456789" && journal.entries == ["200 0123456789"])
        #expect(fractions.withLock { $0.last } == 1)
        #expect(manager.tasks.isEmpty && manager.downloadTasks.isEmpty)
    }

    @Test(.proves("1.12a")) func `without a destination the file stays where it is, and the handler learns where`()
        async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.ok("stays")] }
        let request = try request(origin)
        let outcome = await outcome { manager.downloadTask(with: request, completionHandler: $0) }
        let file = try #require(outcome.file)
        #expect(outcome.error == nil && file.text == "stays")
        try FileManager.default.removeItem(at: file)
    }

    @Test(.proves("1.7c"))
    func `a status that the serializer refuses is an error and a file, and a lost connection an error only`()
        async throws
    {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/lost"
                ? [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .close]
                : [.respond(status: 404, body: "no")]
        }
        let target = try folder.file("page")
        let (missing, lost) = (try request(origin), try request(origin, "/lost"))
        let refused = await outcome {
            manager.downloadTask(with: missing, destination: { _, _ in target }, completionHandler: $0)
        }
        #expect((refused.error as? AFError)?.responseCode == 404 && refused.file == target && target.text == "no")
        let broken = await outcome { [journal] handler in
            manager.downloadTask(
                with: lost,
                destination: { _, _ in
                    journal.note("asked")
                    return target
                }, completionHandler: handler)
        }
        #expect(broken.error is SessionError && broken.file == nil && journal.entries == [])
    }

    @Test(.proves("1.7b")) func `a download resumes with resume data, and other data is an error`() async throws {
        let origin = try FileOrigin(after: .close).origin
        let target = try folder.file("whole")
        let request = try request(origin)
        manager.setDownloadTaskDidResumeBlock { [journal] _, _, offset, total in
            journal.note("\(offset > 0) \(total == FileOrigin.content.count)")
        }
        let cut = await outcome { manager.downloadTask(with: request, completionHandler: $0) }
        let data = try #require((cut.error as? SessionError)?.resumeData)
        let begun = Lock<Int64>(0)
        let resumed = try await outcome { handler in
            try manager.downloadTask(
                withResumeData: data,
                progress: { progress in
                    begun.withLock { if $0 == 0 { $0 = progress.completedUnitCount } }
                }, destination: { _, _ in target }, completionHandler: handler)
        }
        #expect(resumed.status == 206 && resumed.error == nil)
        #expect(try Data(contentsOf: target).count == FileOrigin.content.count)
        #expect(journal.entries == ["true true"] && begun.withLock { $0 } > 0)
        #expect(throws: ResumeDataError.self) { try manager.downloadTask(withResumeData: Data("none".utf8)) }
        #expect(manager.tasks.isEmpty)
    }

    @Test(.proves("1.1b", "1.15b", "1.15d"))
    func `the block for files goes before the destination, and the one for written bytes is called additionally`()
        async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.ok("0123456789")] }
        let (first, second) = (try folder.file("first"), try folder.file("second"))
        let request = try request(origin)
        manager.setDownloadTaskDidWriteDataBlock { [journal] _, _, count, total, expected in
            journal.note("\(count) \(total) \(expected)")
        }
        manager.setDownloadTaskDidFinishDownloadingBlock { [journal] _, _, location in
            journal.note("block \(location.text ?? "none")")
            return first
        }
        let units = Lock<Int64>(0)
        let taken = await outcome { handler in
            manager.downloadTask(
                with: request, progress: { progress in units.withLock { $0 = progress.completedUnitCount } },
                destination: { [journal] _, _ in
                    journal.note("destination")
                    return second
                }, completionHandler: handler)
        }
        #expect(taken.file == first && first.text == "0123456789")
        #expect(journal.entries == ["10 10 10", "block 0123456789"] && units.withLock { $0 } == 10)
        manager.setDownloadTaskDidFinishDownloadingBlock { _, _, _ in nil }
        let left = await outcome { handler in
            manager.downloadTask(with: request, destination: { _, _ in second }, completionHandler: handler)
        }
        #expect(left.file == second && second.text == "0123456789")
    }

    @Test(.proves("1.9c", "1.11e", "1.11i", "1.15e"))
    func `a data task that becomes a download keeps its handler, which gets the file`() async throws {
        let origin = try ScriptedOrigin { _, request in [.ok(request.body.isEmpty ? "body" : "upload")] }
        let target = try folder.file("became")
        manager.setDataTaskDidReceiveResponseBlock { _, _, _ in .becomeDownload }
        manager.setDataTaskDidBecomeDownloadTaskBlock { [journal, manager] _, task, download in
            journal.note("\(task.taskIdentifier != download.taskIdentifier) \(manager.downloadTasks.count)")
        }
        manager.setDownloadTaskDidFinishDownloadingBlock { _, _, _ in target }
        let plain = try request(origin)
        let asset = Lock<URL?>(nil)
        let observer = NotificationCenter.default.addObserver(
            forName: .AFNetworkingTaskDidComplete, object: nil, queue: nil
        ) { notification in
            let url = notification.userInfo?[Notification.Key.AFNetworkingTaskDidCompleteAssetPath] as? URL
            if url == target, notification.object is SessionDownloadTask { asset.withLock { $0 = url } }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        func run(_ make: (@escaping AFURLSessionManager.CompletionHandler) -> SessionTask) async -> URL? {
            await withCheckedContinuation { continuation in
                make { _, object, error in continuation.resume(returning: error == nil ? object as? URL : nil) }
                    .resume()
            }
        }
        #expect(await run { manager.dataTask(with: plain, completionHandler: $0) } == target)
        #expect(target.text == "body" && journal.entries == ["true 1"])
        manager.setDownloadTaskDidFinishDownloadingBlock(nil)
        let upload = await run { manager.uploadTask(with: plain, from: Data("x".utf8), completionHandler: $0) }
        let file = try #require(upload)
        #expect(file.text == "upload" && manager.tasks.isEmpty)
        try FileManager.default.removeItem(at: file)
        #expect(await eventually { asset.withLock { $0 } == target })
    }

    @Test(.proves("1.12b", "1.12c", "1.21d"))
    func `a file that cannot be moved is reported, and does not fail the task`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("new")] }
        let taken = try folder.file("taken", "old")
        let request = try request(origin)
        let task = Lock<SessionTask?>(nil)
        let left = Lock<String?>(nil)
        let observers = [
            observe(.AFURLSessionDownloadTaskDidFailToMoveFile) { notification in
                guard let posted = notification.object as? SessionTask, posted === task.withLock({ $0 }) else {
                    return nil
                }
                left.withLock { $0 = notification.userInfo?[NSFilePathErrorKey] as? String }
                return "failed \(notification.userInfo?.isEmpty == false)"
            },
            observe(.AFURLSessionDownloadTaskDidMoveFileSuccessfully) { notification in
                (notification.object as? SessionTask) === task.withLock { $0 } ? "moved" : nil
            },
        ]
        defer { observers.forEach(NotificationCenter.default.removeObserver) }
        func run(to target: URL) async -> Outcome {
            await outcome { handler in
                let made = manager.downloadTask(
                    with: request, destination: { _, _ in target }, completionHandler: handler)
                task.withLock { $0 = made }
                return made
            }
        }
        let failed = await run(to: taken)
        #expect(failed.error == nil && failed.file == taken && failed.status == 200)
        #expect(taken.text == "old" && journal.entries == ["failed true"])
        let leftover = URL(fileURLWithPath: try #require(left.withLock { $0 }))
        #expect(leftover.text == "new")
        try FileManager.default.removeItem(at: leftover)
        let free = try folder.file("free")
        let moved = await run(to: free)
        #expect(moved.error == nil && moved.file == free && free.text == "new")
        #expect(journal.entries == ["failed true", "moved"])
    }
}
