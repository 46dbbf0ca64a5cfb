// SPDX-License-Identifier: Apache-2.0
import Dispatch
import FoundationEssentials
import TernFiles
import TernIO
import TernLock
import TernTesting
import TestProofs
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Data tasks that become downloads.
@Suite(.timeLimit(.minutes(5))) struct SessionDataTaskTests {
    private let session = Session.limited()
    private let content = Array(Pattern.bytes.prefix(2_000_000))

    /// Wants the response as a file, and records its calls.
    private final class Converter: SessionDownloadDelegate {
        let download = DownloadRecorder()
        private let answer: @Sendable (SessionTask, DelegateQuestion<ResponseAnswer>) -> Void
        private let onBecoming: @Sendable (SessionDownloadTask) -> Void
        private let became = Lock<(from: Int, task: SessionDownloadTask)?>(nil)
        private let first = Lock<[String]>([])

        init(
            _ answer: @escaping @Sendable (SessionTask, DelegateQuestion<ResponseAnswer>) -> Void = {
                $1.answer(.becomeDownload)
            },
            onBecoming: @escaping @Sendable (SessionDownloadTask) -> Void = { _ in }
        ) {
            (self.onBecoming, self.answer) = (onBecoming, answer)
        }

        /// The calls for the first task, and an end that came before there was a second.
        var events: [String] { first.withLock { $0 } }
        var successor: SessionDownloadTask? { became.withLock { $0?.task } }
        var predecessor: Int? { became.withLock { $0?.from } }

        func task(
            _ task: SessionTask, didReceive response: HTTPURLResponse, _ question: DelegateQuestion<ResponseAnswer>
        ) {
            first.withLock { $0.append("\(response.statusCode)") }
            answer(task, question)
        }

        func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) { first.withLock { $0.append("bytes") } }

        func task(_ task: SessionTask, didBecome download: SessionDownloadTask) {
            first.withLock { $0.append("became") }
            became.withLock { $0 = (task.taskIdentifier, download) }
            onBecoming(download)
        }

        func downloadTask(
            _ task: SessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
            totalBytesExpectedToWrite: Int64
        ) {
            download.downloadTask(
                task, didWriteData: bytesWritten, totalBytesWritten: totalBytesWritten,
                totalBytesExpectedToWrite: totalBytesExpectedToWrite)
        }

        func downloadTask(_ task: SessionDownloadTask, didFinishDownloadingTo location: URL) {
            download.downloadTask(task, didFinishDownloadingTo: location)
        }

        func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
            if !(task is SessionDownloadTask) || successor == nil { first.withLock { $0.append("end") } }
            download.task(task, didCompleteWith: error)
        }
    }

    @Test(.proves("3.6c"), arguments: [false, true])
    func `a response becomes a file, and a download replaces the task`(later: Bool) async throws {
        let origin = try FileOrigin(content)
        let converter = Converter { _, question in
            if later { Task { question.answer(.becomeDownload) } } else { question.answer(.becomeDownload) }
        }
        let task = session.dataTask(with: try origin.request(), delegate: converter)
        task.resume()
        let record = await converter.download.end()
        #expect(record.events == [.finished, .end(failed: false)])
        #expect(record.content == content)
        #expect(record.progress.last?.total == 2_000_000 && record.progress.last?.expected == 2_000_000)
        #expect(converter.events == ["200", "became"] && converter.predecessor == task.taskIdentifier)
        let download = try #require(converter.successor)
        #expect(download.taskIdentifier != task.taskIdentifier && download.response?.statusCode == 200)
        #expect(task.state == .completed && task.error == nil && task.metrics == nil)
        #expect(download.state == .completed && download.countOfBytesReceived == 2_000_000)
        #expect(download.metrics?.hops.count == 1 && download.metrics?.hops.first?.statusCode == 200)
        #expect(await eventually { record.location.map { FileStatus(of: $0.path()) == nil } ?? false })
        #expect(try await session.data(for: origin.request()).0.count == 2_000_000)
        #expect(origin.origin.connectionCount == 1 && origin.ranges == ["", ""])
    }

    @Test func `an exchange that is complete before the answer becomes a file all the same`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 404)] }
        let converter = Converter { task, question in
            Task {
                // Nothing can come any more.
                while await onReactor(task, { task.isCarried }) { await Task.yield() }
                question.answer(.becomeDownload)
            }
        }
        let task = session.dataTask(with: try URLRequest(origin), delegate: converter)
        task.resume()
        let record = await converter.download.end()
        #expect(record.events == [.finished, .end(failed: false)] && record.content == [])
        #expect(converter.events == ["404", "became"])
    }

    @Test func `a redirect that is delivered at last becomes a file`() async throws {
        final class Refuser: SessionDownloadDelegate {
            let download = DownloadRecorder()

            func task(
                _ task: SessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest,
                _ question: DelegateQuestion<RedirectAnswer>
            ) {
                Task {
                    while await onReactor(task, { task.isCarried }) { await Task.yield() }
                    question.answer(.deliver)
                }
            }

            func task(
                _ task: SessionTask, didReceive response: HTTPURLResponse, _ question: DelegateQuestion<ResponseAnswer>
            ) {
                question.answer(.becomeDownload)
            }

            func downloadTask(_ task: SessionDownloadTask, didFinishDownloadingTo location: URL) {
                download.downloadTask(task, didFinishDownloadingTo: location)
            }

            func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
                download.task(task, didCompleteWith: error)
            }
        }
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 302, fields: [("Location", "/there")])] }
        let refuser = Refuser()
        let task = session.dataTask(with: try URLRequest(origin), delegate: refuser)
        task.resume()
        let record = await refuser.download.end()
        #expect(record.events == [.finished, .end(failed: false)] && record.content == [])
        #expect(origin.requests.count == 1)
    }

    @Test func `what is coded is decoded into the file`() async throws {
        let body = ZlibCoder.gzip(content)
        let origin = try ScriptedOrigin { _, _ in [.respond(fields: [("Content-Encoding", "gzip")], body: body)] }
        let converter = Converter()
        let task = session.dataTask(with: try URLRequest(origin), delegate: converter)
        task.resume()
        let record = await converter.download.end()
        #expect(record.error == nil && record.content == content)
        #expect(record.progress.last?.expected == -1)
    }

    @Test func `an upload becomes a download, and so do trailers no harm`() async throws {
        let origin = try ScriptedOrigin { _, request in
            [.chunked(["\(request.body.count)", " bytes"], trailers: [("X-Sum", "1")])]
        }
        let converter = Converter()
        let content = RequestBody.data(Data(count: 300_000))
        let task = session.uploadTask(with: try URLRequest(origin), from: content, delegate: converter)
        task.resume()
        let record = await converter.download.end()
        #expect(record.content == Array("300000 bytes".utf8))
        #expect(converter.successor?.countOfBytesSent == 300_000)
    }

    @Test func `cancelling the task in that moment, or the download later, ends the download`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.send("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 10\r\n\r\n12345"), .hold]
        }
        let atOnce = Converter { task, question in
            // From another thread, so that the reactor has not looked at it yet.
            let group = DispatchGroup()
            DispatchQueue.global().async(group: group) { task.cancel() }
            group.wait()
            question.answer(.becomeDownload)
        }
        session.dataTask(with: try URLRequest(origin), delegate: atOnce).resume()
        #expect(await atOnce.download.end().error?.reason.isCancellation == true)
        #expect(atOnce.events == ["200", "became"])
        for moment in 0..<3 {
            let converter = Converter(onBecoming: { if moment == 0 { $0.cancel() } })
            session.dataTask(with: try URLRequest(origin), delegate: converter).resume()
            if moment > 0 {
                #expect(await eventually { (converter.successor?.countOfBytesReceived ?? 0) == 5 })
                let download = try #require(converter.successor)
                if moment == 1 {
                    download.cancel()
                } else {
                    #expect(await download.cancelByProducingResumeData() != nil)
                }
            }
            let record = await converter.download.end()
            #expect(record.error?.reason.isCancellation == true)
            #expect(record.events == [.end(failed: true)] && converter.events == ["200", "became"])
            if let data = record.error?.resumeData { PartialFile.discard(data) }
        }
    }

    @Test func `a task that was suspended becomes a download that is`() async throws {
        let origin = try FileOrigin(content)
        let converter = Converter { task, question in
            task.suspend()
            question.answer(.becomeDownload)
        }
        let task = session.dataTask(with: try origin.request(), delegate: converter)
        task.resume()
        #expect(await eventually { converter.successor != nil })
        let download = try #require(converter.successor)
        #expect(download.state == .suspended && download.countOfBytesReceived == 0)
        task.resume()
        #expect(download.state == .suspended)
        download.resume()
        #expect(await converter.download.end().content == content)
    }

    @Test func `a session that finishes waits for the download, and one that cancels ends it`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nha"), .hold, .send("lf")]
        }
        for cancels in [false, true] {
            let session = Session.limited()
            let converter = Converter()
            session.dataTask(with: try URLRequest(origin), delegate: converter).resume()
            #expect(await eventually { converter.successor != nil })
            #expect(session.allTasks.map(\.taskIdentifier) == [converter.successor?.taskIdentifier])
            if cancels {
                session.invalidateAndCancel()
            } else {
                session.finishTasksAndInvalidate()
                try origin.release()
            }
            let record = await converter.download.end()
            #expect(record.content == (cancels ? nil : Array("half".utf8)))
            #expect(record.error?.reason.isCancellation == (cancels ? true : nil))
            #expect(session.allTasks.isEmpty)
        }
    }

    @Test func `a delegate without download methods gets the body, and a download stays one`() async throws {
        final class Plain: SessionTaskDelegate {
            let recorder = RecordingDelegate()

            func task(
                _ task: SessionTask, didReceive response: HTTPURLResponse, _ question: DelegateQuestion<ResponseAnswer>
            ) {
                question.answer(.becomeDownload)
            }

            func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) { recorder.task(task, didReceive: bytes) }

            func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
                recorder.task(task, didCompleteWith: error)
            }
        }
        let origin = try ScriptedOrigin { _, _ in [.ok("body")] }
        let plain = Plain()
        session.dataTask(with: try URLRequest(origin), delegate: plain).resume()
        #expect(await plain.recorder.end().body == Array("body".utf8))
        let converter = Converter()
        session.downloadTask(with: try URLRequest(origin), delegate: converter).resume()
        #expect(await converter.download.end().content == Array("body".utf8))
        #expect(converter.events == ["200", "end"] && converter.successor == nil)
    }
}

extension PartialFile {
    /// Removes what is not resumed.
    fileprivate static func discard(_ data: Data) {
        guard let resumeData = try? ResumeData(data) else { return }
        try? FileManager.default.removeItem(at: resumeData.partialFile)
    }
}
