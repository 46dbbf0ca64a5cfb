// SPDX-License-Identifier: Apache-2.0
import Foundation
import struct TernEngine.ResumeData
import TernLock
import TernTesting
import TestProofs
import Testing

@testable import Tern

/// Data tasks that become downloads, as the hub and requests see them.
@Suite(.timeLimit(.minutes(2))) struct SessionDelegateBecomingTests {
    private let journal = Journal()
    private let manager = SessionManager()

    private func becoming() {
        manager.delegate.dataTaskDidReceiveResponse = { _, _, _ in .becomeDownload }
        manager.delegate.dataTaskDidBecomeDownloadTask = { [journal, weak hub = manager.delegate] _, task, download in
            let isKnown = hub?[download] != nil && hub?[download] === hub?[task]
            journal.note("became \(task.taskIdentifier != download.taskIdentifier) \(isKnown)")
        }
        manager.delegate.dataTaskDidReceiveData = { [journal] _, _, _ in journal.note("data") }
        manager.delegate.taskDidComplete = { [journal] _, task, error in
            journal.note("complete \(task is SessionDownloadTask) \(error == nil)")
        }
    }

    @Test(.proves("3.6c", "3.11c"))
    func `a data task becomes a download, whose file goes to the closure for files and whose end is the request's`()
        async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.ok("0123456789")] }
        becoming()
        let left = Lock<URL?>(nil)
        manager.delegate.downloadTaskDidFinishDownloadingToURL = { [journal] _, _, location in
            journal.note("file \(location.text ?? "none")")
            left.withLock { $0 = location }
        }
        let fractions = Lock<[Double]>([])
        let request = manager.request(origin.url()).downloadProgress { progress in
            fractions.withLock { $0.append(progress.fractionCompleted) }
        }
        let response = await request.validate().serializingData().response
        #expect(journal.entries == ["became true true", "file 0123456789", "complete true true"])
        #expect(response.response?.statusCode == 200 && response.data == nil)
        guard case .responseSerializationFailed(.inputDataNil)? = response.error as? AFError else {
            Issue.record("\(String(describing: response.error))")
            return
        }
        let download = try #require(request.task as? SessionDownloadTask)
        #expect(manager.delegate[download] == nil && manager.delegate.requests.isEmpty)
        #expect(response.metrics?.hops.count == 1 && left.withLock { $0 }?.text == nil)
        // The last report may come after the awaiting task is resumed.
        while fractions.withLock({ $0.last }) != 1 { await Task.yield() }
    }

    @Test func `a handler for progress that comes after the end is told of the whole body, in a file or not`()
        async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.ok("0123456789")] }
        for becomes in [false, true] {
            if becomes { becoming() }
            let request = manager.request(origin.url())
            _ = await request.serializingData().response
            let (fractions, continuation) = AsyncStream<Double>.makeStream()
            request.downloadProgress { continuation.yield($0.fractionCompleted) }
            #expect(await fractions.first { _ in true } == 1)
        }
    }

    @Test func `without a closure for files nothing is left, and the request can be cancelled`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nha"), .hold] }
        becoming()
        let request = manager.request(origin.url())
        while !(request.task is SessionDownloadTask) { await Task.yield() }
        request.cancel()
        let response = await request.serializingData().response
        #expect((response.error as? SessionError)?.code == .cancelled)
        #expect(journal.entries == ["became true true", "complete true false"])
        #expect(manager.delegate.requests.isEmpty)
    }

    @Test func `a request that became a download can be retried, and be data then`() async throws {
        final class Once: RequestRetrier {
            let part = Lock<URL?>(nil)

            func should(
                _ manager: SessionManager, retry request: Request, with error: any Error,
                completion: @escaping RequestRetryCompletion
            ) {
                manager.delegate.dataTaskDidReceiveResponse = nil
                let notes = (error as? SessionError)?.resumeData.flatMap { try? ResumeData($0) }
                part.withLock { $0 = notes?.partialFile }
                completion(request.retryCount == 0, 0)
            }
        }
        let origin = try ScriptedOrigin { connection, _ in
            connection == 1
                ? [.send("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 4\r\n\r\nha"), .close]
                : [.ok("data")]
        }
        manager.delegate.dataTaskDidReceiveResponse = { _, _, _ in .becomeDownload }
        let retrier = Once()
        manager.retrier = retrier
        let request = manager.request(origin.url())
        #expect(await request.serializingString().result.value == "data")
        #expect(request.retryCount == 1 && !(request.task is SessionDownloadTask))
        let part = try #require(retrier.part.withLock { $0 })
        #expect(!FileManager.default.fileExists(atPath: part.path))
    }

    @Test func `cancelled at whatever moment, each request ends once and nothing is left`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok(String(repeating: "x", count: 100_000))] }
        manager.delegate.dataTaskDidReceiveResponse = { _, _, _ in .becomeDownload }
        manager.delegate.taskDidComplete = { [journal] _, _, error in journal.note(error == nil ? "fine" : "cancelled")
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask { [manager] in
                    let request = manager.request(origin.url())
                    async let response = request.serializingData().response
                    for _ in 0..<(number % 40) { await Task.yield() }
                    if number % 4 != 0 { request.cancel() }
                    _ = await response
                }
            }
        }
        #expect(journal.entries.count == 400 && journal.entries.count { $0 == "fine" } >= 100)
        #expect(manager.delegate.requests.isEmpty && manager.unownedTasks.isEmpty)
    }

    @Test(.proves("3.6c")) func `tasks that were made on the session become downloads, too`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("stray")] }
        becoming()
        let left = Lock<URL?>(nil)
        manager.delegate.downloadTaskDidFinishDownloadingToURL = { [journal] _, _, location in
            journal.note("file \(location.text ?? "none")")
            left.withLock { $0 = location }
        }
        let task = manager.session.dataTask(with: try Tern.URLRequest(string: origin.url()))
        task.resume()
        while journal.entries.count < 3 { await Task.yield() }
        manager.queue.sync {}
        #expect(journal.entries == ["became true false", "file stray", "complete true true"])
        #expect(left.withLock { $0 }?.text == nil)
        manager.delegate.dataTaskDidReceiveResponse = nil
        manager.session.downloadTask(with: try Tern.URLRequest(string: origin.url())).resume()
        while journal.entries.count < 5 { await Task.yield() }
        #expect(journal.entries.suffix(2) == ["file stray", "complete true true"])
    }
}
