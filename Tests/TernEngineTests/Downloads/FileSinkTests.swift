// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernTesting
import Testing

@testable import TernEngine

@Suite(.timeLimit(.minutes(5))) struct FileSinkTests {
    private let session = Session.limited(to: 4)
    private let content = Array(Pattern.bytes.prefix(2_000_000))

    private func run(_ task: SessionDownloadTask, _ recorder: DownloadRecorder) async -> DownloadRecorder.Record {
        task.resume()
        return await recorder.end()
    }

    @Test func `the received part is written and reported while the server sends no more`() async throws {
        let (folder, recorder) = (try TestFolder(), DownloadRecorder())
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n".utf8)
        let part = Array(content.prefix(300_000))
        let origin = try FileOrigin(content) { $0.instead = { _ in [.send(head + part), .hold] } }
        let task = session.downloadTask(with: try origin.request(), in: folder.url(""), delegate: recorder)
        task.resume()
        #expect(await eventually { recorder.record.progress.last?.total == 300_000 })
        #expect(folder.names.map { folder.content($0)?.count } == [300_000])
        task.cancel()
        _ = await recorder.end()
        #expect(recorder.record.progress.map(\.written).reduce(0, +) == 300_000)
    }
}
