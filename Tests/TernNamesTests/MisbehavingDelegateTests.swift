// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
import TernURLSession
import Testing

/// A question of a task to its delegate.
private enum Question: Sendable {
    case redirect(URLRequest, @Sendable (URLRequest?) -> Void)
    case challenge(@Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
    case body(@Sendable (InputStream?) -> Void)
    case response(isFile: Bool, @Sendable (URLSession.ResponseDisposition) -> Void)
    case cache(CachedURLResponse, @Sendable (CachedURLResponse?) -> Void)

    /// Gives the usual answer.
    func answer() {
        switch self {
        case .redirect(let request, let answer): answer(request)
        case .challenge(let answer):
            answer(.useCredential, URLCredential(user: "user", password: "secret", persistence: .none))
        case .body(let answer): answer(InputStream(data: Data("content".utf8)))
        case .response(let isFile, let answer): answer(isFile ? .becomeDownload : .allow)
        case .cache(let response, let answer): answer(response)
        }
    }
}

/// Writes down its calls, and does what a test wants in them.
private final class Delegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
    typealias Act = @Sendable (_ call: String, URLSession, URLSessionTask?) -> Void
    typealias Ask = @Sendable (Question) -> Void
    typealias Condition = @Sendable ([String]) -> Bool

    private struct State {
        var calls: [String] = []
        var counts: [String: Int] = [:]
        var waiting: [(condition: @Sendable (State) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Lock(State())
    private let act: Act
    private let ask: Ask

    init(_ act: @escaping Act = { _, _, _ in }, ask: @escaping Ask = { $0.answer() }) {
        (self.act, self.ask) = (act, ask)
    }

    var calls: [String] { state.withLock { $0.calls } }

    func count(_ call: String) -> Int { state.withLock { $0.counts[call] ?? 0 } }

    func wait(for call: String, count: Int = 1) async { await hold { ($0.counts[call] ?? 0) >= count } }

    func wait(until condition: @escaping Condition) async { await hold { condition($0.calls) } }

    private func hold(until condition: @escaping @Sendable (State) -> Bool) async {
        await withCheckedContinuation { continuation in
            let holds = state.withLock { state in
                if condition(state) { return true }
                state.waiting.append((condition, continuation))
                return false
            }
            if holds { continuation.resume() }
        }
    }

    private func note(_ call: String, _ session: URLSession, _ task: URLSessionTask? = nil) {
        act(call.split(separator: " ").first.map(String.init) ?? call, session, task)
        let ready = state.withLock { state in
            state.calls.append(call)
            state.counts[call, default: 0] += 1
            let ready = state.waiting.filter { $0.condition(state) }
            if !ready.isEmpty { state.waiting = state.waiting.filter { !$0.condition(state) } }
            return ready
        }
        for waiting in ready { waiting.continuation.resume() }
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { note("invalid", session) }

    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) { note("created", session, task) }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        note("redirect", session, task)
        ask(.redirect(request, completionHandler))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        note("challenge", session, task)
        ask(.challenge(completionHandler))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        note("body", session, task)
        ask(.body(completionHandler))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) { note("sent", session, task) }

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        note("metrics", session, task)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        note("end \((error as? URLError).map { "\($0.code.rawValue)" } ?? "-")", session, task)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: any URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        note("response \((response as? HTTPURLResponse)?.statusCode ?? 0)", session, dataTask)
        ask(.response(isFile: response.url?.path == "/file", completionHandler))
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask
    ) { note("became", session, downloadTask) }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        note("data \(data.count < 10 ? String(decoding: data, as: UTF8.self) : "\(data.count)")", session, dataTask)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        note("cache", session, dataTask)
        ask(.cache(proposedResponse, completionHandler))
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) { note("file \((try? String(contentsOf: location, encoding: .utf8)) ?? "-")", session, downloadTask) }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) { note("wrote", session, downloadTask) }
}

/// Waits for a thread that may block: not for the tests' own.
private func detached(_ body: @escaping @Sendable () -> Void) { Thread.detachNewThread(body) }

/// A value that threads share.
private final class Shared<Value: Sendable>: Sendable {
    private let value: Lock<Value>

    init(_ value: Value) { self.value = Lock(value) }

    func callAsFunction() -> Value { value.withLock { $0 } }

    func change(_ body: @Sendable (inout Value) -> Void) { value.withLock { body(&$0) } }
}

/// Counts how many of it there are.
private final class Counted: Sendable {
    private let count: Shared<Int>

    init(_ count: Shared<Int>) {
        self.count = count
        count.change { $0 += 1 }
    }

    deinit { count.change { $0 -= 1 } }
}

private func makeOrigin() throws -> ScriptedOrigin {
    try ScriptedOrigin { _, request in
        switch request.target {
        case "/moved": [.respond(status: 302, fields: [("Location", "/")], body: "")]
        case "/again": [.respond(status: 307, fields: [("Location", "/")], body: "")]
        case "/secret" where request.value(of: "Authorization") == nil:
            [.respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=\"x\"")], body: "denied")]
        case "/stored": [.respond(status: 200, fields: [("Cache-Control", "max-age=60")], body: "hello")]
        case "/held": [.hold, .ok("late")]
        case "/big":
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: 67108864\r\n\r\n"),
                .repeat(Array(repeating: 0x61, count: 65_536), count: 1_024),
            ]
        default: [.ok("hello")]
        }
    }
}

private func makeSession(
    _ delegate: Delegate, on queue: OperationQueue? = nil, caches: Bool = false, time: TimeInterval = 60
) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = caches ? URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil) : nil
    configuration.timeoutIntervalForResource = time
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
}

extension ScriptedOrigin {
    fileprivate func request(_ path: String) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: url(path))))
        guard path == "/again" else { return request }
        request.httpMethod = "PUT"
        request.httpBodyStream = InputStream(data: Data("content".utf8))
        return request
    }

    /// Tasks that lead to every call of a delegate but the last.
    fileprivate func tasks(of session: URLSession) throws -> [URLSessionTask] {
        var tasks: [URLSessionTask] = []
        for path in ["/moved", "/secret", "/again", "/stored", "/file"] {
            tasks.append(session.dataTask(with: try request(path)))
        }
        tasks.append(session.downloadTask(with: try request("/")))
        return tasks
    }
}

private let everyCall = [
    "created", "redirect", "challenge", "body", "sent", "response", "data", "cache", "became", "wrote", "file",
    "metrics", "end", "invalid",
]

/// The questions that a task waits for, with a path that leads to each.
private let everyQuestion = [
    ("redirect", "/moved"), ("challenge", "/secret"), ("body", "/again"), ("response", "/"),
]

@Suite(.timeLimit(.minutes(1))) struct UnansweredQuestionTests {
    private let origin: ScriptedOrigin

    init() throws { origin = try makeOrigin() }

    /// A delegate that answers no question of this kind, and keeps it.
    private func silent(about kind: String, _ kept: Shared<[Question]>) -> Delegate {
        Delegate { _, _, _ in
        } ask: { question in
            let name = "\(question)".prefix { $0 != "(" }
            if name == kind { kept.change { $0.append(question) } } else { question.answer() }
        }
    }

    @Test(arguments: everyQuestion)
    func `a question without an answer ends with the cancellation of its task`(_ kind: String, _ path: String)
        async throws
    {
        let kept = Shared<[Question]>([])
        let delegate = silent(about: kind, kept)
        let session = makeSession(delegate)
        let task = session.dataTask(with: try origin.request(path))
        task.resume()
        await delegate.wait { $0.contains { $0.hasPrefix(kind) } }
        task.cancel()
        await delegate.wait { $0.contains { $0.hasPrefix("end") } }
        #expect(delegate.calls.last == "end -999")
        // Late answers.
        for question in kept() { for _ in 0..<2 { question.answer() } }
        session.finishTasksAndInvalidate()
        await delegate.wait(for: "invalid")
        for question in kept() { question.answer() }
        #expect(delegate.count("end -999") == 1)
    }

    @Test(arguments: everyQuestion)
    func `a question without an answer ends with the time of its task`(_ kind: String, _ path: String) async throws {
        let kept = Shared<[Question]>([])
        let delegate = silent(about: kind, kept)
        let session = makeSession(delegate, time: 0.1)
        session.dataTask(with: try origin.request(path)).resume()
        await delegate.wait { $0.contains { $0.hasPrefix("end") } }
        #expect(delegate.calls.last == "end -1001")
        #expect(kept().count == 1)
    }

    @Test func `a task does not wait for what is stored of its response, and without an answer nothing is`()
        async throws
    {
        let kept = Shared<[Question]>([])
        let delegate = silent(about: "cache", kept)
        let session = makeSession(delegate, caches: true)
        for count in 1...2 {
            session.dataTask(with: try origin.request("/stored")).resume()
            await delegate.wait(for: "end -", count: count)
            #expect(origin.observations.requestCount == count && kept().count == count)
        }
        session.finishTasksAndInvalidate()
        await delegate.wait(for: "invalid")
        for question in kept() { for _ in 0..<2 { question.answer() } }
    }

    @Test(arguments: everyQuestion)
    func `a session is cancelled with its open questions, and nothing of it stays`(_ kind: String, _ path: String)
        async throws
    {
        weak var session: URLSession?
        weak var delegate: Delegate?
        weak var task: URLSessionTask?
        // The answers outlive everything.
        let kept = Shared<[Question]>([])
        try await {
            let made = silent(about: kind, kept)
            let own = makeSession(made)
            (session, delegate) = (own, made)
            let started = own.dataTask(with: try origin.request(path))
            task = started
            started.resume()
            await made.wait { $0.contains { $0.hasPrefix(kind) } }
            own.invalidateAndCancel()
            await made.wait(for: "invalid")
            #expect(made.calls.suffix(2) == ["end -999", "invalid"])
        }()
        while delegate != nil || session != nil { await Task.yield() }
        for question in kept() { question.answer() }
        kept.change { $0 = [] }
        while task != nil { await Task.yield() }
    }

    @Test(arguments: everyQuestion)
    func `the first of many answers counts, from whatever thread it comes`(_ kind: String, _ path: String)
        async throws
    {
        let kept = Shared<[Question]>([])
        let delegate = Delegate { _, _, _ in
        } ask: { question in
            kept.change { $0.append(question) }
            detached { DispatchQueue.concurrentPerform(iterations: 8) { _ in question.answer() } }
        }
        let session = makeSession(delegate)
        session.dataTask(with: try origin.request(path)).resume()
        await delegate.wait { $0.contains { $0.hasPrefix("end") } }
        #expect(delegate.calls.last == "end -" && delegate.calls.contains("data hello"))
        #expect(delegate.calls.count { $0.hasPrefix(kind) } == 1)
        for question in kept() { question.answer() }
        session.finishTasksAndInvalidate()
        await delegate.wait(for: "invalid")
        for question in kept() { question.answer() }
        #expect(delegate.calls.count { $0.hasPrefix("end") } == 1)
    }

    @Test(arguments: [
        (["download", "cancel"], "end -"), (["cancel", "download"], "end -999"), (["allow", "cancel"], "end -"),
        (["download", "allow", "cancel"], "end -"),
    ])
    func `a disposition is not taken back`(_ answers: [String], _ end: String) async throws {
        let delegate = Delegate { _, _, _ in
        } ask: { question in
            guard case .response(_, let answer) = question else { return question.answer() }
            for text in answers {
                answer(text == "download" ? .becomeDownload : text == "allow" ? .allow : .cancel)
            }
        }
        let session = makeSession(delegate)
        session.dataTask(with: try origin.request("/")).resume()
        await delegate.wait { $0.contains { $0.hasPrefix("end") } }
        #expect(delegate.calls.last == end)
        let isFile = answers.first == "download"
        #expect(delegate.calls.contains("file hello") == isFile)
        #expect(delegate.calls.contains("data hello") == (answers.first == "allow"))
    }

    @Test func `a credential that is nil has the refusal delivered, whatever is answered afterwards`() async throws {
        let delegate = Delegate { _, _, _ in
        } ask: { question in
            guard case .challenge(let answer) = question else { return question.answer() }
            answer(.useCredential, nil)
            answer(.useCredential, URLCredential(user: "user", password: "secret", persistence: .none))
            answer(.cancelAuthenticationChallenge, nil)
        }
        let session = makeSession(delegate)
        session.dataTask(with: try origin.request("/secret")).resume()
        await delegate.wait { $0.contains { $0.hasPrefix("end") } }
        #expect(delegate.calls == ["created", "challenge", "response 401", "data denied", "metrics", "end -"])
    }

    @Test func `a challenge that was cancelled stays so, whatever is answered afterwards`() async throws {
        let delegate = Delegate { _, _, _ in
        } ask: { question in
            guard case .challenge(let answer) = question else { return question.answer() }
            answer(.cancelAuthenticationChallenge, nil)
            answer(.useCredential, URLCredential(user: "user", password: "secret", persistence: .none))
        }
        let session = makeSession(delegate)
        session.dataTask(with: try origin.request("/secret")).resume()
        await delegate.wait { $0.contains { $0.hasPrefix("end") } }
        #expect(delegate.calls == ["created", "challenge", "metrics", "end -999"])
        #expect(origin.observations.requestCount == 1)
    }

    @Test func `what a delegate keeps of questions keeps no session that was invalidated`() async throws {
        weak var session: URLSession?
        let kept = Shared<[Question]>([])
        let delegate = Delegate { _, _, _ in
        } ask: { question in
            kept.change { $0.append(question) }
            question.answer()
        }
        try await {
            let own = makeSession(delegate, caches: true)
            session = own
            for task in try origin.tasks(of: own) { task.resume() }
            own.finishTasksAndInvalidate()
            await delegate.wait(for: "invalid")
        }()
        while session != nil { await Task.yield() }
        #expect(kept().count >= 9)
    }
}

@Suite(.timeLimit(.minutes(1))) struct BlockingDelegateTests {
    private let origin: ScriptedOrigin

    init() throws { origin = try makeOrigin() }

    @Test func `a delegate that blocks has the server wait, and keeps no other session waiting`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let entered = AsyncStream<Void>.makeStream()
        let delegate = Delegate { call, _, _ in
            guard call == "data" else { return }
            entered.continuation.finish()
            gate.wait()
        }
        let session = makeSession(delegate)
        let task = session.dataTask(with: try origin.request("/big"))
        task.resume()
        for await _ in entered.stream {}
        let other = URLSession(configuration: .ephemeral)
        let request = try origin.request("/")
        for _ in 0..<50 { #expect(try await other.data(for: request).0.count == 5) }
        // What the system keeps of it, and no more.
        #expect(origin.observations.bytesSent < 32 << 20)
        #expect(task.countOfBytesReceived < 4 << 20)
        task.cancel()
        session.finishTasksAndInvalidate()
        gate.signal()
        await delegate.wait(for: "invalid")
        #expect(delegate.count("end -999") == 1)
    }

    @Test func `a completion handler that blocks keeps its own session waiting alone`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let entered = AsyncStream<Void>.makeStream()
        let left = AsyncStream<Void>.makeStream()
        let session = URLSession(configuration: .ephemeral)
        let request = try origin.request("/")
        session.dataTask(with: request) { _, _, _ in
            entered.continuation.finish()
            gate.wait()
        }.resume()
        for await _ in entered.stream {}
        let second = session.dataTask(with: request) { _, _, _ in left.continuation.finish() }
        second.resume()
        #expect(await origin.waitFor { $0.requestCount == 2 })
        #expect(try await URLSession(configuration: .ephemeral).data(for: request).0.count == 5)
        // Nobody's delegate is asked.
        #expect(try await session.data(for: request).0.count == 5)
        gate.signal()
        for await _ in left.stream {}
    }

    @Test(arguments: everyCall)
    func `a delegate waits in any call for a task of another session`(_ call: String) async throws {
        let request = try origin.request("/")
        let other = URLSession(configuration: .ephemeral)
        let statuses = Shared<[Int]>([])
        let delegate = Delegate { name, _, _ in
            guard name == call else { return }
            let done = DispatchSemaphore(value: 0)
            other.dataTask(with: request) { _, response, _ in
                statuses.change { $0.append((response as? HTTPURLResponse)?.statusCode ?? 0) }
                done.signal()
            }.resume()
            done.wait()
        }
        let session = makeSession(delegate, caches: true)
        for task in try origin.tasks(of: session) { task.resume() }
        session.finishTasksAndInvalidate()
        await delegate.wait(for: "invalid")
        #expect(!statuses().isEmpty && statuses().allSatisfy { $0 == 200 })
        #expect(delegate.count("end -") == 6)
    }

    @Test func `a thousand tasks are cancelled while their delegate is in a call`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let entered = AsyncStream<Void>.makeStream()
        let delegate = Delegate { call, _, _ in
            guard call == "response" else { return }
            entered.continuation.finish()
            gate.wait()
        }
        let session = makeSession(delegate)
        session.dataTask(with: try origin.request("/")).resume()
        for await _ in entered.stream {}
        let held = try origin.request("/held")
        let tasks = (0..<1_000).map { _ in session.dataTask(with: held) }
        for task in tasks { task.resume() }
        for task in tasks { task.cancel() }
        gate.signal()
        await delegate.wait(for: "end -999", count: 1_000)
        await delegate.wait(for: "end -")
        session.finishTasksAndInvalidate()
        await delegate.wait(for: "invalid")
        #expect(delegate.count("end -999") == 1_000)
    }
}

@Suite(.timeLimit(.minutes(1))) struct ReentrantDelegateTests {
    private let origin: ScriptedOrigin

    init() throws { origin = try makeOrigin() }

    @Test(arguments: everyCall)
    func `a task that is cancelled in any call ends once, and last`(_ call: String) async throws {
        let delegate = Delegate { name, _, task in if name == call { task?.cancel() } }
        let session = makeSession(delegate, caches: true)
        for task in try origin.tasks(of: session) {
            task.resume()
            let count = delegate.calls.count { $0.hasPrefix("end") }
            await delegate.wait { $0.count { $0.hasPrefix("end") } > count || count > 0 }
        }
        session.finishTasksAndInvalidate()
        await delegate.wait(for: "invalid")
        #expect(delegate.calls.count { $0.hasPrefix("end") } == 6)
        #expect(delegate.calls.last == "invalid")
    }

    @Test(arguments: everyCall)
    func `a session that is cancelled in any call becomes invalid once, and is released`(_ call: String)
        async throws
    {
        weak var session: URLSession?
        weak var made: Delegate?
        try await {
            let delegate = Delegate { name, session, _ in if name == call { session.invalidateAndCancel() } }
            made = delegate
            let own = makeSession(delegate, caches: true)
            session = own
            for task in try origin.tasks(of: own) { task.resume() }
            own.finishTasksAndInvalidate()
            await delegate.wait(for: "invalid")
            // A creation is told where it happens, by this thread.
            let later = delegate.calls.drop { $0 != "invalid" }.dropFirst()
            #expect(delegate.count("invalid") == 1 && later.allSatisfy { $0 == "created" })
            #expect(own.delegate == nil)
        }()
        while session != nil || made != nil { await Task.yield() }
    }

    @Test(arguments: ["redirect", "response", "data", "file", "metrics", "end"])
    func `a session whose last reference goes in a call of its own lives until its tasks have ended`(_ call: String)
        async throws
    {
        weak var session: URLSession?
        let held = Shared<URLSession?>(nil)
        let delegate = Delegate { name, _, _ in if name == call { held.change { $0 = nil } } }
        try {
            let own = makeSession(delegate, caches: true)
            held.change { $0 = own }
            session = own
            for task in try origin.tasks(of: own) { task.resume() }
        }()
        await delegate.wait(for: "end -", count: 6)
        while session != nil { await Task.yield() }
    }

    @Test func `a session holds its delegate until it is invalid, or gone`() async throws {
        for invalidates in [true, false] {
            weak var delegate: Delegate?
            var session: URLSession? = try {
                let made = Delegate()
                delegate = made
                let session = makeSession(made)
                // One is never started.
                _ = session.dataTask(with: try origin.request("/"))
                session.dataTask(with: try origin.request("/")).resume()
                return session
            }()
            await delegate?.wait(for: "end -")
            #expect(delegate != nil && session?.delegate != nil)
            if invalidates { session?.invalidateAndCancel() } else { session = nil }
            while delegate != nil { await Task.yield() }
            #expect(session?.delegate == nil)
        }
    }

    @Test func `a task that was never started outlives its session, and fails`() async throws {
        let delegate = Delegate()
        let session = makeSession(delegate)
        let task = session.dataTask(with: try origin.request("/"))
        session.finishTasksAndInvalidate()
        await delegate.wait(for: "invalid")
        let error = await withCheckedContinuation { continuation in
            let late = session.dataTask(with: URLRequest(url: URL(string: origin.url())!)) { _, _, error in
                continuation.resume(returning: error)
            }
            late.resume()
            late.cancel()
        }
        guard case .sessionInvalidated? = (error as? URLError)?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        task.resume()
        while task.state != .completed { await Task.yield() }
        #expect(delegate.calls == ["created", "invalid"])
    }
}

@Suite(.timeLimit(.minutes(1))) struct TaskDelegateLifeTests {
    private let origin: ScriptedOrigin

    init() throws { origin = try makeOrigin() }

    /// Uses its task when it is released.
    private final class Clinging: NSObject, URLSessionTaskDelegate {
        private let task: URLSessionTask
        private let counted: Counted

        init(_ task: URLSessionTask, _ count: Shared<Int>) { (self.task, counted) = (task, Counted(count)) }

        deinit {
            _ = task.delegate
            task.delegate = nil
            task.priority = 1
        }
    }

    @Test func `a delegate of a task may use the task when it is replaced`() throws {
        let count = Shared(0)
        let session = makeSession(Delegate())
        let task = session.dataTask(with: try origin.request("/"))
        for _ in 0..<3 { task.delegate = Clinging(task, count) }
        #expect(count() == 1)
        task.delegate = nil
        #expect(count() == 0 && task.delegate == nil)
    }

    @Test func `a delegate that a task gets after its end is not kept`() async throws {
        let count = Shared(0)
        let delegate = Delegate()
        let session = makeSession(delegate)
        let task = session.dataTask(with: try origin.request("/"))
        task.delegate = Clinging(task, count)
        task.resume()
        // That of the task is called in place of the session's.
        while count() > 0 { await Task.yield() }
        task.delegate = Clinging(task, count)
        #expect(count() == 0 && task.delegate == nil)
    }

    @Test func `a delegate of a task that is set while it runs gets the rest`() async throws {
        let own = Delegate()
        let delegate = Delegate { call, _, task in if call == "response" { task?.delegate = own } }
        let session = makeSession(delegate)
        session.dataTask(with: try origin.request("/")).resume()
        await own.wait(for: "end -")
        #expect(own.calls == ["data hello", "metrics", "end -"])
        #expect(delegate.calls == ["created", "response 200"])
    }

    @Test func `a delegate of a task may take itself away in a call`() async throws {
        let delegate = Delegate()
        let session = makeSession(delegate)
        let task = session.dataTask(with: try origin.request("/"))
        let count = Shared(0)
        task.delegate = {
            let counted = Counted(count)
            return Delegate { call, _, task in
                withExtendedLifetime(counted) { if call == "response" { task?.delegate = nil } }
            }
        }()
        task.resume()
        await delegate.wait(for: "end -")
        #expect(delegate.calls == ["created", "data hello", "metrics", "end -"])
        while count() > 0 { await Task.yield() }
    }

    @Test func `a task that becomes a download keeps its delegate, and is listed`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let entered = AsyncStream<Void>.makeStream()
        let own = Delegate { call, _, _ in
            guard call == "became" else { return }
            entered.continuation.finish()
            gate.wait()
        }
        let delegate = Delegate()
        let session = makeSession(delegate)
        let task = session.dataTask(with: try origin.request("/file"))
        task.delegate = own
        task.resume()
        for await _ in entered.stream {}
        async let tasks = session.tasks
        gate.signal()
        _ = await tasks
        await own.wait(for: "end -")
        #expect(own.calls.filter { $0 != "wrote" } == ["response 200", "became", "file hello", "metrics", "end -"])
        #expect(delegate.calls == ["created"])
    }

    @Test func `a download that was a data task is among the tasks of its session`() async throws {
        let listed = AsyncStream<[String]>.makeStream()
        let delegate = Delegate { call, session, _ in
            guard call == "became" else { return }
            session.getAllTasks { tasks in listed.continuation.yield(tasks.map { "\(type(of: $0))" }) }
        }
        let origin = try ScriptedOrigin { _, _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na"), .hold, .send("b")]
        }
        let session = makeSession(delegate)
        session.dataTask(with: try origin.request("/file")).resume()
        for await kinds in listed.stream {
            #expect(kinds == ["SessionDownloadTask"])
            break
        }
        try origin.release()
        await delegate.wait(for: "end -")
        #expect(await session.allTasks.isEmpty)
    }

    @Test func `a task that has ended keeps no body`() async throws {
        let session = URLSession(configuration: .ephemeral)
        let count = Shared(0)
        let bytes = await withCheckedContinuation { continuation in
            let counted = Counted(count)
            let task = session.dataTask(with: URLRequest(url: URL(string: origin.url())!)) { data, _, _ in
                withExtendedLifetime(counted) { continuation.resume(returning: data?.count) }
            }
            task.resume()
        }
        #expect(bytes == 5)
        while count() > 0 { await Task.yield() }
    }

    @Test func `the handlers that a program gives the progress of a task stay`() async throws {
        let session = makeSession(Delegate())
        let task = session.dataTask(with: try origin.request("/"))
        let count = Shared(0)
        task.progress.cancellationHandler = { count.change { $0 += 1 } }
        #expect(task.progress === task.progress)
        task.progress.cancel()
        while count() == 0 { await Task.yield() }
        #expect(task.state != .completed)
    }
}

@Suite(.timeLimit(.minutes(1))) struct DelegateQueueTests {
    private let origin: ScriptedOrigin

    init() throws { origin = try makeOrigin() }

    @Test func `a queue that runs ten operations at a time has the calls one after another`() async throws {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 10
        let inside = Shared(0)
        let isWrong = Shared(false)
        let delegate = Delegate { call, _, _ in
            if call == "created" { return }
            inside.change { $0 += 1 }
            if inside() != 1 { isWrong.change { $0 = true } }
            inside.change { $0 -= 1 }
        }
        let session = makeSession(delegate, on: queue)
        let request = try origin.request("/moved")
        for _ in 0..<50 { session.dataTask(with: request).resume() }
        session.finishTasksAndInvalidate()
        await delegate.wait(for: "invalid")
        #expect(delegate.count("end -") == 50 && !isWrong())
        #expect(delegate.calls.count { $0.hasPrefix("end") } == 50)
    }

    @Test func `one task after another on a wide queue has its calls in order`() async throws {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 10
        let delegate = Delegate()
        let session = makeSession(delegate, on: queue)
        for number in 1...20 {
            session.dataTask(with: try origin.request("/moved")).resume()
            await delegate.wait(for: "end -", count: number)
        }
        let calls = ["created", "redirect", "response 200", "data hello", "metrics", "end -"]
        #expect(delegate.calls == Array(repeating: calls, count: 20).flatMap { $0 })
    }

    @Test func `calls come on the dispatch queue below an operation queue that nobody holds`() async throws {
        let key = DispatchSpecificKey<Int>()
        let below = DispatchQueue(label: "below")
        below.setSpecific(key: key, value: 7)
        let isElsewhere = Shared(false)
        let delegate = Delegate { call, _, _ in
            if call != "created", DispatchQueue.getSpecific(key: key) != 7 { isElsewhere.change { $0 = true } }
        }
        let session = {
            let queue = OperationQueue()
            unsafe queue.underlyingQueue = below
            return makeSession(delegate, on: queue)
        }()
        session.dataTask(with: try origin.request("/moved")).resume()
        await delegate.wait(for: "end -")
        #expect(!isElsewhere())
    }

    @Test func `a program that cancels all operations of its queue loses no call`() async throws {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let delegate = Delegate()
        let session = makeSession(delegate, on: queue)
        session.dataTask(with: try origin.request("/")).resume()
        while queue.operationCount == 0 { await Task.yield() }
        queue.cancelAllOperations()
        let flushed = AsyncStream<Void>.makeStream()
        session.flush { flushed.continuation.finish() }
        queue.cancelAllOperations()
        queue.isSuspended = false
        await delegate.wait(for: "end -")
        for await _ in flushed.stream {}
        session.dataTask(with: try origin.request("/")).resume()
        await delegate.wait(for: "end -", count: 2)
    }

    @Test func `a file that arrives for a caller who is gone is removed`() async throws {
        let text = UUID().uuidString
        let origin = try ScriptedOrigin { _, _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 37\r\n\r\n\(text)"), .hold, .send("-")]
        }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let created = Shared<URLSessionTask?>(nil)
        let delegate = Delegate { call, _, task in if call == "created" { created.change { $0 = task } } }
        let session = makeSession(delegate, on: queue)
        let request = try origin.request("/")
        let call = Task { try await session.download(for: request) }
        while created().map({ $0.countOfBytesReceived > 0 }) != true { await Task.yield() }
        let gate = DispatchSemaphore(value: 0)
        let entered = AsyncStream<Void>.makeStream()
        queue.addOperation {
            entered.continuation.finish()
            gate.wait()
        }
        for await _ in entered.stream {}
        try origin.release()
        while created()?.state != .completed { await Task.yield() }
        call.cancel()
        await #expect(throws: (any Error).self) { try await call.value }
        gate.signal()
        await session.flush()
        let files = try FileManager.default.contentsOfDirectory(
            at: FileManager.default.temporaryDirectory, includingPropertiesForKeys: nil)
        let kept = files.filter { file in
            file.lastPathComponent.hasPrefix("tern-download-")
                && (try? String(contentsOf: file, encoding: .utf8)) == text + "-"
        }
        #expect(kept.isEmpty)
    }

    @Test func `a queue that is suspended in a call holds back the next, and a cancellation`() async throws {
        let queue = OperationQueue()
        let delegate = Delegate { call, _, _ in if call == "response" { queue.isSuspended = true } }
        let session = makeSession(delegate, on: queue)
        let task = session.dataTask(with: try origin.request("/big"))
        task.resume()
        await delegate.wait(for: "response 200")
        task.cancel()
        while task.state != .completed { await Task.yield() }
        #expect(!delegate.calls.contains("end -999"))
        queue.isSuspended = false
        await delegate.wait(for: "end -999")
    }
}

@Suite(.timeLimit(.minutes(1))) struct ForeignResumeDataTests {
    /// What Foundation writes on other systems. FoundationNetworking makes none.
    private func resumeData(_ format: PropertyListSerialization.PropertyListFormat) throws -> Data {
        let notes: [String: Any] = [
            "NSURLSessionResumeInfoVersion": 2, "NSURLSessionDownloadURL": "http://127.0.0.1/file",
            "NSURLSessionResumeBytesReceived": 1_000, "NSURLSessionResumeEntityTag": "\"a\"",
            "NSURLSessionResumeInfoTempFileName": "CFNetworkDownload_a.tmp",
            "NSURLSessionResumeCurrentRequest": Data("bplist00".utf8),
            "NSURLSessionResumeOriginalRequest": Data("bplist00".utf8),
        ]
        return try PropertyListSerialization.data(fromPropertyList: notes, format: format, options: 0)
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
    func `resume data of Foundation is refused with the reason`(
        _ format: PropertyListSerialization.PropertyListFormat
    ) async throws {
        let data = try resumeData(format)
        let delegate = Delegate()
        let session = makeSession(delegate)
        let error = await withCheckedContinuation { continuation in
            session.downloadTask(withResumeData: data) { _, _, error in continuation.resume(returning: error) }.resume()
        }
        guard case .download(.resumeData(.malformed))? = (error as? URLError)?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect("\(error as Any)".contains("not what a download of Tern left behind"))
        await #expect(throws: URLError.self) { try await session.download(resumeFrom: data) }
        session.downloadTask(withResumeData: data).resume()
        await delegate.wait { $0.contains { $0.hasPrefix("end") } }
        #expect(!delegate.calls.contains("end -"))
    }
}
