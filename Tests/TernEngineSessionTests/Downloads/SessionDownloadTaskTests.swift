// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct SessionDownloadTaskTests {
    private let session = Session.limited(to: 4)
    private let content = Array(Pattern.bytes.prefix(2_000_000))

    private func run(_ task: SessionDownloadTask, _ recorder: DownloadRecorder) async -> DownloadRecorder.Record {
        task.resume()
        return await recorder.end()
    }

    @Test func `an error is saved as it came`() async throws {
        let (folder, recorder) = (try TestFolder(), DownloadRecorder())
        let origin = try FileOrigin([]) { $0.instead = { _ in [.respond(status: 500, reason: "No", body: "sorry")] } }
        let task = session.downloadTask(with: try origin.request(), in: folder.url(""), delegate: recorder)
        let record = await run(task, recorder)
        #expect(record.events == [.head(500), .finished, .end(failed: false)])
        #expect(record.content == Array("sorry".utf8))
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
        let received: Int64 = record.progress.map(\.written).reduce(0, +)
        #expect(received == 2_000_000 - Int64(count))
    }

    @Test func `credentials are asked for again`() async throws {
        let (folder, recorder) = (try TestFolder(), DownloadRecorder())
        let origin = try FileOrigin(content) { $0.breaksOffAfter = 10 }
        var request = try origin.request()
        request.headers = [
            "Authorization": "Bearer secret", "Cookie": "secret", "X-Key": "secret", "Accept": "text/plain",
        ]
        let record = await run(session.downloadTask(with: request, in: folder.url(""), delegate: recorder), recorder)
        let data = try #require(record.error?.resumeData)
        #expect(!String(decoding: data, as: UTF8.self).contains("secret"))
        origin.change { $0.breaksOffAfter = nil }
        let second = DownloadRecorder()
        let task = try session.downloadTask(withResumeData: data, request: request, delegate: second)
        #expect(await run(task, second).content == content)
        let last = try #require(origin.origin.requests.last)
        #expect(last.value(of: "Authorization") == "Bearer secret")
        #expect(last.value(of: "Range") == "bytes=10-")
    }

    @Test func `what has changed starts over, whatever the server does about it`() async throws {
        let folder = try TestFolder()
        let other = Array(content.reversed())
        let change: @Sendable (inout FileOrigin.Manners) -> Void = { manners in
            manners.content = other
            manners.validator = "ETag: \"two\"\r\n"
        }
        // One that goes by the rules, one that knows no If-Range, one that knows no ranges.
        let kinds: [(@Sendable (FileOrigin.Manners, ReceivedRequest) -> [ScriptedOrigin.Step]?, count: Int)] = [
            ({ _, _ in nil }, 1),
            (
                { manners, request in
                    let lines = request.headText.split(separator: "\r\n").filter { !$0.hasPrefix("If-Range") }
                    return lines.contains { $0.hasPrefix("Range: bytes=1000-") }
                        ? FileOrigin.part(manners, from: 1000) : nil
                }, 2
            ),
            ({ manners, _ in FileOrigin.part(manners, from: 0) }, 1),
        ]
        for (kind, count) in kinds {
            let origin = try FileOrigin(content)
            let data = try await resumeData(origin, after: 1000, in: folder)
            origin.change { manners in
                change(&manners)
                let now = manners
                manners.instead = { kind(now, $0) }
            }
            let recorder = DownloadRecorder()
            let record = await run(try session.downloadTask(withResumeData: data, delegate: recorder), recorder)
            #expect(record.events == [.head(200), .finished, .end(failed: false)])
            #expect(record.content == other)
            #expect(origin.origin.requests.count == 1 + count)
            #expect(await eventually { folder.names.isEmpty })
        }
    }

    @Test func `all that is there is not asked for again`() async throws {
        let (folder, recorder) = (try TestFolder(), DownloadRecorder())
        // Without a length it is not known that the last byte was the last.
        let origin = try FileOrigin(content) {
            $0.instead = { request in
                if request.value(of: "Range") != nil { return nil }
                return [
                    .send("HTTP/1.1 200 OK\r\nETag: \"one\"\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"), .close,
                ]
            }
        }
        origin.change { $0.content = Array("abc".utf8) }
        let first = DownloadRecorder()
        let broken = await run(
            session.downloadTask(with: try origin.request(), in: folder.url(""), delegate: first), first)
        let task = try session.downloadTask(withResumeData: try #require(broken.error?.resumeData), delegate: recorder)
        let record = await run(task, recorder)
        #expect(origin.ranges == ["", "bytes=3-", "bytes=2-"])
        #expect(record.content == Array("abc".utf8))
        #expect(record.events == [.head(206), .resumed(2, of: 3), .finished, .end(failed: false)])
    }

    @Test func `a part in chunks that is shorter than its Content-Range says is no file`() async throws {
        let (folder, recorder) = (try TestFolder(), DownloadRecorder())
        let session = Session.limited()
        let origin = try FileOrigin([]) {
            $0.instead = { request in
                let isWhole = request.value(of: "Range") == nil
                let head = "HTTP/1.1 \(isWhole ? "200 OK" : "206 P")\r\nETag: \"one\"\r\n"
                let chunked = "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"
                return isWhole
                    ? [.send(head + chunked), .close]
                    : [.send(head + "Content-Range: bytes 3-9/*\r\n" + chunked + "0\r\n\r\n")]
            }
        }
        let first = DownloadRecorder()
        let broken = await run(
            session.downloadTask(with: try origin.request(), in: folder.url(""), delegate: first), first)
        let data = try #require(broken.error?.resumeData)
        let record = await run(try session.downloadTask(withResumeData: data, delegate: recorder), recorder)
        guard case .download(.incomplete(received: 6, of: 10)) = record.error?.reason else {
            Issue.record("\(String(describing: record.error))")
            return
        }
    }

    @Test func `what has become shorter starts over`() async throws {
        let (folder, recorder) = (try TestFolder(), DownloadRecorder())
        let origin = try FileOrigin(content)
        let data = try await resumeData(origin, after: 1000, in: folder)
        origin.change { $0.content = Array("short".utf8) }
        let record = await run(try session.downloadTask(withResumeData: data, delegate: recorder), recorder)
        #expect(origin.ranges == ["", "bytes=1000-", ""])
        #expect(record.content == Array("short".utf8))
    }

    @Test(
        arguments: [
            ("Content-Range: bytes 999-1999999/2000000\r\n", .start(999, asked: 1000)), ("", .missing),
            ("Content-Range: bytes 1001-1999999/2000000\r\n", .start(1001, asked: 1000)),
            ("Content-Range: bytes 1000-1999999/2000001\r\n", .total(2_000_001, before: 2_000_000)),
            ("Content-Range: bytes 1000-1999998/2000000\r\n", .length(1_999_000, ofPart: 1_998_999)),
            ("Content-Range: bytes */2000000\r\n", .malformed),
            ("Content-Range: pages 1000-1999999/2000000\r\n", .malformed),
            ("Content-Type: multipart/byteranges; boundary=x\r\n", .multipart),
        ] as [(String, ContentRangeError)])
    func `a server that lies about a part is refused`(field: String, reason: ContentRangeError) async throws {
        let folder = try TestFolder()
        let origin = try FileOrigin(content)
        let data = try await resumeData(origin, after: 1000, in: folder)
        let rest = Array(content[1000...])
        origin.change {
            $0.instead = { _ in
                [
                    .send("HTTP/1.1 206 P\r\nETag: \"one\"\r\n\(field)Content-Length: \(rest.count)\r\n\r\n"),
                    .send(rest),
                ]
            }
        }
        let recorder = DownloadRecorder()
        let record = await run(try session.downloadTask(withResumeData: data, delegate: recorder), recorder)
        guard case .download(.wrongPart(let error)) = record.error?.reason else {
            Issue.record("\(record)")
            return
        }
        #expect(error == reason)
        #expect(record.events == [.end(failed: true)])
        // Nothing is lost by it.
        origin.change { $0.instead = nil }
        let again = DownloadRecorder()
        let task = try session.downloadTask(withResumeData: try #require(record.error?.resumeData), delegate: again)
        #expect(await run(task, again).content == content)
    }

    @Test func `a part that ends early is no file`() async throws {
        let folder = try TestFolder()
        let origin = try FileOrigin(content)
        let data = try await resumeData(origin, after: 1000, in: folder)
        let part = Array(content[1000..<5000])
        origin.change {
            $0.instead = { _ in
                [
                    .send("HTTP/1.1 206 P\r\nContent-Range: bytes 1000-4999/2000000\r\nContent-Length: 4000\r\n\r\n"),
                    .send(part),
                ]
            }
        }
        let recorder = DownloadRecorder()
        let record = await run(try session.downloadTask(withResumeData: data, delegate: recorder), recorder)
        guard case .download(.incomplete(5000, of: 2_000_000)) = record.error?.reason else {
            Issue.record("\(record)")
            return
        }
        #expect(try ResumeData(try #require(record.error?.resumeData)).countOfBytesReceived == 5000)
    }

    @Test func `an error does not touch what is there of the file`() async throws {
        let folder = try TestFolder()
        let origin = try FileOrigin(content)
        let data = try await resumeData(origin, after: 1000, in: folder)
        origin.change { $0.instead = { _ in [.respond(status: 503, reason: "Later", body: "later")] } }
        let recorder = DownloadRecorder()
        let record = await run(try session.downloadTask(withResumeData: data, delegate: recorder), recorder)
        #expect(record.content == Array("later".utf8))
        origin.change { $0.instead = nil }
        let again = DownloadRecorder()
        #expect(await run(try session.downloadTask(withResumeData: data, delegate: again), again).content == content)
    }

    @Test func `cancelling gives what to resume with, if it is asked for`() async throws {
        let folder = try TestFolder()
        let origin = try FileOrigin(content) {
            $0.instead = { request in
                if request.value(of: "Range") != nil { return nil }
                return [.send("HTTP/1.1 200 OK\r\nETag: \"one\"\r\nContent-Length: 2000000\r\n\r\n"), .hold]
            }
        }
        let recorder = DownloadRecorder()
        let task = session.downloadTask(with: try origin.request(), in: folder.url(""), delegate: recorder)
        task.resume()
        #expect(await origin.origin.waitFor { !$0.requests.isEmpty })
        #expect(await eventually { task.response != nil })
        // Nothing has come, so there is nothing to be kept.
        #expect(await task.cancelByProducingResumeData() == nil)
        #expect(await recorder.end().error?.reason.isCancellation == true)
        #expect(folder.names == [])
        #expect(await task.cancelByProducingResumeData() == nil)
    }

    @Test func `it is cancelled halfway, and resumes`() async throws {
        let folder = try TestFolder()
        let head = Array("HTTP/1.1 200 OK\r\nETag: \"one\"\r\nContent-Length: 2000000\r\n\r\n".utf8)
        let part = Array(content.prefix(1_500_000))
        let origin = try FileOrigin(content) {
            $0.instead = { $0.value(of: "Range") != nil ? nil : [.send(head + part), .hold] }
        }
        let (recorder, reached) = (DownloadRecorder(), AsyncStream<Void>.makeStream())
        let task = session.downloadTask(with: try origin.request(), in: folder.url(""), delegate: recorder)
        task.resume()
        #expect(await eventually { task.countOfBytesReceived == 1_500_000 })
        let data = try #require(await task.cancelByProducingResumeData())
        #expect(await recorder.end().error?.resumeData == data)
        #expect(try ResumeData(data).countOfBytesReceived == 1_500_000)
        let again = DownloadRecorder()
        let record = await run(try session.downloadTask(withResumeData: data, delegate: again), again)
        #expect(record.content == content)
        reached.continuation.finish()
    }

    @Test(arguments: ["", "HTTP/1.1 206 P\r\nETag: \"one\"\r\nContent-Range: bytes 1000-1999999/2000000\r\n\r\n"])
    func `cancelled before it resumes, it keeps the partial file`(answer: String) async throws {
        let folder = try TestFolder()
        let origin = try FileOrigin(content)
        let data = try await resumeData(origin, after: 1000, in: folder)
        origin.change { $0.instead = { _ in [.send(answer), .hold] } }
        let recorder = DownloadRecorder()
        let task = try session.downloadTask(withResumeData: data, delegate: recorder)
        task.resume()
        #expect(await origin.origin.waitFor { $0.requests.count == 2 })
        #expect(await eventually { answer.isEmpty || task.response != nil })
        task.cancel()
        let left = try #require(await recorder.end().error?.resumeData)
        origin.change { $0.instead = nil }
        let again = DownloadRecorder()
        let record = await run(try session.downloadTask(withResumeData: left, delegate: again), again)
        #expect(record.events.contains(.resumed(1000, of: 2_000_000)))
        #expect(record.content == content)
        #expect(await eventually { folder.names.isEmpty })
    }

    @Test func `cut at every byte, it comes out whole`() async throws {
        let folder = try TestFolder()
        let content = Array(content.prefix(40))
        for count in 0...40 {
            let origin = try FileOrigin(content) { $0.breaksOffAfter = count }
            let target = folder.url("file \(count)")
            _ = try? await session.download(for: origin.request(), to: target, settings: .resumable)
            origin.change { $0.breaksOffAfter = nil }
            if count < 40 { _ = try await session.download(for: origin.request(), to: target, settings: .resumable) }
            #expect(folder.content("file \(count)") == content)
            #expect(origin.ranges == [[""], count == 40 ? [] : [count == 0 ? "" : "bytes=\(count)-"]].flatMap { $0 })
        }
        #expect(folder.names.count == 41)
    }

    /// Waits for a condition without an event.
}
