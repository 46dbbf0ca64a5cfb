// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernTesting
import Testing

@testable import TernEngine

@Suite(.timeLimit(.minutes(5))) struct DownloadDriverTests {
    private let session = Session.limited(to: 4)
    private let content = Array(Pattern.bytes.prefix(2_000_000))

    private func run(_ task: SessionDownloadTask, _ recorder: DownloadRecorder) async -> DownloadRecorder.Record {
        task.resume()
        return await recorder.end()
    }

    /// What a download of `content` that breaks off after this number of bytes can be resumed with.
    private func resumeData(
        _ origin: FileOrigin, after count: Int, in folder: TestFolder
    ) async throws -> Data {
        origin.change { $0.breaksOffAfter = count }
        let recorder = DownloadRecorder()
        let task = session.downloadTask(with: try origin.request(), in: folder.url(""), delegate: recorder)
        let record = await run(task, recorder)
        origin.change { $0.breaksOffAfter = nil }
        return try #require(record.error?.resumeData)
    }

    @Test(arguments: [1, 1000, 262_144, 1_999_999]) func `it resumes where it was interrupted`(count: Int) async throws
    {
        let (folder, recorder) = (try TestFolder(), DownloadRecorder())
        let origin = try FileOrigin(content)
        let data = try await resumeData(origin, after: count, in: folder)
        #expect(folder.names.count == 1)
        let task = try session.downloadTask(withResumeData: data, delegate: recorder)
        let record = await run(task, recorder)
        #expect(
            record.events == [.head(206), .resumed(Int64(count), of: 2_000_000), .finished, .end(failed: false)])
        #expect(record.content == content)
        #expect(record.progress.last?.total == 2_000_000)
        #expect(record.progress.map(\.written).reduce(0, +) == 2_000_000 - Int64(count))
    }
}
