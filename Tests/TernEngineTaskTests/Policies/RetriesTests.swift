// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Receives the retries of a task.
private final class Listener: SessionTaskDelegate {
    let record = RecordingDelegate()
    let retries = Lock<[String]>([])
    private let react: @Sendable (SessionTask, DelegateQuestion<RetryAnswer>) -> Void

    init(
        _ react: @escaping @Sendable (SessionTask, DelegateQuestion<RetryAnswer>) -> Void = { $1.answer(.retry) }
    ) {
        self.react = react
    }

    func task(_ task: SessionTask, willRetry retry: RetryMetrics, _ question: DelegateQuestion<RetryAnswer>) {
        retries.withLock { $0.append("\(retry.number) \(retry.cause)") }
        react(task, question)
    }

    func task(_ task: SessionTask, didReceive response: HTTPURLResponse) { record.task(task, didReceive: response) }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) { record.task(task, didReceive: bytes) }

    func task(_ task: SessionTask, didCompleteWith error: SessionError?) { record.task(task, didCompleteWith: error) }
}

@Suite(.timeLimit(.minutes(1))) struct RetriesTests {
    @Test func `a token for one use is replaced in each retry, and a server that refuses all is left`() async throws {
        for failureCount in [5, 0] {
            let used = Lock(Set<String>())
            let origin = try ScriptedOrigin { _, request in
                let token = request.value(of: "Authorization") ?? ""
                return used.withLock { used in
                    guard failureCount > 0, used.insert(token).inserted else { return [.respond(status: 401)] }
                    return used.count <= failureCount ? [.respond(status: 503)] : [.ok("in")]
                }
            }
            let session = Session.limited {
                $0.retryPolicy = Self.policy
                $0.retryPolicy.maximumRetries = 8
                $0.authentication = NumberedTokens()
            }
            let (data, response) = try await session.data(for: URLRequest(origin))
            #expect(String(decoding: data, as: UTF8.self) == (failureCount > 0 ? "in" : ""))
            #expect(response.statusCode == (failureCount > 0 ? 200 : 401))
            #expect(origin.requests.count == (failureCount > 0 ? 11 : 1 + TokenRefresh.maximumRefusalCount))
        }
    }

    private static let faults: [OriginFault] = [
        .connections(.every(3), [.reset]), .requests(.every(3), instead: [.reset]),
        .requests(.every(3), instead: [.close]), .requests(.every(3), instead: [.respond(status: 503)]),
    ]

    @Test(arguments: faults.indices)
    func `a thousand requests get through although each third connection or answer fails`(_ index: Int) async throws {
        var configuration = OriginConfiguration()
        configuration.faults = [Self.faults[index]]
        let origin = try ScriptedOrigin(configuration) { _, request in
            [.respond(fields: [("Connection", "close")], body: request.target), .close]
        }
        let session = Session.limited(to: 8) {
            $0.retryPolicy.maximumRetries = 30
            $0.retryPolicy.backOff.base = .milliseconds(1)
            $0.retryPolicy.backOff.factor = 1
            $0.retryPolicy.budget = nil
        }
        let wrong = await withTaskGroup(of: Int.self) { group in
            for part in 0..<8 {
                group.addTask {
                    var wrong = 0
                    for number in 0..<125 {
                        let path = "/\(part)/\(number)"
                        let text = try? await session.text(URLRequest(origin, path))
                        if text != path { wrong += 1 }
                    }
                    return wrong
                }
            }
            return await group.reduce(0, +)
        }
        // Two of three get through.
        #expect(wrong == 0 && (index == 0 ? origin.connectionCount : origin.observations.requestCount) >= 1499)
    }

    @Test func `an answer that breaks off behind its head is lost, and not asked for again`() async throws {
        for steps in [[OriginStep].resetAfterHead, .resetInContent] {
            var configuration = OriginConfiguration()
            configuration.faults = [.requests(.every(3), instead: steps)]
            let origin = try ScriptedOrigin(configuration) { _, _ in [.ok("whole")] }
            let session = Session.limited { $0.retryPolicy = Self.policy }
            for number in 1...9 {
                let error = await session.failure(of: try URLRequest(origin))
                #expect((error?.reason.isConnectionLoss == true) == (number % 3 == 0))
            }
        }
    }

    /// The standard policy with short waits.
    private static let policy: RetryPolicy = {
        var policy = RetryPolicy.standard
        policy.backOff.base = .milliseconds(4)
        return policy
    }()

    private func session(_ change: (inout RetryPolicy) -> Void = { _ in }) -> Session {
        var policy = Self.policy
        change(&policy)
        return .limited { $0.retryPolicy = policy }
    }

    /// An origin whose steps depend on how many requests came before.
    private func origin(_ steps: @escaping @Sendable (Int, ReceivedRequest) -> [OriginStep]) throws -> ScriptedOrigin {
        let count = Lock(0)
        return try ScriptedOrigin { _, request in
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            return steps(number, request)
        }
    }

    /// Answers the first requests with these statuses, and all others with 200.
    private func origin(_ statuses: [Int], _ fields: [(String, String)] = []) throws -> ScriptedOrigin {
        try origin { number, _ in
            number < statuses.count
                ? [.respond(status: statuses[number], fields: fields, body: "not yet")] : [.ok("answer")]
        }
    }

    @Test func `a request is sent again until it is answered, and the retries are told and listed`() async throws {
        let origin = try origin([503, 429])
        let session = session()
        let listener = Listener()
        let task = session.dataTask(with: try URLRequest(origin), delegate: listener)
        task.resume()
        let record = await listener.record.end()
        #expect(
            record.error == nil && String(decoding: record.body, as: UTF8.self) == "answer"
                && origin.observations.requestCount == 3)
        #expect(listener.retries.withLock { $0 } == ["1 503", "2 429"])
        let metrics = try #require(task.metrics)
        #expect(metrics.retries.map(\.number) == [1, 2])
        #expect(metrics.hops.count == 1 && metrics.hops[0].attemptCount == 3)
    }

    @Test func `without a policy, or where the request says so, the first response is the answer`() async throws {
        let origin = try origin([503, 503])
        let (_, first) = try await Session.limited().data(for: URLRequest(origin))
        var request = try URLRequest(origin)
        request.retryPolicy = .never
        let (_, second) = try await session().data(for: request)
        #expect([first.statusCode, second.statusCode] == [503, 503] && origin.observations.requestCount == 2)
        request.retryPolicy = Self.policy
        #expect(try await Session.limited().text(request) == "answer")
    }

    @Test func `after the last retry the response is the answer`() async throws {
        let origin = try origin([503, 503, 503, 503])
        let (body, response) = try await session().data(for: URLRequest(origin))
        #expect(response.statusCode == 503 && body == Data("not yet".utf8) && origin.observations.requestCount == 3)
    }

    @Test func `a POST is sent once, unless it has a key or the policy says that it may be repeated`() async throws {
        let once = try origin([503])
        let post = try URLRequest(once, method: "POST", body: Data("x".utf8))
        let (_, response) = try await session().data(for: post)
        #expect(response.statusCode == 503 && once.observations.requestCount == 1)
        let keyed = try origin([503, 503])
        var request = try URLRequest(keyed, method: "POST", body: Data("x".utf8))
        request.addIdempotencyKey()
        #expect(try await session().text(request) == "answer")
        let keys = keyed.requests.map { $0.value(of: "Idempotency-Key") }
        #expect(keys.count == 3 && Set(keys).count == 1 && keys[0]?.count == 38)
        #expect(keyed.requests.map(\.body.count) == [1, 1, 1])
        let all = try origin([503])
        let repeated = try URLRequest(all, method: "POST", body: Data("x".utf8))
        #expect(try await session { $0.requests = .all }.text(repeated) == "answer")
    }

    @Test func `a misdirected request is sent again on another connection, whatever its method, and once`()
        async throws
    {
        let origin = try origin { number, _ in number == 1 ? [.respond(status: 421)] : [.ok("\(number)")] }
        let session = session { $0.backOff.base = .seconds(20) }
        #expect(try await session.text(URLRequest(origin)) == "0")
        let post = try URLRequest(origin, method: "POST", body: Data("x".utf8))
        #expect(try await session.text(post) == "2")
        #expect(origin.observations.connectionCount == 2 && origin.requests.map(\.body.count) == [0, 1, 1])
        let always = try self.origin { _, _ in [.respond(status: 421)] }
        let (_, response) = try await session.data(for: URLRequest(always))
        #expect(response.statusCode == 421 && always.observations.requestCount == 2)
    }

    @Test func `content that can be read once is not sent twice`() async throws {
        let origin = try origin([503])
        var request = try URLRequest(origin)
        request.httpMethod = "PUT"
        request.body = .once(ProbingSource([Data("x".utf8)]))
        let (_, response) = try await session().data(for: request)
        #expect(response.statusCode == 503 && origin.observations.requestCount == 1)
    }

    @Test func `a lost connection and a refused one are tried again, and the error says what was tried`() async throws {
        let origin = try origin { number, _ in number < 2 ? [.closeAbruptly] : [.ok("answer")] }
        #expect(try await session().text(URLRequest(origin)) == "answer")
        let error = try #require(await session().failure(of: try URLRequest(string: "http://127.0.0.1:1/")))
        #expect(
            error.retries.count == 2 && "\(error)".hasSuffix(", after 2 retries because of unreachable, unreachable"))
    }

    @Test func `of many retries the number is told, and the first and the last causes`() async throws {
        let origin = try origin { number, _ in
            number < 198 ? [.respond(status: 500 + min(number, 3))] : [.closeAbruptly]
        }
        let session = session {
            ($0.maximumRetries, $0.budget, $0.repeatsLostRequests) = (200, nil, false)
            $0.statusCodes = [500, 501, 502, 503]
            $0.backOff.maximum = .microseconds(100)
        }
        let error = try #require(await session.failure(of: try URLRequest(origin)))
        #expect(error.retries.map(\.number) == Array(1...32) + Array(169...200))
        #expect(
            "\(error)".hasSuffix(
                ", after 200 retries because of 500, 501, 502, …, 503, connection-lost, connection-lost"))
    }

    @Test func `a server that asks for too much patience has its response delivered`() async throws {
        let origin = try origin([503], [("Retry-After", "61")])
        let (_, response) = try await session().data(for: URLRequest(origin))
        #expect(response.statusCode == 503 && origin.observations.requestCount == 1)
    }

    @Test func `a second that the server asks for is waited`() async throws {
        let origin = try origin([503], [("Retry-After", "1")])
        let start = ContinuousClock.now
        #expect(try await session().text(URLRequest(origin)) == "answer")
        #expect(ContinuousClock.now - start >= .seconds(1))
    }

    @Test func `a wait that cannot end in time is not begun, and the response is the answer`() async throws {
        let origin = try origin([503], [("Retry-After", "50")])
        let request = try URLRequest(origin).limited(to: Timeouts(total: .milliseconds(200)))
        let (session, delegate) = (session(), RecordingDelegate())
        let task = session.dataTask(with: request, delegate: delegate)
        task.resume()
        #expect(await delegate.end().error == nil)
        #expect(task.response?.statusCode == 503 && origin.observations.requestCount == 1)
        #expect(task.metrics?.attempts.map(\.retryRefusal) == [.time])
    }

    @Test(arguments: [true, false]) func `each attempt has the whole time limit where the policy says so`(
        isAnsweredLater: Bool
    ) async throws {
        let origin = try origin { number, _ in number == 2 ? [.ok("answer")] : [.hold] }
        let session = session {
            ($0.maximumRetries, $0.failures, $0.limitsEachAttempt) = (5, [.outOfTime], true)
            $0.backOff = .init(base: .milliseconds(80), factor: 1, jitter: .none)
        }
        let request = try URLRequest(origin).limited(to: Timeouts(total: .milliseconds(100)))
        let listener = Listener { _, question in
            if isAnsweredLater { Task { question.answer(.retry) } } else { question.answer(.retry) }
        }
        session.dataTask(with: request, delegate: listener).resume()
        let record = await listener.record.end()
        #expect(record.error == nil && record.body == Array("answer".utf8), "\(String(describing: record.error))")
        #expect(listener.retries.withLock { $0 } == ["1 timed-out", "2 timed-out"])
        // Without it the task has that time.
        let short = self.session { ($0.maximumRetries, $0.failures) = (5, [.outOfTime]) }
        #expect(await short.failure(of: request)?.reason.kind == .timedOut)
        #expect(origin.observations.requestCount == 4)
    }

    @Test func `a task that is cancelled when it is told of a retry sends nothing more`() async throws {
        let origin = try origin([503, 503])
        let listener = Listener { task, _ in task.cancel() }
        let session = session()
        session.dataTask(with: try URLRequest(origin), delegate: listener).resume()
        guard case .cancelled? = await listener.record.end().error?.reason else {
            Issue.record("not cancelled")
            return
        }
        #expect(origin.observations.requestCount == 1)
    }

    /// The answers of a delegate, given within the call or later, and what comes of them: after a 503, or after an attempt
    /// that failed.
    @Test(arguments: [true, false], [true, false]) func `a delegate refuses a retry, or gives it another delay`(
        isLate: Bool, isFailure: Bool
    ) async throws {
        let step = isFailure ? OriginStep.closeAbruptly : .respond(status: 503, body: "not yet")
        for answer in [RetryAnswer.retry, .retryWithDelay(.milliseconds(1)), .doNotRetry] {
            let origin = try origin { number, _ in number == 0 ? [step] : [.ok("answer")] }
            let listener = Listener { _, question in
                if isLate { Task { question.answer(answer) } } else { question.answer(answer) }
            }
            let session = session { if case .retryWithDelay = answer { $0.backOff.base = .seconds(20) } }
            let task = session.dataTask(with: try URLRequest(origin), delegate: listener)
            task.resume()
            let record = await listener.record.end()
            let body = String(decoding: record.body, as: UTF8.self)
            if case .doNotRetry = answer {
                #expect(isFailure ? record.error?.reason.kind == .connectionLost : body == "not yet")
                #expect(task.metrics?.retries.isEmpty == true && record.error?.retries.isEmpty != false)
            } else {
                #expect(body == "answer" && task.metrics?.retries.count == 1)
            }
        }
    }

    @Test(arguments: [true, false]) func `a retry that nobody answers ends with the task's time, or its cancellation`(
        isFailure: Bool
    ) async throws {
        let step = isFailure ? OriginStep.closeAbruptly : .respond(status: 503)
        let origin = try origin { _, _ in [step] }
        let session = session()
        let timed = Listener { _, _ in }
        let request = try URLRequest(origin).limited(to: Timeouts(total: .milliseconds(200)))
        session.dataTask(with: request, delegate: timed).resume()
        #expect(await timed.record.end().error?.reason.kind == .timedOut)
        let cancelled = Listener { task, question in
            Task {
                task.cancel()
                for answer in [RetryAnswer.retry, .doNotRetry, .retry] { question.answer(answer) }
            }
        }
        session.dataTask(with: try URLRequest(origin), delegate: cancelled).resume()
        #expect(await cancelled.record.end().error?.reason.kind == .cancelled)
        let invalidated = Listener { _, _ in }
        let task = session.dataTask(with: try URLRequest(origin), delegate: invalidated)
        task.resume()
        #expect(await origin.waitFor { $0.requestCount == 3 })
        session.invalidateAndCancel()
        #expect(await invalidated.record.end().error?.reason.kind == .cancelled)
        #expect(origin.observations.requestCount == 3)
    }

    @Test func `ten thousand tasks that wait for a retry end at once when they are cancelled`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 503, fields: [("Retry-After", "50")])] }
        let session = Session.limited(to: 8) {
            $0.retryPolicy = Self.policy
            $0.retryPolicy.budget = nil
        }
        let delegates = (0..<10_000).map { _ in RecordingDelegate() }
        let tasks = try delegates.map { session.dataTask(with: try URLRequest(origin), delegate: $0) }
        for task in tasks { task.resume() }
        #expect(await origin.waitFor { $0.requestCount == tasks.count })
        await session.settle()
        for task in tasks { task.cancel() }
        for delegate in delegates { #expect(await delegate.end().error?.reason.kind == .cancelled) }
        #expect(origin.observations.requestCount == 10_000)
    }

    @Test func `against a server that fails half of the requests, retries stay within a tenth of the requests`()
        async throws
    {
        let origin = try origin { number, _ in
            number % 2 == 0 ? [.respond(status: 503)] : [.ok("answer")]
        }
        let session = Session.limited(to: 8) {
            $0.retryPolicy = Self.policy
            $0.retryPolicy.maximumRetries = 10
        }
        let request = try URLRequest(origin)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<125 { _ = await session.failure(of: request) } } }
        }
        #expect((1010...1100).contains(origin.observations.requestCount), "\(origin.observations.requestCount)")
    }

    @Test func `redirects are followed between attempts, and each hop may be retried`() async throws {
        let origin = try origin { number, request in
            switch (request.target, number) {
            case ("/", 0): [.respond(status: 503)]
            case ("/", _): [.respond(status: 302, fields: [("Location", "/next")])]
            case (_, 2): [.respond(status: 503)]
            default: [.ok("answer")]
            }
        }
        #expect(try await session().text(URLRequest(origin)) == "answer" && origin.observations.requestCount == 4)
    }
}
