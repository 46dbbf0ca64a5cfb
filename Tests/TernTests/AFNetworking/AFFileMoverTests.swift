// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
import TestProofs
import Testing

@testable import Tern
@testable import TernAFNetworking

@Suite(.timeLimit(.minutes(2))) struct AFFileMoverTests {
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

    private func request(_ origin: ScriptedOrigin) throws -> Tern.URLRequest {
        try Tern.URLRequest(string: origin.url())
    }

    /// Notes the notifications of that name.
    private func observe(
        _ name: Notification.Name, _ note: @escaping @Sendable (Notification) -> String?
    ) -> any NSObjectProtocol {
        NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [journal] notification in
            if let line = note(notification) { journal.note(line) }
        }
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
