// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Serves a file, and answers each request as its number says.
private struct BreakingOrigin {
    let origin: ScriptedOrigin

    init(_ answer: @escaping @Sendable (_ number: Int, _ request: ReceivedRequest) -> [ScriptedOrigin.Step]) throws {
        let count = Lock(0)
        origin = try ScriptedOrigin { _, request in
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            return answer(number, request)
        }
    }

    var ranges: [String] { origin.requests.map { $0.value(of: "Range") ?? "" } }

    /// What a server answers whose file has this content; the connection is closed after `count` bytes of it.
    static func answer(
        _ content: [UInt8], _ request: ReceivedRequest, fields: String = "ETag: \"one\"\r\n", ignores: String? = nil,
        breaksOffAfter count: Int? = nil
    ) -> [ScriptedOrigin.Step] {
        let asked = ignores == "Range" ? nil : request.value(of: "Range").flatMap { Int($0.dropFirst(6).dropLast()) }
        let isChanged = ignores == nil && request.value(of: "If-Range").map { !fields.contains($0) } ?? false
        let start = isChanged ? nil : asked
        let body = content[(start ?? 0)...]
        let line =
            start.map { "206 P\r\nContent-Range: bytes \($0)-\(content.count - 1)/\(content.count)" } ?? "200 OK"
        let head = Array("HTTP/1.1 \(line)\r\n\(fields)Content-Length: \(body.count)\r\n\r\n".utf8)
        guard let count, count < body.count else { return [.send(head + body)] }
        return [.send(head + body.prefix(count)), .close]
    }
}

/// Records the events of a download in their order.
private final class Log: SessionDownloadDelegate {
    enum Event: Equatable {
        case head(Int), wrote(Int64), resumed(Int64), retry(String), finished
    }

    private struct State {
        var events: [Event] = []
        var content: [UInt8]?
        var end: SessionError??
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())
    private let answer: RetryAnswer
    private let onRetry: @Sendable (SessionDownloadTask) -> Void

    init(answer: RetryAnswer = .retry, onRetry: @escaping @Sendable (SessionDownloadTask) -> Void = { _ in }) {
        (self.answer, self.onRetry) = (answer, onRetry)
    }

    /// Runs the task to its end.
    func error(of task: SessionDownloadTask, in session: Session) async -> SessionError? {
        await withCheckedContinuation { continuation in
            state.withLock { $0.waiter = continuation }
            task.resume()
        }
        withExtendedLifetime(session) {}
        return state.withLock { $0.end ?? nil }
    }

    var events: [Event] { state.withLock { $0.events } }

    /// Those that are no progress.
    var steps: [Event] { events.filter { if case .wrote = $0 { false } else { true } } }

    /// Whether the file has this content; nil without a file.
    func received(_ content: [UInt8]) -> Bool? { state.withLock { $0.content.map { $0 == content } } }

    /// Whether the length of the file grows from report to report, but where it is told that it does not.
    var isProgressSteady: Bool {
        var length: Int64 = 0
        for event in events {
            switch event {
            case .wrote(let total):
                guard total > length else { return false }
                length = total
            case .resumed(let offset):
                guard offset == 0 || offset == length else { return false }
                length = offset
            case .head, .retry, .finished: break
            }
        }
        return true
    }

    private func note(_ event: Event) { state.withLock { $0.events.append(event) } }

    func task(_ task: SessionTask, didReceive response: HTTPURLResponse) { note(.head(response.statusCode)) }

    func task(_ task: SessionTask, willRetry retry: RetryMetrics, _ question: DelegateQuestion<RetryAnswer>) {
        note(.retry("\(retry.cause)"))
        if let task = task as? SessionDownloadTask { onRetry(task) }
        question.answer(answer)
    }

    func downloadTask(
        _ task: SessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) { note(.wrote(totalBytesWritten)) }

    func downloadTask(_ task: SessionDownloadTask, didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64) {
        note(.resumed(fileOffset))
    }

    func downloadTask(_ task: SessionDownloadTask, didFinishDownloadingTo location: URL) {
        let content = (try? Data(contentsOf: location)).map { Array($0) }
        state.withLock { $0.content = content }
        note(.finished)
    }

    func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
        let waiter = state.withLock { state in
            state.end = .some(error)
            return state.waiter.take()
        }
        waiter?.resume()
    }
}

@Suite(.timeLimit(.minutes(5))) struct DownloadRetryTests {
    private let content = Array(Pattern.bytes.prefix(600_000))
    private let other = Array(Pattern.bytes.prefix(500_000).reversed())

    private func session(
        retries: Int = 2, base: Duration = .milliseconds(2), total: Duration? = nil
    ) -> Session {
        .limited {
            $0.retryPolicy = .standard
            $0.retryPolicy.maximumRetries = retries
            $0.retryPolicy.backOff = .init(base: base, maximum: base, jitter: .none)
            $0.retryPolicy.budget = nil
            if let total { $0.timeouts.total = total }
        }
    }

    @Test(arguments: 0..<12 as Range<UInt64>)
    func `a body that breaks off anywhere, and again, becomes the file`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let breaks = (0..<Int.random(in: 1...6, using: &random)).map { _ in
            Bool.random(using: &random)
                ? Int.random(in: 0...3, using: &random) : Int.random(in: 4...250_000, using: &random)
        }
        let origin = try BreakingOrigin { [content] number, request in
            BreakingOrigin.answer(
                content, request, breaksOffAfter: number < breaks.count ? breaks[number] : nil)
        }
        let (folder, log) = (try TestFolder(), Log())
        var digest = MessageDigest(.sha256)
        unsafe content.withUnsafeBytes { unsafe digest.update($0) }
        var settings = seed % 2 == 0 ? DownloadSettings() : .resumable
        let value = digest.finish()
        settings.verification = .digest(.sha256, Data(try #require(value)))
        let session = self.session(retries: 6)
        let task = session.downloadTask(
            with: try URLRequest(origin.origin), to: folder.url("file"), settings: settings, delegate: log)
        let error = await log.error(of: task, in: session)
        #expect(error == nil && log.received(content) == true, "\(breaks): \(String(describing: error))")
        #expect(log.isProgressSteady, "\(log.events)")
        #expect(folder.names == ["file"])
        let retries = task.metrics?.retries.count ?? 0
        #expect(retries == origin.ranges.count - 1 && retries <= breaks.count)
        // Where nothing has arrived, the whole is asked for.
        var length = 0
        let ranges = (0...retries).map { number in
            defer { if number < breaks.count { length += breaks[number] } }
            return length == 0 ? "" : "bytes=\(length)-"
        }
        #expect(origin.ranges == ranges)
        #expect(task.response?.statusCode == 200 && task.countOfBytesExpectedToReceive == 600_000)
    }

    @Test(arguments: [nil, "If-Range"])
    func `content that has changed replaces what was written, and is not mixed with it`(ignores: String?) async throws {
        let origin = try BreakingOrigin { [content, other] number, request in
            number == 0
                ? BreakingOrigin.answer(content, request, breaksOffAfter: 300_000)
                : BreakingOrigin.answer(other, request, fields: "ETag: \"two\"\r\n", ignores: ignores)
        }
        let (folder, log) = (try TestFolder(), Log())
        let session = self.session()
        let task = session.downloadTask(
            with: try URLRequest(origin.origin), to: folder.url("file"), settings: .resumable, delegate: log)
        #expect(await log.error(of: task, in: session) == nil)
        #expect(log.received(other) == true && log.isProgressSteady && folder.names == ["file"])
        #expect(log.steps == [.head(200), .retry("connection-lost"), .head(200), .resumed(0), .finished])
        #expect(task.metrics?.retries.count == 1)
        #expect(origin.ranges == ["", "bytes=300000-"] + (ignores == nil ? [] : [""]))
        #expect(task.response?.headers["ETag"] == "\"two\"")
    }

    @Test(
        "what cannot be continued begins again",
        arguments: [
            ("ETag: \"one\"\r\n", "Range", ["", "bytes=300000-"]), ("", nil, ["", ""]),
            ("ETag: W/\"one\"\r\n", nil, ["", ""]),
            ("ETag: \"one\"\r\nAccept-Ranges: none\r\n", nil, ["", ""]),
        ] as [(String, String?, [String])])
    func again(fields: String, ignores: String?, ranges: [String]) async throws {
        let origin = try BreakingOrigin { [content] number, request in
            BreakingOrigin.answer(
                content, request, fields: fields, ignores: ignores, breaksOffAfter: number == 0 ? 300_000 : nil)
        }
        let (folder, log) = (try TestFolder(), Log())
        let session = self.session()
        let task = session.downloadTask(with: try URLRequest(origin.origin), in: folder.url(""), delegate: log)
        #expect(await log.error(of: task, in: session) == nil)
        #expect(log.received(content) == true && log.isProgressSteady, "\(log.events)")
        #expect(origin.ranges == ranges)
    }

    @Test func `a server that is asked for the rest may ask for patience`() async throws {
        let origin = try BreakingOrigin { [content] number, request in
            switch number {
            case 0: BreakingOrigin.answer(content, request, breaksOffAfter: 300_000)
            case 1: [.respond(status: 503, fields: [("Retry-After", "1")], body: "busy")]
            default: BreakingOrigin.answer(content, request)
            }
        }
        let (folder, log) = (try TestFolder(), Log())
        let session = self.session()
        let task = session.downloadTask(with: try URLRequest(origin.origin), in: folder.url(""), delegate: log)
        #expect(await log.error(of: task, in: session) == nil)
        #expect(log.received(content) == true)
        #expect(
            log.steps == [
                .head(200), .retry("connection-lost"), .retry("503"), .resumed(300_000), .finished,
            ])
        #expect(task.metrics?.retries.map(\.delay) == [.milliseconds(2), .seconds(1)])
        #expect(task.countOfBytesReceived == content.count)
        #expect(origin.ranges == ["", "bytes=300000-", "bytes=300000-"])
    }

    @Test func `when the retries are used up, what has arrived is kept as far as it may be`() async throws {
        let origin = try BreakingOrigin { [content] number, request in
            BreakingOrigin.answer(content, request, breaksOffAfter: number < 3 ? 1000 : nil)
        }
        let folder = try TestFolder()
        let session = self.session()
        let request = try URLRequest(origin.origin)
        var log = Log()
        let broken = await log.error(
            of: session.downloadTask(with: request, in: folder.url(""), delegate: log), in: session)
        #expect(broken?.reason.isConnectionLoss == true && broken?.retries.count == 2)
        let data = try #require(broken?.resumeData)
        #expect(try ResumeData(data).countOfBytesReceived == 3000)
        log = Log()
        let task = try session.downloadTask(withResumeData: data, delegate: log)
        #expect(await log.error(of: task, in: session) == nil)
        #expect(log.received(content) == true && origin.ranges.last == "bytes=3000-")
    }

    @Test func `an answer that is no rest does not become part of the file`() async throws {
        let origin = try BreakingOrigin { [content] number, request in
            number == 0
                ? BreakingOrigin.answer(content, request, breaksOffAfter: 1000)
                : [.respond(status: 404, body: "gone")]
        }
        let (folder, log) = (try TestFolder(), Log())
        let session = self.session()
        let task = session.downloadTask(with: try URLRequest(origin.origin), in: folder.url(""), delegate: log)
        let error = await log.error(of: task, in: session)
        guard case .download(.unsuccessful(let response))? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(response.statusCode == 404 && log.received([]) == nil)
        #expect(try error?.resumeData.map { try ResumeData($0).countOfBytesReceived } == 1000)
    }

    @Test func `the rest of another resource with the same tag does not become part of the file`()
        async throws
    {
        let other = [UInt8](repeating: 7, count: content.count)
        let origin = try BreakingOrigin { [content] number, request in
            switch number {
            case 0: BreakingOrigin.answer(content, request, breaksOffAfter: 1000)
            case 1: [.redirect(302, to: "/other")]
            default: BreakingOrigin.answer(other, request)
            }
        }
        let (folder, log) = (try TestFolder(), Log())
        let session = self.session()
        let task = session.downloadTask(with: try URLRequest(origin.origin), in: folder.url(""), delegate: log)
        #expect(await log.error(of: task, in: session) == nil)
        #expect(log.received(other) == true && task.countOfBytesReceived == other.count)
        #expect(origin.ranges == ["", "bytes=1000-", "bytes=1000-", ""])
    }

    @Test func `a download may be cancelled while its retry waits`() async throws {
        let origin = try BreakingOrigin { [content] _, request in
            BreakingOrigin.answer(content, request, breaksOffAfter: 1000)
        }
        let folder = try TestFolder()
        let produced = Lock<Data?>(nil)
        let log = Log { task in task.cancel { data in produced.withLock { $0 = data } } }
        let session = self.session(base: .seconds(50))
        let task = session.downloadTask(
            with: try URLRequest(origin.origin), in: folder.url(""), delegate: log)
        guard case .cancelled? = await log.error(of: task, in: session)?.reason else {
            Issue.record("not cancelled")
            return
        }
        #expect(origin.ranges == [""])
        let data = try #require(produced.withLock { $0 })
        #expect(try ResumeData(data).countOfBytesReceived == 1000)
    }

    @Test func `a delegate that refuses the retry gets the error, and what resumes the download`() async throws {
        let origin = try BreakingOrigin { [content] _, request in
            BreakingOrigin.answer(content, request, breaksOffAfter: 1000)
        }
        let (folder, log) = (try TestFolder(), Log(answer: .doNotRetry))
        let session = self.session()
        let task = session.downloadTask(with: try URLRequest(origin.origin), in: folder.url(""), delegate: log)
        let error = try #require(await log.error(of: task, in: session))
        #expect(error.reason.isConnectionLoss && error.phase == .body && error.retries.isEmpty)
        #expect(try error.resumeData.map { try ResumeData($0).countOfBytesReceived } == 1000)
        #expect(origin.ranges == [""])
    }

    @Test func `a retry for which there is no time is not made, and the download can be resumed`() async throws {
        let origin = try BreakingOrigin { [content] _, request in
            BreakingOrigin.answer(content, request, breaksOffAfter: 1000)
        }
        let (folder, log) = (try TestFolder(), Log())
        let session = self.session(base: .seconds(50), total: .milliseconds(300))
        let task = session.downloadTask(
            with: try URLRequest(origin.origin), in: folder.url(""), delegate: log)
        let error = await log.error(of: task, in: session)
        #expect(error?.reason.isConnectionLoss == true && error?.retryRefusal == .time)
        #expect(error?.resumeData != nil && error?.retries.isEmpty == true)
    }

    @Test func `a body that stalls is continued as one that is lost`() async throws {
        let origin = try BreakingOrigin { [content] number, request in
            number == 0
                ? [
                    .send(
                        Array("HTTP/1.1 200 OK\r\nETag: \"one\"\r\nContent-Length: 600000\r\n\r\n".utf8)
                            + content.prefix(9)), .hold,
                ]
                : BreakingOrigin.answer(content, request)
        }
        let (folder, log) = (try TestFolder(), Log())
        var request = try URLRequest(origin.origin)
        request.timeouts = Timeouts()
        request.timeouts?.idle = .milliseconds(200)
        let session = self.session()
        let task = session.downloadTask(with: request, in: folder.url(""), delegate: log)
        #expect(await log.error(of: task, in: session) == nil)
        #expect(log.received(content) == true && origin.ranges == ["", "bytes=9-"])
    }
}
