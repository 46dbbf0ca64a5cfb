// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(2))) struct SessionDelegateTests {
    /// Keeps what was made for it, and what ended.
    private final class Host: SessionDelegate, SessionDownloadDelegate {
        private let tasks = Lock<(made: [Int], ended: [Int], files: [[UInt8]])>(([], [], []))

        var made: [Int] { tasks.withLock { $0.made } }
        var ended: [Int] { tasks.withLock { $0.ended } }
        var files: [[UInt8]] { tasks.withLock { $0.files } }

        func session(_ session: Session, didCreate task: SessionTask) {
            tasks.withLock { $0.made.append(task.taskIdentifier) }
        }

        func downloadTask(_ task: SessionDownloadTask, didFinishDownloadingTo location: URL) {
            let content = (try? Data(contentsOf: location)).map { Array($0) }
            tasks.withLock { $0.files.append(content ?? []) }
        }

        func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
            tasks.withLock { $0.ended.append(task.taskIdentifier) }
        }
    }

    @Test func `it is called when its tasks are created, and for their events`() async throws {
        let origin = try ScriptedOrigin { _, request in [.ok("\(request.method) \(request.body.count)")] }
        let host = Host()
        let session = Session(delegate: host)
        let request = try URLRequest(origin)
        let tasks: [SessionTask] = [
            session.dataTask(with: request), session.uploadTask(with: request, from: .data(Data(count: 3))),
            session.uploadTask(withStreamedRequest: try URLRequest(origin, method: "PUT", body: Data(count: 4))),
            session.downloadTask(with: request),
        ]
        #expect(host.made == tasks.map(\.taskIdentifier) && host.ended.isEmpty)
        _ = session.dataTask(with: request, delegate: RecordingDelegate())
        #expect(host.made.count == 4)
        for task in tasks { task.resume() }
        while host.ended.count < 4 { await Task.yield() }
        #expect(Set(host.ended) == Set(host.made) && host.files == [Array("GET 0".utf8)])
        #expect(
            origin.requests.map { "\($0.method) \($0.body.count)" }.sorted() == ["GET 0", "GET 0", "POST 3", "PUT 4"])
    }

    @Test func `a download of a session without a delegate leaves nothing behind`() async throws {
        let (origin, folder) = (try ScriptedOrigin { _, _ in [.ok("gone")] }, try TestFolder())
        let session = Session()
        let task = session.downloadTask(with: try URLRequest(origin), in: folder.url(""))
        task.resume()
        while task.state != .completed || !folder.names.isEmpty { await Task.yield() }
        #expect(task.error == nil)
    }
}
