// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct DownloadDriverEndingTests {
    private let session = Session.limited(to: 4)
    private let content = Pattern.bytes

    @Test func `no error becomes a target, unless it is asked for`() async throws {
        let folder = try TestFolder()
        try folder.write("old", to: "file")
        let origin = try FileOrigin([]) { $0.instead = { _ in [.respond(status: 404, reason: "No", body: "gone")] } }
        let error = try await session.failure(origin, to: folder.url("file"))
        guard case .download(.unsuccessful(let response)) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(response.statusCode == 404)
        #expect(folder.content("file") == Array("old".utf8))
        #expect(folder.names == ["file"])
        var settings = DownloadSettings()
        settings.acceptsAnyStatus = true
        #expect(try await session.failure(origin, to: folder.url("file"), settings) == nil)
        #expect(folder.content("file") == Array("gone".utf8))
    }

    @Test func `a broken body leaves nothing behind`() async throws {
        let folder = try TestFolder()
        try folder.write("old", to: "file")
        let origin = try FileOrigin(content) { $0.breaksOffAfter = 1_000_000 }
        let error = try await session.failure(origin, to: folder.url("file"))
        #expect(error?.reason.isConnectionLoss == true)
        #expect(error?.resumeData == nil)
        #expect(folder.content("file") == Array("old".utf8))
        #expect(folder.names == ["file"])
    }
}

@Suite(.timeLimit(.minutes(5))) struct SessionDownloadDelegateTests {
    private let session = Session.limited(to: 4)
    private let content = Array(Pattern.bytes.prefix(2_000_000))

    private func run(_ task: SessionDownloadTask, _ recorder: DownloadRecorder) async -> DownloadRecorder.Record {
        task.resume()
        return await recorder.end()
    }

    @Test func `a delegate receives progress, the file, and the end`() async throws {
        let (folder, recorder) = (try TestFolder(), DownloadRecorder())
        let origin = try FileOrigin(content)
        let task = session.downloadTask(with: try origin.request(), in: folder.url(""), delegate: recorder)
        let record = await run(task, recorder)
        #expect(record.events == [.head(200), .finished, .end(failed: false)])
        #expect(record.content == content)
        #expect(record.progress.allSatisfy { $0.expected == 2_000_000 && $0.written > 0 })
        #expect(record.progress.map(\.written).reduce(0, +) == 2_000_000)
        #expect(record.progress.last?.total == 2_000_000)
        #expect(record.location?.deletingLastPathComponent().path() == folder.path + "/")
        #expect(task.state == .completed)
    }

    @Test func `a temporary file is gone after the call, unless it is kept`() async throws {
        let folder = try TestFolder()
        let origin = try FileOrigin(content)
        var recorder = DownloadRecorder()
        var task = session.downloadTask(with: try origin.request(), in: folder.url(""), delegate: recorder)
        var record = await run(task, recorder)
        #expect(await eventually { folder.names.isEmpty })
        recorder = DownloadRecorder { task, event in if event == .finished { task.keepFile() } }
        task = session.downloadTask(with: try origin.request(), in: folder.url(""), delegate: recorder)
        record = await run(task, recorder)
        #expect(folder.names == [try #require(record.location).lastPathComponent])
    }
}
