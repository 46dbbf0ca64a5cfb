// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
import TernURLSession
import Testing

/// Writes down its calls, each with whether it came on the session's queue.
private class Recorder: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, @unchecked Sendable {
    private let state = Lock<(calls: [String], waiting: [(String, CheckedContinuation<Void, Never>)])>(([], []))
    let queue: OperationQueue?

    init(on queue: OperationQueue? = nil) { self.queue = queue }

    var calls: [String] { state.withLock { $0.calls } }

    func note(_ call: String) {
        let isHere = queue == nil || OperationQueue.current === queue
        let ready = state.withLock { state in
            state.calls.append(isHere ? call : "\(call), elsewhere")
            let ready = state.waiting.filter { $0.0 == call }
            state.waiting.removeAll { $0.0 == call }
            return ready
        }
        for (_, continuation) in ready { continuation.resume() }
    }

    func wait(for call: String) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.calls.contains(call) { return true }
                state.waiting.append((call, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { note("invalid") }

    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) { note("created") }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        note("redirect to \(request.url?.path ?? "-")")
        completionHandler(request)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        note("challenge \(challenge.previousFailureCount)")
        if challenge.previousFailureCount > 0 { return completionHandler(.rejectProtectionSpace, nil) }
        completionHandler(.useCredential, URLCredential(user: "user", password: "secret", persistence: .none))
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: any URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        note("response \((response as? HTTPURLResponse)?.statusCode ?? 0)")
        completionHandler(response.url?.path == "/file" ? .becomeDownload : .allow)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask
    ) { note("became") }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        note(String(decoding: data, as: UTF8.self))
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        note("file \((try? String(contentsOf: location, encoding: .utf8)) ?? "-")")
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        note("metrics \(metrics.transactionMetrics.count)")
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        note("end \((error as? URLError).map { "\($0.code.rawValue)" } ?? "-")")
    }
}

@Suite(.timeLimit(.minutes(1))) struct URLSessionDelegateTests {
    private let origin: ScriptedOrigin

    init() throws {
        origin = try ScriptedOrigin { _, request in
            switch request.target {
            case "/moved": [.respond(status: 302, fields: [("Location", "/")], body: "")]
            case "/secret" where request.value(of: "Authorization") == nil:
                [.respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=\"x\"")], body: "")]
            case "/held": [.hold, .ok("late")]
            case "/cut": [.close]
            case "/busy": [.respond(status: 503, body: "busy")]
            default: [.ok("hello")]
            }
        }
    }

    private func url(_ path: String) throws -> URL { try #require(URL(string: origin.url(path))) }

    private func queue() -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return queue
    }

    @Test(arguments: [
        ("/", ["response 200", "hello", "metrics 1", "end -"]),
        ("/moved", ["redirect to /", "response 200", "hello", "metrics 2", "end -"]),
        ("/secret", ["challenge 0", "response 200", "hello", "metrics 2", "end -"]),
        ("/cut", ["metrics 1", "end -1005"]),
        ("/file", ["response 200", "became", "file hello", "metrics 1", "end -"]),
    ])
    func `a delegate is called in order, and on its queue`(_ path: String, _ calls: [String]) async throws {
        let queue = queue()
        let recorder = Recorder(on: queue)
        let session = URLSession(configuration: .ephemeral, delegate: recorder, delegateQueue: queue)
        session.dataTask(with: try url(path)).resume()
        await recorder.wait(for: try #require(calls.last))
        // The creation is told at once, where it happens.
        #expect(recorder.calls == ["created, elsewhere"] + calls)
        #expect(session.delegate === recorder && session.delegateQueue === queue)
        session.finishTasksAndInvalidate()
        await recorder.wait(for: "invalid")
        #expect(session.delegate == nil)
    }

    @Test func `a queue that stands still holds no retry, about which no delegate is asked`() async throws {
        let queue = queue()
        let recorder = Recorder(on: queue)
        let session = URLSession(configuration: .ephemeral, delegate: recorder, delegateQueue: queue)
        var request = URLRequest(url: try url("/busy"))
        request.retryPolicy = .standard
        request.retryPolicy?.backOff.base = .milliseconds(1)
        queue.isSuspended = true
        session.dataTask(with: request).resume()
        #expect(await origin.waitFor { $0.requestCount == 3 })
        queue.isSuspended = false
        await recorder.wait(for: "end -")
        #expect(recorder.calls.contains("response 503"))
    }

    @Test func `a completion handler silences the response, and no challenge`() async throws {
        let recorder = Recorder()
        let session = URLSession(configuration: .ephemeral, delegate: recorder, delegateQueue: nil)
        let text = try await withCheckedThrowingContinuation { continuation in
            do {
                session.dataTask(with: try url("/secret")) { data, response, error in
                    continuation.resume(
                        returning: "\((response as? HTTPURLResponse)?.statusCode ?? 0) \(data?.count ?? 0)")
                }.resume()
            } catch { continuation.resume(throwing: error) }
        }
        #expect(text == "200 5")
        #expect(recorder.calls == ["created", "challenge 0", "metrics 2"])
    }

    @Test func `a delegate of a task comes before that of its session`() async throws {
        let (recorder, own) = (Recorder(), Recorder())
        let session = URLSession(configuration: .ephemeral, delegate: recorder, delegateQueue: nil)
        let (data, _) = try await session.data(from: try url("/moved"), delegate: own)
        #expect(data.count == 5)
        #expect(own.calls == ["redirect to /", "hello", "metrics 2"] && recorder.calls == ["created"])
    }

    @Test(arguments: [
        ("/", ["response 200", "hello", "metrics 1", "end -"]),
        ("/moved", ["redirect to /", "response 200", "hello", "metrics 2", "end -"]),
        ("/secret", ["challenge 0", "response 200", "hello", "metrics 2", "end -"]),
        ("/file", ["response 200", "became", "file hello", "metrics 1", "end -"]),
    ])
    func `what a task's delegate does not implement goes to the session's`(
        _ path: String, _ calls: [String]
    ) async throws {
        final class Empty: NSObject, URLSessionDataDelegate {}
        let recorder = Recorder()
        let session = URLSession(configuration: .ephemeral, delegate: recorder, delegateQueue: nil)
        let task = session.dataTask(with: try url(path))
        task.delegate = Empty()
        task.resume()
        await recorder.wait(for: "end -")
        #expect(recorder.calls == ["created"] + calls)
    }

    @Test func `a delegate that calls another, which implements nothing, is not called by it`() async throws {
        final class Empty: NSObject, URLSessionTaskDelegate {}
        final class Forwarder: Recorder, @unchecked Sendable {
            private let other = Empty()

            override func urlSession(
                _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
            ) {
                other.urlSession(session, task: task, didCompleteWithError: error)
                super.urlSession(session, task: task, didCompleteWithError: error)
            }
        }
        let forwarder = Forwarder()
        let session = URLSession(configuration: .ephemeral, delegate: forwarder, delegateQueue: nil)
        session.dataTask(with: try url("/")).resume()
        await forwarder.wait(for: "end -")
        #expect(forwarder.calls.count { $0 == "end -" } == 1)
    }

    @Test func `async calls tell their delegate of the content, and the session's nothing of it`() async throws {
        final class Progressing: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
            let count = Lock<Int64>(0)

            func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
                count.withLock { $0 += Int64(data.count) }
            }

            func urlSession(
                _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
                totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
            ) {
                count.withLock { $0 += bytesWritten }
            }

            func urlSession(
                _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
            ) {}
        }
        final class Empty: NSObject, URLSessionDataDelegate {}
        let recorder = Recorder()
        let session = URLSession(configuration: .ephemeral, delegate: recorder, delegateQueue: nil)
        let (data, download) = (Progressing(), Progressing())
        #expect(try await session.data(from: try url("/"), delegate: data).0.count == 5)
        let (file, _) = try await session.download(from: try url("/"), delegate: download)
        try FileManager.default.removeItem(at: file)
        #expect(data.count.withLock { $0 } == 5 && download.count.withLock { $0 } == 5)
        _ = try await session.data(from: try url("/"), delegate: Empty())
        _ = try await session.data(from: try url("/"))
        #expect(!recorder.calls.contains("hello"))
    }

    @Test func `a session that nobody holds lives until its task has ended`() async throws {
        weak var session: URLSession?
        let status = try await withCheckedThrowingContinuation { continuation in
            do {
                let held = URLSession(configuration: .ephemeral)
                session = held
                held.dataTask(with: try url("/")) { _, response, error in
                    continuation.resume(returning: (response as? HTTPURLResponse)?.statusCode ?? 0)
                }.resume()
            } catch { continuation.resume(throwing: error) }
        }
        #expect(status == 200)
        while session != nil { await Task.yield() }
    }

    @Test func `tasks are listed from their creation, and not after their end`() async throws {
        let recorder = Recorder()
        let session = URLSession(configuration: .ephemeral, delegate: recorder, delegateQueue: nil)
        let tasks = try (0..<5).map { _ in session.dataTask(with: try url("/held")) }
        #expect(await session.tasks.0.count == 5)
        for task in tasks { task.resume() }
        #expect(await session.tasks.0.count == 5)
        for task in tasks { task.cancel() }
        while recorder.calls.count(where: { $0 == "end -999" }) < 5 { await Task.yield() }
        #expect(await session.tasks.0.isEmpty)
    }

    @Test func `a queue that is suspended holds the delegate back, and loses nothing`() async throws {
        let queue = queue()
        queue.isSuspended = true
        let recorder = Recorder(on: queue)
        let session = URLSession(configuration: .ephemeral, delegate: recorder, delegateQueue: queue)
        session.dataTask(with: try url("/")).resume()
        #expect(await origin.waitFor { $0.requestCount == 1 })
        #expect(recorder.calls == ["created, elsewhere"])
        queue.isSuspended = false
        await recorder.wait(for: "end -")
        #expect(recorder.calls.contains("hello"))
    }

    @Test func `progress ends at its whole, and its cancellation is the task's`() async throws {
        let recorder = Recorder()
        let session = URLSession(configuration: .ephemeral, delegate: recorder, delegateQueue: nil)
        let task = session.dataTask(with: try url("/"))
        let progress = task.progress
        task.resume()
        await recorder.wait(for: "end -")
        #expect(progress.fractionCompleted == 1 && progress.completedUnitCount == 5)
        let held = session.dataTask(with: try url("/held"))
        held.resume()
        held.progress.cancel()
        await recorder.wait(for: "end -999")
    }

    @Test func `resume data of another client fails its task with the reason`() async throws {
        let error = await withCheckedContinuation { continuation in
            URLSession.shared.downloadTask(withResumeData: Data("bplist00".utf8)) { _, _, error in
                continuation.resume(returning: error)
            }.resume()
        }
        #expect("\(try #require(error))".contains("resume data"))
    }

    @Test func `the async calls return what the server sends`() async throws {
        let session = URLSession(configuration: .ephemeral)
        let url = try url("/")
        #expect(try await session.data(from: url).0.count == 5)
        var upload = URLRequest(url: url)
        upload.httpMethod = "POST"
        #expect(try await session.upload(for: upload, from: Data("x".utf8)).0.count == 5)
        let (bytes, response) = try await session.bytes(from: url)
        var text: [UInt8] = []
        for try await byte in bytes { text.append(byte) }
        #expect((response as? HTTPURLResponse)?.statusCode == 200 && text == Array("hello".utf8))
        let (file, _) = try await session.download(from: url)
        #expect(try Data(contentsOf: file).count == 5)
        try FileManager.default.removeItem(at: file)
        do {
            _ = try await session.data(from: try self.url("/cut"))
            Issue.record("no error")
        } catch let error as URLError { #expect(error.code == .networkConnectionLost) }
        do {
            _ = try await session.data(from: try self.url("/cut"))
            Issue.record("no error")
        } catch URLError.networkConnectionLost {}
    }
}
