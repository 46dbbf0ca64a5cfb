// SPDX-License-Identifier: Apache-2.0
import Dispatch
import FoundationEssentials
import TernHTTP1
import TernLock
import TernTesting
import TestProofs
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.serialized, .timeLimit(.minutes(5))) struct DelegateQuestionTests {
    /// When a question is answered.
    enum Moment: CaseIterable, Sendable {
        case atOnce, later, elsewhere

        func answer<Answer: Sendable>(_ question: DelegateQuestion<Answer>, _ answer: Answer) {
            switch self {
            case .atOnce: question.answer(answer)
            case .later: Task { question.answer(answer) }
            case .elsewhere: Thread.run { question.answer(answer) }
            }
        }
    }

    /// Answers its questions, and records its calls.
    private final class Oracle: SessionTaskDelegate {
        let recorder = RecordingDelegate()
        let redirect: @Sendable (URLRequest, DelegateQuestion<RedirectAnswer>) -> Void
        let challenge: @Sendable (AuthenticationChallenge, DelegateQuestion<ChallengeAnswer>) -> Void
        let disposition: @Sendable (DelegateQuestion<ResponseAnswer>) -> Void
        let content: @Sendable (DelegateQuestion<BodyAnswer>) -> Void

        init(
            redirect: @escaping @Sendable (URLRequest, DelegateQuestion<RedirectAnswer>) -> Void = {
                $1.answer(.follow($0))
            },
            challenge: @escaping @Sendable (AuthenticationChallenge, DelegateQuestion<ChallengeAnswer>) -> Void = {
                $1.answer(.deliver)
            },
            disposition: @escaping @Sendable (DelegateQuestion<ResponseAnswer>) -> Void = { $0.answer(.allow) },
            content: @escaping @Sendable (DelegateQuestion<BodyAnswer>) -> Void = { $0.answer(.unavailable) }
        ) {
            self.redirect = redirect
            self.challenge = challenge
            self.disposition = disposition
            self.content = content
        }

        func task(
            _ task: SessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
            _ question: DelegateQuestion<RedirectAnswer>
        ) {
            redirect(request, question)
        }

        func task(
            _ task: SessionTask, didReceive challenge: AuthenticationChallenge,
            _ question: DelegateQuestion<ChallengeAnswer>
        ) {
            self.challenge(challenge, question)
        }

        func task(_ task: SessionTask, needsNewBody question: DelegateQuestion<BodyAnswer>) { content(question) }

        func task(
            _ task: SessionTask, didReceive response: HTTPURLResponse, _ question: DelegateQuestion<ResponseAnswer>
        ) {
            recorder.task(task, didReceive: response)
            disposition(question)
        }

        func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) { recorder.task(task, didReceive: bytes) }

        func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields) {
            recorder.task(task, didReceiveTrailers: trailers)
        }

        func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
            recorder.task(task, didCompleteWith: error)
        }
    }

    private static func redirecting(body: String = "away") throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in
            request.target == "/"
                ? [.respond(status: 302, fields: [("Location", "/there")], body: body)] : [.ok("there")]
        }
    }

    private func run(
        _ delegate: Oracle, _ session: Session, _ request: URLRequest
    ) async throws -> (RecordingDelegate.Record, SessionTask) {
        let task = session.dataTask(with: request, delegate: delegate)
        task.resume()
        return (await delegate.recorder.end(), task)
    }

    @Test(.proves("3.10a"), arguments: Moment.allCases, [true, false])
    func `a redirect is followed or delivered as the answer says`(moment: Moment, follows: Bool) async throws {
        let origin = try Self.redirecting()
        let oracle = Oracle(redirect: { request, question in
            moment.answer(question, follows ? .follow(request) : .deliver)
        })
        let session = Session.limited()
        let (record, task) = try await run(oracle, session, URLRequest(origin))
        #expect(record.error == nil)
        #expect(record.events.first == .head(follows ? 200 : 302))
        #expect(String(decoding: record.body, as: UTF8.self) == (follows ? "there" : "away"))
        #expect(origin.requests.map(\.target) == (follows ? ["/", "/there"] : ["/"]))
        #expect(origin.connectionCount == 1)
        #expect(task.response?.history.map(\.statusCode) == (follows ? [302] : []))
        #expect(task.currentRequest?.url?.path == (follows ? "/there" : "/"))
    }

    @Test(arguments: Moment.allCases)
    func `another request can be asked than the one that was proposed`(moment: Moment) async throws {
        let origin = try Self.redirecting()
        let oracle = Oracle(redirect: { request, question in
            var other = request
            other.setValue("yes", forHTTPHeaderField: "X-Mine")
            moment.answer(question, .follow(other))
        })
        let (record, _) = try await run(oracle, .limited(), URLRequest(origin))
        #expect(record.error == nil)
        #expect(origin.requests.last?.value(of: "X-Mine") == "yes")
    }

    @Test func `only the first answer counts, and none that comes too late`() async throws {
        let origin = try Self.redirecting()
        let kept = Lock<DelegateQuestion<RedirectAnswer>?>(nil)
        let oracle = Oracle(redirect: { request, question in
            kept.withLock { $0 = question }
            question.answer(.deliver)
            question.answer(.follow(request))
        })
        let session = Session.limited()
        let (record, task) = try await run(oracle, session, URLRequest(origin))
        #expect(record.events.first == .head(302))
        kept.withLock { $0 }?.answer(.follow(task.originalRequest))
        await session.settle()
        #expect(origin.requests.count == 1)
        #expect(record.completions == 1)
    }

    @Test func `a question without an answer ends with the task, and holds nothing`() async throws {
        let origin = try Self.redirecting()
        let session = Session.limited()
        try await BriefLimit.expect([Optional(SessionError.TimeLimit.total)]) { limit in
            let asked = Lock(0)
            let oracle = Oracle(redirect: { _, _ in asked.withLock { $0 += 1 } })
            let (record, _) = try await run(oracle, session, URLRequest(origin).limited(to: Timeouts(total: limit)))
            return Array(repeating: record.error?.reason.limit, count: asked.withLock { $0 })
        }
        let (questions, question) = AsyncStream<Void>.makeStream()
        let cancelled = Oracle(redirect: { _, _ in question.finish() })
        let task = session.dataTask(with: try URLRequest(origin), delegate: cancelled)
        task.resume()
        for await _ in questions {}
        task.cancel()
        #expect(await cancelled.recorder.end().error?.reason.isCancellation == true)
        #expect(try await session.text(URLRequest(origin)) == "there")
    }

    @Test(arguments: Moment.allCases)
    func `who asks for credentials gets them, and is asked again`(moment: Moment) async throws {
        let origin = try ScriptedOrigin { _, request in
            request.value(of: "Authorization") == "Bearer 3"
                ? [.ok("welcome")]
                : [.respond(status: 401, fields: [("WWW-Authenticate", "Bearer realm=\"r\"")], body: "who?")]
        }
        let oracle = Oracle(challenge: { challenge, question in
            moment.answer(question, .authorization("Bearer \(challenge.previousFailureCount + 1)"))
        })
        let (record, task) = try await run(oracle, .limited(), URLRequest(origin))
        #expect(record.events.first == .head(200))
        #expect(origin.requests.map { $0.value(of: "Authorization") } == [nil, "Bearer 1", "Bearer 2", "Bearer 3"])
        #expect(task.metrics?.hops.count == 4)
        #expect(origin.connectionCount == 1)
    }

    @Test(arguments: [
        ("a a", false), ("a b", true), ("a b a", true), ("secure secure", false), ("secure a", true),
        ("secure a secure", true),
    ])
    func `a delegate asked for credentials learns whether redirects have left the origin`(way: String, hasLeft: Bool)
        async throws
    {
        let authority = try CertificateAuthority()
        func origin(_ identity: Identity? = nil) throws -> ScriptedOrigin {
            try ScriptedOrigin(tls: identity) { _, request in
                if let (status, location) = request.redirection { return [.redirect(status, to: location)] }
                return [.respond(status: 401, fields: [("WWW-Authenticate", "Bearer")], body: "who?")]
            }
        }
        let origins = try ["a": origin(), "b": origin(), "secure": origin(authority.issue())]
        var location = ""
        for stop in way.split(separator: " ").reversed() {
            location = try #require(origins[String(stop)]).url(location.isEmpty ? "/end" : "/302?\(location)")
        }
        let told = Lock<[Bool]>([])
        let oracle = Oracle(challenge: { challenge, question in
            told.withLock { $0.append(challenge.hasLeftOrigin) }
            question.answer(.deliver)
        })
        let session = try Session.trusting(authority) { $0.redirectPolicy = .follow(allowsDowngrade: true) }
        _ = try await run(oracle, session, URLRequest(url: #require(URL(string: location))))
        #expect(told.withLock(\.self) == [hasLeft])
    }

    @Test(arguments: [false, true])
    func `content that comes when it is too late is finished, once`(isOver: Bool) async throws {
        let origin = try ScriptedOrigin { _, request in
            if request.target == "/to" { return [.ok("there")] }
            return [.respond(status: 307, fields: [("Location", "/to")], body: "moved")]
        }
        let (first, second) = (ProbingSource([Data("1".utf8)]), ProbingSource([Data("2".utf8)]))
        let questions = Lock<[DelegateQuestion<BodyAnswer>]>([])
        let (asked, tell) = AsyncStream<Void>.makeStream()
        let oracle = Oracle(content: { question in
            questions.withLock { $0.append(question) }
            tell.yield()
        })
        var request = try URLRequest(origin, method: "PUT")
        request.body = .once(ProbingSource([Data("0".utf8)]))
        let session = Session.limited()
        let task = session.dataTask(with: request, delegate: oracle)
        task.resume()
        for await _ in asked { break }
        let earliest = questions.withLock(\.first)
        let question = try #require(earliest)
        if isOver { task.cancel() } else { question.answer(.content(.once(first))) }
        await oracle.recorder.wait { $0.completions > 0 }
        // Late, more than once, and some of it the same.
        for source in [second, first, second] { question.answer(.content(.once(source))) }
        await session.settle()
        #expect(first.record == .init(asks: isOver ? 0 : 2, finishes: 1))
        #expect(second.record == .init(asks: 0, finishes: 1))
    }

    @Test func `without credentials a 401 is a response like any other`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.respond(status: 401, fields: [("WWW-Authenticate", "Basic")], body: "who?")]
        }
        #expect(try await Session.limited().text(URLRequest(origin)) == "who?")
        let endless = Oracle(challenge: { $1.answer(.authorization("Bearer wrong")) })
        let (record, _) = try await run(endless, .limited(), URLRequest(origin))
        #expect(record.events.first == .head(401))
        #expect(origin.requests.count == 1 + 17)
    }

    @Test(.proves("3.11a"), arguments: Moment.allCases, ["", "body"])
    func `nothing of a body is delivered before the delegate wants it`(moment: Moment, body: String) async throws {
        let origin = try ScriptedOrigin { _, _ in [.chunked([body].filter { !$0.isEmpty })] }
        let oracle = Oracle(disposition: { moment.answer($0, .allow) })
        let (record, _) = try await run(oracle, .limited(), URLRequest(origin))
        #expect(record.error == nil)
        #expect(String(decoding: record.body, as: UTF8.self) == body)
        let refusing = Oracle(disposition: { moment.answer($0, .cancel) })
        let (refused, _) = try await run(refusing, .limited(), URLRequest(origin))
        #expect(refused.body.isEmpty)
        #expect(refused.error?.reason.isCancellation == true || body.isEmpty && moment != .atOnce)
    }

    @Test(arguments: Moment.allCases, [true, false])
    func `content that can be read once is asked for again`(moment: Moment, isThere: Bool) async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/" ? [.respond(status: 307, fields: [("Location", "/there")])] : [.ok(request.bodyText)]
        }
        let pieces = AsyncStream<Data> {
            $0.yield(Data("once".utf8))
            $0.finish()
        }
        var request = try URLRequest(origin, method: "POST")
        request.body = .sequence(pieces)
        let oracle = Oracle(content: { moment.answer($0, isThere ? .content(.data(Data("twice".utf8))) : .unavailable) }
        )
        let (record, _) = try await run(oracle, .limited(), request)
        if isThere {
            #expect(record.error == nil)
            #expect(String(decoding: record.body, as: UTF8.self) == "twice")
            #expect(origin.requests.map(\.bodyText) == ["once", "twice"])
        } else {
            guard case .transfer(.redirect(.bodyNotReplayable)) = record.error?.reason else {
                Issue.record("\(String(describing: record.error))")
                return
            }
        }
    }
}

/// A thread for one call.
private enum Thread {
    static func run(_ body: @escaping @Sendable () -> Void) { DispatchQueue.global().async(execute: body) }
}
