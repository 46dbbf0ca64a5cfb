// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestProofs
import Testing

@testable import Tern

@Suite struct DownloadRequestProgressTests {
    private let manager = SessionManager()

    /// Foundation calls the handlers of a `Progress` on a queue of its own.
    private func comes(to state: SessionTask.State, _ request: Request) async -> Bool {
        let end = ContinuousClock.now + .seconds(10)
        while request.task?.state != state, ContinuousClock.now < end { await Task.yield() }
        return request.task?.state == state
    }

    @Test(.proves("1.10b")) func `the holder of a download's or an upload's progress can cancel, pause and resume it`()
        async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        let upload = manager.upload(Data(count: 9), to: origin.url())
        let download = manager.download(origin.url())
        for (request, progress) in [(upload as Request, upload.uploadProgress), (download, download.progress)] {
            #expect(progress.isCancellable && progress.isPausable)
            progress.pause()
            #expect(await comes(to: .suspended, request))
            progress.resume()
            #expect(await comes(to: .running, request))
            progress.cancel()
            #expect(await comes(to: .completed, request))
        }
        #expect((await upload.serializingData().response.error as? SessionError)?.code == .cancelled)
        #expect((await download.serializingData().response.error as? SessionError)?.code == .cancelled)
    }

    @Test(.proves("4.12b")) func `a closure that comes after the end receives the whole, once`() async throws {
        let origin = try ScriptedOrigin { _, request in [.ok("\(request.body.count)")] }
        let upload = manager.upload(Data(count: 9), to: origin.url())
        let download = manager.download(origin.url())
        let data = manager.request(origin.url())
        _ = await (upload.serializingData().response, data.serializingData().response)
        let file = await download.serializingDownloadedFileURL().result.value
        if let file { try FileManager.default.removeItem(at: file) }
        let queue = DispatchQueue(label: "late")
        let journal = Journal()
        upload.uploadProgress(queue: queue) { journal.note("sent \($0.completedUnitCount) of \($0.totalUnitCount)") }
        queue.sync {}
        upload.downloadProgress(queue: queue) { journal.note("received \($0.completedUnitCount)") }
        queue.sync {}
        data.downloadProgress(queue: queue) { journal.note("data \($0.fractionCompleted)") }
        queue.sync {}
        download.downloadProgress(queue: queue) { journal.note("file \($0.fractionCompleted)") }
        queue.sync {}
        #expect(journal.entries == ["sent 9 of 9", "received 1", "data 1.0", "file 1.0"])
    }

    @Test func `sequences of progress rise, and end with the request`() async throws {
        let size = 2_000_000
        let origin = try ScriptedOrigin { _, _ in [.ok(String(repeating: "x", count: size))] }
        manager.startRequestsImmediately = false
        func rises(_ updates: AsyncStream<Progress>) async -> Bool {
            let seen = await updates.reduce(into: []) { $0.append($1.completedUnitCount) }
            return seen == seen.sorted() && seen.last == Int64(size)
        }
        let download = manager.download(origin.url())
        let data = manager.request(origin.url())
        let upload = manager.upload(Data(count: size), to: origin.url())
        let sequences = [
            download.downloadProgress(), data.downloadProgress(bufferingPolicy: .unbounded), upload.uploadProgress(),
            upload.downloadProgress(),
        ]
        for request in [download as Request, data, upload] { request.resume() }
        for updates in sequences { #expect(await rises(updates)) }
        let late = [download.downloadProgress(), data.downloadProgress(), upload.uploadProgress()]
        for updates in late { #expect(await rises(updates)) }
        if let file = download.delegate.temporaryURL { try FileManager.default.removeItem(at: file) }
    }

    @Test func `a sequence ends with a request that could not be made, too`() async {
        let none = manager.request("no url")
        #expect(await none.downloadProgress().reduce(0) { count, _ in count + 1 } == 0)
        manager.startRequestsImmediately = false
        let unstarted = manager.download("no url")
        let updates = unstarted.downloadProgress()
        unstarted.resume()
        #expect(await updates.reduce(0) { count, _ in count + 1 } == 0)
    }
}
