// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Content that can be read once, and responses that come before it was begun (RFC 9110 §10.1.1).
@Suite(.timeLimit(.minutes(1))) struct UnreadBodyTests {
    /// Why the request is sent again: the response to a head that asks for `100 Continue`.
    enum Cause: CaseIterable, Sendable {
        case redirect307, redirect308, redirectElsewhere, expectationFailed, digest, basic, token, delegate

        var answer: [ScriptedOrigin.Step] {
            switch self {
            case .redirect307: [.redirect(307, to: "/there")]
            case .redirect308: [.redirect(308, to: "/there")]
            case .redirectElsewhere: [.redirect(307, to: "//localhost:PORT/there")]
            case .expectationFailed: [.respond(status: 417)]
            case .digest:
                [.respond(status: 401, fields: [("WWW-Authenticate", #"Digest realm="r", nonce="n", qop="auth""#)])]
            case .basic, .delegate: [.respond(status: 401, fields: [("WWW-Authenticate", #"Basic realm="r""#)])]
            case .token: [.respond(status: 401)]
            }
        }

        /// Whether a request is the one to be sent again.
        func isFirst(_ request: ReceivedRequest) -> Bool {
            switch self {
            case .redirect307, .redirect308, .redirectElsewhere: request.target == "/"
            case .expectationFailed: request.value(of: "Expect") != nil
            case .digest, .basic, .delegate: request.value(of: "Authorization") == nil
            case .token: request.value(of: "Authorization") == "Bearer 1"
            }
        }
    }

    /// A token that is refreshed.
    private struct Tokens: Authenticator {
        struct Token: AuthenticationCredential {
            let number: Int
            var requiresRefresh: Bool { false }
        }

        func apply(_ credential: Token, to request: inout URLRequest) {
            request.headers["Authorization"] = "Bearer \(credential.number)"
        }

        func refresh(_ credential: Token) async throws -> Token { Token(number: credential.number + 1) }
    }

    /// Answers challenges, and has no other content.
    private final class Respondent: SessionTaskDelegate {
        let recorder = RecordingDelegate()
        let authorization: String?

        init(_ authorization: String?) { self.authorization = authorization }

        func task(
            _ task: SessionTask, didReceive challenge: AuthenticationChallenge,
            _ question: DelegateQuestion<ChallengeAnswer>
        ) {
            question.answer(authorization.map { .authorization($0) } ?? .deliver)
        }

        func task(_ task: SessionTask, didReceive response: HTTPURLResponse) {
            recorder.task(task, didReceive: response)
        }

        func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) { recorder.task(task, didReceive: bytes) }

        func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
            recorder.task(task, didCompleteWith: error)
        }
    }

    private static let text = "can be read once"

    private static func once() -> RequestBody {
        .sequence(
            AsyncStream<Data> {
                $0.yield(Data(text.utf8))
                $0.finish()
            })
    }

    private func session(_ cause: Cause) -> Session {
        .limited {
            guard cause == .token else { return }
            $0.authentication = AuthenticationInterceptor(
                authenticator: Tokens(), credential: Tokens.Token(number: 1))
        }
    }

    private func run(_ cause: Cause, _ origin: ScriptedOrigin, expects: Bool) async throws -> RecordingDelegate.Record {
        var request = try URLRequest(origin, method: "PUT")
        request.body = Self.once()
        if expects { request.setValue("100-continue", forHTTPHeaderField: "Expect") }
        if cause == .digest || cause == .basic { request.credential = PasswordCredential(user: "a", password: "b") }
        let delegate = Respondent(cause == .delegate ? "Basic YTpi" : nil)
        let session = session(cause)
        session.dataTask(with: request, delegate: delegate).resume()
        let record = await delegate.recorder.end()
        withExtendedLifetime(session) {}
        return record
    }

    @Test(arguments: Cause.allCases, [true, false])
    func `a final response in place of 100 Continue leaves the content for the next request`(
        cause: Cause, keepsOpen: Bool
    ) async throws {
        let target = try ScriptedOrigin { _, request in [.ok(request.bodyText)] }
        let origin = try ScriptedOrigin(onHead: { _, request in
            guard cause.isFirst(request) else {
                return request.value(of: "Expect") == nil ? [] : [.send("HTTP/1.1 100 Continue\r\n\r\n")]
            }
            let steps =
                cause == .redirectElsewhere ? [.redirect(307, to: target.url("/there"))] : cause.answer
            return steps + (keepsOpen ? [.awaitClose] : [.close])
        }) { _, request in [.ok(request.bodyText)] }
        let record = try await run(cause, origin, expects: true)
        #expect(record.error == nil)
        #expect(String(decoding: record.body, as: UTF8.self) == Self.text)
        let received = origin.requests + target.requests
        #expect(received.filter { $0.isComplete }.map(\.bodyText) == [Self.text])
    }

    @Test(arguments: [Cause.digest, .basic, .token, .delegate])
    func `content that was used up makes the refusal the answer`(cause: Cause) async throws {
        let origin = try ScriptedOrigin { _, request in
            cause.isFirst(request)
                ? [.respond(status: 401, fields: [("WWW-Authenticate", #"Basic realm="r""#)], body: "refused")]
                : [.ok("in")]
        }
        let record = try await run(cause, origin, expects: false)
        #expect(record.error == nil)
        #expect(record.events.contains(.head(401)))
        #expect(String(decoding: record.body, as: UTF8.self) == "refused")
        #expect(origin.requests.map(\.bodyText) == [Self.text])
    }

    @Test func `content that was used up ends a redirect, and the error says so`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.redirect(307, to: "/there")] }
        let record = try await run(.redirect307, origin, expects: false)
        #expect(record.error?.reason.redirection == .bodyNotReplayable)
        #expect(origin.requests.map(\.bodyText) == [Self.text])
    }

    @Test func `a form with a stream that was not begun is sent after a redirect`() async throws {
        let origin = try ScriptedOrigin(onHead: { _, request in
            request.target == "/"
                ? [.redirect(307, to: "/there"), .awaitClose]
                : request.value(of: "Expect") == nil ? [] : [.send("HTTP/1.1 100 Continue\r\n\r\n")]
        }) { _, request in [.ok(request.bodyText)] }
        var form = MultipartForm()
        try form.append(ProbingSource([Data("streamed".utf8)]), length: 8, name: "a")
        var request = try URLRequest(origin, method: "POST")
        request.setValue(form.contentType, forHTTPHeaderField: "Content-Type")
        request.setValue("100-continue", forHTTPHeaderField: "Expect")
        request.body = form.body
        let text = try await Session.limited().text(request)
        #expect(text.contains("streamed"))
    }
}
