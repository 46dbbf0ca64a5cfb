// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
import TestProofs
import Testing

@testable import Tern

@Suite struct SessionDelegateDownloadTests {
    private let journal = Journal()
    private let manager = SessionManager()
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(.proves("3.7a", "3.9a"))
    func `the closure for a complete file gets it in place of the destination, and it is gone afterwards`()
        async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.ok("file")] }
        let seen = Lock<URL?>(nil)
        manager.delegate.downloadTaskDidFinishDownloadingToURL = { [journal] _, task, location in
            journal.note("\(task.response?.statusCode ?? 0) \(location.text ?? "none")")
            seen.withLock { $0 = location }
        }
        let request = manager.download(origin.url()) { [journal] url, _ in
            journal.note("destination")
            return (url, [])
        }
        let response = await request.serializingData().response
        guard case .responseSerializationFailed(.inputFileNil)? = response.error as? AFError else {
            Issue.record("\(String(describing: response.error))")
            return
        }
        #expect(response.temporaryURL == nil && journal.entries == ["200 file"])
        #expect(seen.withLock { $0 }?.text == nil)
    }

    @Test(.proves("3.7b")) func `the closure for what was written takes the place of progress`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("0123456789")] }
        manager.delegate.downloadTaskDidWriteData = { [journal] _, _, count, total, expected in
            journal.note("\(count) \(total) \(expected)")
        }
        let target = try folder.file("a")
        let request = manager.download(origin.url()) { _, _ in (target, []) }
            .downloadProgress { [journal] _ in journal.note("progress") }
        #expect(await request.serializingString().result.value == "0123456789")
        #expect(journal.entries == ["10 10 10"] && request.progress.completedUnitCount == 0)
    }

    @Test(.proves("3.7c")) func `the closure for resuming receives the offset at which a download resumes`()
        async throws
    {
        let origin = try FileOrigin(after: .close).origin
        let target = try folder.file("a")
        let cut = await manager.download(origin.url()).serializingData().response
        manager.delegate.downloadTaskDidResumeAtOffset = { [journal] _, _, offset, total in
            journal.note("\(offset > 0) \(total)")
        }
        let resumed = manager.download(resumingWith: try #require(cut.resumeData)) { _, _ in (target, []) }
        #expect(await resumed.serializingData().result.value?.count == FileOrigin.content.count)
        #expect(journal.entries == ["true \(FileOrigin.content.count)"])
    }

    @Test(.proves("5.6c")) func `the closures of a task's delegate come after those of the hub`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("0123456789")] }
        manager.startRequestsImmediately = false
        let target = try folder.file("b")
        func run() async -> DownloadResponse<String> {
            let request = manager.download(origin.url()) { [folder] _, _ in
                (folder.url.appendingPathComponent("a"), .removePreviousFile)
            }
            request.delegate.downloadTaskDidWriteData = { [journal] _, _, count, _, _ in journal.note("task's \(count)")
            }
            request.delegate.downloadTaskDidResumeAtOffset = { [journal] _, _, _, _ in journal.note("resumed") }
            request.delegate.downloadTaskDidFinishDownloadingToURL = { [journal] _, _, location in
                journal.note("finished")
                try? FileManager.default.moveItem(at: location, to: target)
                return target
            }
            request.resume()
            return await request.serializingString().response
        }
        let own = await run()
        #expect(own.value == "0123456789" && own.destinationURL == target && folder.names == ["b"])
        manager.delegate.downloadTaskDidWriteData = { [journal] _, _, count, _, _ in journal.note("hub's \(count)") }
        manager.delegate.downloadTaskDidFinishDownloadingToURL = { [journal] _, _, _ in journal.note("hub") }
        #expect(await run().value == nil)
        #expect(journal.entries == ["task's 10", "finished", "hub's 10", "hub"])
    }

    @Test(.proves("3.9b"))
    func `a subclass receives every event in order, and finds the file moved when it has asked for that`()
        async throws
    {
        final class Hub: SessionDelegate, @unchecked Sendable {
            let journal = Journal()

            override func urlSession(
                _ session: Session, downloadTask: SessionDownloadTask, didWriteData bytesWritten: Int64,
                totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
            ) {
                journal.note("wrote \(totalBytesWritten)")
                super.urlSession(
                    session, downloadTask: downloadTask, didWriteData: bytesWritten,
                    totalBytesWritten: totalBytesWritten, totalBytesExpectedToWrite: totalBytesExpectedToWrite)
            }

            override func urlSession(
                _ session: Session, downloadTask: SessionDownloadTask, didFinishDownloadingTo location: URL
            ) {
                journal.note("before \(location.text ?? "none")")
                super.urlSession(session, downloadTask: downloadTask, didFinishDownloadingTo: location)
                journal.note("after \(location.text ?? "none")")
            }

            override func urlSession(_ session: Session, task: SessionTask, didCompleteWithError error: (any Error)?) {
                journal.note("end")
                super.urlSession(session, task: task, didCompleteWithError: error)
            }
        }
        let origin = try ScriptedOrigin { _, _ in [.ok("file")] }
        let hub = Hub()
        let manager = SessionManager(delegate: hub)
        let target = try folder.file("a")
        let request = manager.download(origin.url()) { _, _ in (target, []) }
        #expect(await request.serializingString().result.value == "file")
        #expect(hub.journal.entries == ["wrote 4", "before file", "after none", "end"])
        #expect(request.progress.fractionCompleted == 1 && hub.requests.isEmpty)
    }

    @Test func `a closure for something else leaves downloads as they are`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("file")] }
        manager.delegate.taskDidComplete = { [journal] _, _, _ in journal.note("end") }
        let target = try folder.file("a")
        let moved = await manager.download(origin.url()) { _, _ in (target, []) }.serializingString().response
        #expect(moved.value == "file" && target.text == "file")
        let left = await manager.download(origin.url()).serializingString().response
        #expect(left.value == "file")
        if let file = left.temporaryURL { try FileManager.default.removeItem(at: file) }
        #expect(journal.entries == ["end", "end"])
    }
}
