// SPDX-License-Identifier: Apache-2.0
import Dispatch
import FoundationEssentials
import TernLock
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// What delegates answer to the verdict of the policies about a server.
@Suite(.timeLimit(.minutes(2))) struct TrustInquiryTests {
    typealias Answering = @Sendable (ServerTrustChallenge, ServerTrustQuestion) -> Void

    /// A delegate that answers, and keeps which layer was asked about which verdict.
    private final class Respondent: SessionDelegate, SessionDownloadDelegate, UpgradeDelegate {
        let recorder = RecordingDelegate()
        private let name: String
        private let asked: Asked
        private let asSession: Answering?
        private let asTask: Answering?

        init(_ name: String = "", _ asked: Asked, asSession: Answering? = nil, asTask: Answering? = nil) {
            self.name = name
            self.asked = asked
            self.asSession = asSession
            self.asTask = asTask
        }

        var answersServerTrustChallenges: Bool { asSession != nil || asTask != nil }

        func session(_ session: Session, didReceive challenge: ServerTrustChallenge, _ question: ServerTrustQuestion) {
            guard let asSession else { return question.answer(.performDefaultHandling) }
            asked.note("session \(challenge.verdict.rule)")
            asSession(challenge, question)
        }

        func task(_ task: SessionTask, didReceive challenge: ServerTrustChallenge, _ question: ServerTrustQuestion) {
            guard let asTask else { return question.answer(.performDefaultHandling) }
            asked.note("task\(name) \(challenge.verdict.rule)")
            asTask(challenge, question)
        }

        func downloadTask(_ task: SessionDownloadTask, didFinishDownloadingTo location: URL) {}

        func task(_ task: SessionTask, didBecome stream: StreamTask) {}

        func task(_ task: SessionTask, didReceive response: HTTPURLResponse) {
            recorder.task(task, didReceive: response)
        }

        func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
            recorder.task(task, didCompleteWith: error)
        }
    }

    /// The layers that were asked, and the questions that are still open.
    private final class Asked: Sendable {
        private let lines = Lock<[String]>([])
        private let open: AsyncStream<ServerTrustQuestion>
        private let continuation: AsyncStream<ServerTrustQuestion>.Continuation

        init() { (open, continuation) = AsyncStream.makeStream() }

        var entries: [String] { lines.withLock { $0 } }

        func note(_ line: String) { lines.withLock { $0.append(line) } }

        /// Leaves the question open for the test.
        var keep: Answering { { [continuation] _, question in continuation.yield(question) } }

        func question() async -> ServerTrustQuestion? { await open.first { _ in true } }
    }

    private let authority: CertificateAuthority
    private let identity: Identity
    private let asked = Asked()

    init() throws {
        authority = try CertificateAuthority()
        identity = try authority.issue()
    }

    private func answering(_ disposition: ServerTrustAnswer) -> Answering {
        { _, question in question.answer(disposition) }
    }

    private func origin() throws -> ScriptedOrigin { try ScriptedOrigin(tls: identity) { _, _ in [.ok("well")] } }

    private func wrongPin() throws -> ServerTrustPolicy {
        .pinSet(PinSet(pins: [try X509Certificate.PublicKey(pin: try CertificateAuthority().pin)]))
    }

    private func session(
        _ delegate: Respondent? = nil, _ policy: ServerTrustPolicy? = nil, connections: Int = 1,
        timeouts: Timeouts = Timeouts(), challengeTimeout: Duration = .seconds(60)
    ) throws -> Session {
        var configuration = SessionConfiguration()
        configuration.httpMaximumConnectionsPerHost = connections
        configuration.reactorCount = 1
        configuration.timeouts = timeouts
        configuration.challengeTimeout = challengeTimeout
        configuration.tls.anchors = .only([try X509Certificate(pem: authority.certificatePEM)])
        return Session(
            configuration: configuration, delegate: delegate,
            serverTrustPolicyManager: policy.map { ServerTrustPolicyManager(policies: ["localhost": $0]) })
    }

    @discardableResult
    private func start(_ session: Session, _ origin: ScriptedOrigin, _ delegate: Respondent) throws -> SessionTask {
        let task = session.dataTask(with: try URLRequest(origin), delegate: delegate)
        task.resume()
        return task
    }

    @Test func `the session's delegate is asked first, and the task's where that leaves it`() async throws {
        let table:
            [(
                session: ServerTrustAnswer?, task: ServerTrustAnswer?, isPinned: Bool, asked: [String],
                rule: String?
            )] = [
                (nil, nil, false, [], nil), (nil, nil, true, [], "key-not-pinned"),
                (.performDefaultHandling, nil, false, ["session"], nil),
                (.performDefaultHandling, nil, true, ["session"], "key-not-pinned"),
                (.accept, .refuse, false, ["session"], nil), (.accept, .refuse, true, ["session"], nil),
                (.refuse, .accept, false, ["session"], "delegate"),
                (.refuse, .accept, true, ["session"], "key-not-pinned"),
                (.performDefaultHandling, .accept, true, ["session", "task"], nil),
                (.performDefaultHandling, .refuse, false, ["session", "task"], "delegate"),
                (nil, .performDefaultHandling, false, ["task"], nil),
                (nil, .performDefaultHandling, true, ["task"], "key-not-pinned"),
                (nil, .refuse, false, ["task"], "delegate"), (nil, .accept, true, ["task"], nil),
            ]
        let wrong = try wrongPin()
        for line in table {
            let (origin, asked) = (try origin(), Asked())
            let session = try session(
                line.session.map { Respondent("", asked, asSession: answering($0)) }, line.isPinned ? wrong : nil)
            let delegate = Respondent("", asked, asTask: line.task.map(answering))
            let task = try start(session, origin, delegate)
            let record = await delegate.recorder.end()
            #expect(record.error?.reason.trustFailure?.rule == line.rule, "\(line)")
            let verdict = line.isPinned ? "key-not-pinned" : "accepted"
            #expect(asked.entries == line.asked.map { "\($0) \(verdict)" }, "\(line)")
            let overridden = task.metrics?.connection?.overriddenTrustFailure?.rule
            #expect(overridden == (line.isPinned && line.rule == nil ? "key-not-pinned" : nil), "\(line)")
            if line.rule != nil {
                #expect(record.error?.phase == .tls)
                #expect(origin.requests.isEmpty)
            }
        }
    }

    @Test(arguments: [true, false])
    func `an answer may come later, from any thread, and the first one counts`(isSession: Bool) async throws {
        let origin = try origin()
        let later: Answering = { _, question in
            DispatchQueue.global().async {
                question.answer(.refuse)
                question.answer(.accept)
            }
        }
        let session = try session(isSession ? Respondent("", asked, asSession: later) : nil)
        let delegate = Respondent("", asked, asTask: isSession ? nil : later)
        try start(session, origin, delegate)
        #expect(await delegate.recorder.end().error?.reason.trustFailure?.reason == .delegate)
    }

    @Test func `a connection that the policies accepted is kept, and not asked about again`() async throws {
        let origin = try origin()
        let session = try session(Respondent("", asked, asSession: answering(.accept)))
        for _ in 0..<3 { #expect(try await session.text(URLRequest(origin)) == "well") }
        #expect(asked.entries == ["session accepted"])
        #expect(origin.connectionCount == 1)
    }

    @Test func `a resumed TLS session is asked about too`() async throws {
        let origin = try ScriptedOrigin(tls: identity) { _, _ in [.ok("well"), .close] }
        let session = try session(Respondent("", asked, asSession: answering(.performDefaultHandling)))
        for _ in 0..<3 { #expect(try await session.text(URLRequest(origin)) == "well") }
        #expect(origin.observations.handshakes.map(\.isResumed) == [false, true, true])
        #expect(asked.entries == [String](repeating: "session accepted", count: 3))
    }

    @Test func `a connection that a session's delegate accepts against the policies is kept, not asked about again`()
        async throws
    {
        let origin = try origin()
        let session = try session(Respondent("", asked, asSession: answering(.accept)), try wrongPin())
        for _ in 0..<3 {
            let delegate = Respondent("", asked, asTask: answering(.refuse))
            let task = try start(session, origin, delegate)
            #expect(await delegate.recorder.end().error == nil)
            #expect(task.metrics?.connection?.overriddenTrustFailure?.rule == "key-not-pinned")
        }
        #expect(origin.connectionCount == 1)
        #expect(asked.entries == ["session key-not-pinned"])
        session.serverTrustPolicyManager = ServerTrustPolicyManager(policies: ["localhost": try wrongPin()])
        #expect(try await session.text(URLRequest(origin)) == "well")
        #expect(asked.entries == ["session key-not-pinned", "session key-not-pinned"])
        #expect(origin.observations.handshakes.map(\.isResumed) == [false, false])
    }

    @Test func `one that a task's delegate accepts so carries one request, and neither leaves a TLS session`()
        async throws
    {
        let closing = try ScriptedOrigin(tls: identity) { _, _ in [.ok("well"), .close] }
        let session = try session(Respondent("", asked, asSession: answering(.accept)), try wrongPin())
        for _ in 0..<2 { #expect(try await session.text(URLRequest(closing)) == "well") }
        #expect(closing.observations.handshakes.map(\.isResumed) == [false, false])
        let (origin, other) = (try origin(), try self.session(nil, try wrongPin()))
        for _ in 0..<3 {
            let delegate = Respondent("", asked, asTask: answering(.accept))
            try start(other, origin, delegate)
            #expect(await delegate.recorder.end().error == nil)
        }
        #expect(await origin.waitFor { $0.openConnections == 0 })
        #expect(origin.observations.handshakes.map(\.isResumed) == [false, false, false])
    }

    @Test func `it serves no other task, whatever waits`() async throws {
        let origin = try origin()
        let session = try session(nil, try wrongPin())
        let accepting = Respondent(" one", asked, asTask: asked.keep)
        let other = Respondent(" two", asked, asTask: answering(.performDefaultHandling))
        try start(session, origin, accepting)
        let question = await asked.question()
        try start(session, origin, other)
        question?.answer(.accept)
        #expect(await accepting.recorder.end().error == nil)
        #expect(await other.recorder.end().error?.reason.trustFailure?.rule == "key-not-pinned")
        #expect(asked.entries == ["task one key-not-pinned", "task two key-not-pinned"])
        #expect(origin.observations.requestCount == 1)
    }

    @Test(arguments: [true, false])
    func `a question without an answer ends with a limit of its own, which says whose it was`(isSession: Bool)
        async throws
    {
        let origin = try origin()
        let words =
            "tls: the \(isSession ? "session" : "task")'s delegate did not answer the server trust challenge in time"
        try await BriefLimit.expect(Optional(words)) { brief in
            let silence: Answering = { _, _ in }
            let session = try session(
                isSession ? Respondent("", asked, asSession: silence) : nil, challengeTimeout: brief)
            let delegate = Respondent("", asked, asTask: isSession ? nil : silence)
            try start(session, origin, delegate)
            let error = await delegate.recorder.end().error
            return error.map { "\($0.phase): \($0.reason)" }
        }
        #expect(await origin.waitFor { $0.openConnections == 0 })
        #expect(origin.requests.isEmpty)
    }

    @Test func `the limit on connecting stands still while a delegate is asked`() async throws {
        let origin = try origin()
        let hole = try BlackHole()
        try await BriefLimit.expect("well") { brief in
            let asked = Asked()
            let session = try session(
                Respondent("", asked, asSession: asked.keep), timeouts: Timeouts(connect: brief))
            async let text = session.text(URLRequest(origin))
            let question = await asked.question()
            // Begun later, with the same limit.
            let late = await session.failure(of: try URLRequest(string: "http://127.0.0.1:\(hole.port)/"))
            guard late?.reason.limit == .connect else { return "\(String(describing: late))" }
            question?.answer(.accept)
            return try await text
        }
    }

    @Test func `a task that is cancelled waits for no answer`() async throws {
        let origin = try origin()
        let session = try session()
        let delegate = Respondent("", asked, asTask: asked.keep)
        let task = try start(session, origin, delegate)
        let question = await asked.question()
        task.cancel()
        #expect(await delegate.recorder.end().error?.reason.isCancellation == true)
        #expect(await origin.waitFor { $0.openConnections == 0 && $0.connectionCount == 1 })
        question?.answer(.accept)
        #expect(try await session.text(URLRequest(origin)) == "well")
        #expect(origin.requests.count == 1)
    }

    @Test func `a task that takes over the connection of a cancelled one is asked in its place`() async throws {
        let origin = try origin()
        let session = try session(nil, try wrongPin())
        let first = Respondent(" one", asked, asTask: asked.keep)
        let second = Respondent(" two", asked, asTask: asked.keep)
        let task = try start(session, origin, first)
        let late = await asked.question()
        try start(session, origin, second)
        task.cancel()
        let question = await asked.question()
        late?.answer(.accept)
        #expect(await first.recorder.end().error?.reason.isCancellation == true)
        question?.answer(.refuse)
        #expect(await second.recorder.end().error?.reason.trustFailure?.rule == "key-not-pinned")
        #expect(asked.entries == ["task one key-not-pinned", "task two key-not-pinned"])
        #expect(origin.requests.isEmpty)
    }

    @Test func `an answer to a verdict of policies that count no more is asked for again`() async throws {
        let origin = try origin()
        let session = try session(Respondent("", asked, asSession: asked.keep))
        async let failure = session.failure(of: URLRequest(origin))
        let first = await asked.question()
        session.serverTrustPolicyManager = ServerTrustPolicyManager(policies: ["localhost": try wrongPin()])
        first?.answer(.accept)
        await asked.question()?.answer(.performDefaultHandling)
        #expect(try await failure?.reason.trustFailure?.rule == "key-not-pinned")
        #expect(asked.entries == ["session accepted", "session key-not-pinned"])
        #expect(origin.requests.isEmpty)
    }

    @Test func `the delegate of a session that goes away is not waited for`() async throws {
        let origin = try origin()
        let holder = SessionHolder(try session(Respondent("", asked, asSession: asked.keep)))
        let delegate = Respondent("", asked)
        if let session = holder.session { try start(session, origin, delegate) }
        let question = await asked.question()
        holder.drop()
        #expect(await delegate.recorder.end().error != nil)
        question?.answer(.accept)
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test(arguments: [true, false])
    func `a stream that is secured asks as well`(isSession: Bool) async throws {
        let origin = try origin()
        let refusing = answering(.refuse)
        let session = try session(isSession ? Respondent("", asked, asSession: refusing) : nil)
        let delegate = Respondent("", asked, asTask: isSession ? nil : refusing)
        let task = session.streamTask(withHostName: "localhost", port: Int(origin.port), delegate: delegate)
        task.startSecureConnection()
        task.resume()
        #expect(await delegate.recorder.end().error?.reason.trustFailure?.reason == .delegate)
        #expect(asked.entries == [isSession ? "session accepted" : "task accepted"])
    }

    /// Every kind of task that a delegate is given to.
    private enum Kind: CaseIterable {
        case data, upload, streamedUpload, download, downloadToTarget, downloadToChosenTarget, resumedDownload, upgrade,
            stream

        func start(_ session: Session, _ origin: ScriptedOrigin, _ delegate: Respondent, _ folder: TestFolder) throws
            -> SessionTask
        {
            let request = try URLRequest(origin)
            let target = folder.url("target")
            let task: SessionTask
            switch self {
            case .data: task = session.dataTask(with: request, delegate: delegate)
            case .upload: task = session.uploadTask(with: request, from: .data(Data("x".utf8)), delegate: delegate)
            case .streamedUpload:
                var request = request
                request.body = .stream { ProbingSource([Data("x".utf8)]) }
                task = session.uploadTask(withStreamedRequest: request, delegate: delegate)
            case .download: task = session.downloadTask(with: request, delegate: delegate)
            case .downloadToTarget: task = session.downloadTask(with: request, to: target, delegate: delegate)
            case .downloadToChosenTarget: task = session.downloadTask(with: request, delegate: delegate) { _ in target }
            case .resumedDownload:
                var settings = DownloadSettings()
                settings.isResumable = true
                task = session.downloadTask(with: request, to: target, settings: settings, delegate: delegate)
            case .upgrade:
                var request = request
                request.headers = ["Connection": "Upgrade", "Upgrade": "raw"]
                task = session.dataTask(with: request, delegate: delegate)
            case .stream:
                let stream = session.streamTask(withHostName: "localhost", port: Int(origin.port), delegate: delegate)
                stream.startSecureConnection()
                task = stream
            }
            task.resume()
            return task
        }
    }

    /// How a delegate answers.
    private enum Manner: CaseIterable {
        case atOnce, late, twice, never, cancelledMeanwhile
    }

    @Test(arguments: [true, false])
    func `every kind of task asks, and the first answer counts`(isSession: Bool) async throws {
        let wrong = try wrongPin()
        for kind in Kind.allCases {
            for manner in Manner.allCases {
                for accepts in [true, false] {
                    // What the policies refuse is accepted, and the other way round.
                    let asked = Asked()
                    let answer: ServerTrustAnswer = accepts ? .accept : .refuse
                    let answering: Answering
                    switch manner {
                    case .atOnce: answering = { _, question in question.answer(answer) }
                    case .late: answering = { _, question in DispatchQueue.global().async { question.answer(answer) } }
                    case .twice:
                        answering = { _, question in
                            question.answer(answer)
                            question.answer(accepts ? .refuse : .accept)
                        }
                    case .never, .cancelledMeanwhile: answering = asked.keep
                    }
                    let (origin, folder) = (try origin(), try TestFolder())
                    let limit = Duration.milliseconds(manner == .never ? 20 : 60_000)
                    let session = try session(
                        isSession ? Respondent("", asked, asSession: answering) : nil, accepts ? wrong : nil,
                        challengeTimeout: limit)
                    let delegate = Respondent("", asked, asTask: isSession ? nil : answering)
                    let task = try kind.start(session, origin, delegate, folder)
                    if kind == .stream, accepts, manner != .never, manner != .cancelledMeanwhile {
                        // It is open then, and has no end of its own.
                        try await (task as? StreamTask)?.write(Data("GET / HTTP/1.0\r\n\r\n".utf8), timeout: nil)
                        task.cancel()
                    }
                    if manner == .cancelledMeanwhile {
                        let question = await asked.question()
                        task.cancel()
                        question?.answer(.accept)
                    }
                    let error = await delegate.recorder.end().error
                    let comment = Comment(
                        "\(kind), \(manner), accepts: \(accepts): \(error.map { "\($0)" } ?? "no error")")
                    #expect(asked.entries.count == 1, comment)
                    switch manner {
                    case .never:
                        #expect(error?.reason.limit == (isSession ? .sessionChallenge : .taskChallenge), comment)
                    case .cancelledMeanwhile: #expect(error?.reason.isCancellation == true, comment)
                    case .atOnce, .late, .twice:
                        if accepts {
                            #expect(error == nil || kind == .stream && error?.reason.isCancellation == true, comment)
                        } else {
                            #expect(error?.reason.trustFailure?.rule == "delegate", comment)
                        }
                    }
                    if !accepts || manner == .never || manner == .cancelledMeanwhile {
                        #expect(origin.requests.isEmpty, comment)
                    }
                }
            }
        }
    }

    @Test func `what has no delegate of its own asks the session's`() async throws {
        let session = try session(Respondent("", asked, asSession: answering(.refuse)))
        let (origin, folder) = (try origin(), try TestFolder())
        let (request, target) = (try URLRequest(origin), folder.url("target"))
        let calls: [(String, @Sendable () async throws -> Void)] = [
            ("data", { _ = try await session.data(for: request) }),
            ("upload", { _ = try await session.upload(for: request, from: .data(Data("x".utf8))) }),
            ("bytes", { _ = try await session.bytes(for: request) }),
            ("events", { for try await _ in session.events(for: request, reconnection: .never) {} }),
            ("download", { _ = try await session.download(for: request) }),
            ("download to a target", { _ = try await session.download(for: request, to: target) }),
            ("upgrade", { _ = try await session.upgrade(for: request) }),
        ]
        for (name, call) in calls {
            do {
                try await call()
                Issue.record("\(name) was not refused")
            } catch {
                #expect((error as? SessionError)?.reason.trustFailure?.rule == "delegate", "\(name): \(error)")
            }
        }
        #expect(asked.entries.count == calls.count)
        #expect(origin.requests.isEmpty)
    }

    /// Calls every method of the protocol on what stands between a task and its delegate, and expects it to arrive.
    @Test func `a download passes every event of a task on`() async throws {
        let origin = try ScriptedOrigin(tls: identity, onHead: { _, _ in [.send("HTTP/1.1 103 Early Hints\r\n\r\n")] })
        {
            _, request in
            switch request.target {
            case "/": [.respond(status: 307, fields: [("Location", "/2")])]
            case "/2" where request.value(of: "Authorization") != "Basic YTpi":
                [.respond(status: 401, fields: [("WWW-Authenticate", #"Basic realm="r""#)])]
            default: [.chunked(["a"], trailers: [("X-Sum", "1"), ("Content-Length", "1")])]
            }
        }
        let journal = EventJournal()
        var request = try URLRequest(origin, method: "POST")
        request.body = .once(ProbingSource([Data("x".utf8)]))
        request.credential = PasswordCredential(user: "refused", password: "")
        let session = try session()
        session.downloadTask(with: request, delegate: journal).resume()
        await journal.end()
        let missing = EventJournal.all.subtracting(journal.names)
        #expect(missing.isEmpty)
    }
}

/// Notes which methods of its protocols were called.
private final class EventJournal: SessionDownloadDelegate {
    static let all: Set = [
        "trust", "answersTrust", "willSend", "sent", "informational", "redirect", "challenge", "newBody", "response",
        "trailers", "discardedTrailers", "discarded", "complete", "wrote", "finished",
    ]
    private let noted = Lock<Set<String>>([])
    private let recorder = RecordingDelegate()

    var names: Set<String> { noted.withLock { $0 } }

    func end() async { _ = await recorder.end() }

    private func note(_ name: String) { noted.withLock { _ = $0.insert(name) } }

    var answersServerTrustChallenges: Bool {
        note("answersTrust")
        return true
    }
    func task(_ task: SessionTask, didReceive challenge: ServerTrustChallenge, _ question: ServerTrustQuestion) {
        note("trust")
        question.answer(.performDefaultHandling)
    }
    func task(_ task: SessionTask, willSendOn connection: ConnectionMetrics) { note("willSend") }
    func task(
        _ task: SessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) { note("sent") }
    func task(_ task: SessionTask, didReceiveInformational response: HTTPURLResponse) { note("informational") }
    func task(
        _ task: SessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        _ question: DelegateQuestion<RedirectAnswer>
    ) {
        note("redirect")
        question.answer(.follow(request))
    }
    func task(
        _ task: SessionTask, didReceive challenge: AuthenticationChallenge,
        _ question: DelegateQuestion<ChallengeAnswer>
    ) {
        note("challenge")
        question.answer(.authorization("Basic YTpi"))
    }
    func task(_ task: SessionTask, needsNewBody question: DelegateQuestion<BodyAnswer>) {
        note("newBody")
        question.answer(.content(.data(Data("y".utf8))))
    }
    func task(_ task: SessionTask, didReceive response: HTTPURLResponse) { note("response") }
    func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields) { note("trailers") }
    func task(_ task: SessionTask, didDiscardTrailers discarded: HeaderFields) { note("discardedTrailers") }
    func task(_ task: SessionTask, didDiscard response: HTTPURLResponse) { note("discarded") }
    func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
        note("complete")
        recorder.task(task, didCompleteWith: error)
    }
    func downloadTask(
        _ task: SessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) { note("wrote") }
    func downloadTask(_ task: SessionDownloadTask, didFinishDownloadingTo location: URL) { note("finished") }
}
