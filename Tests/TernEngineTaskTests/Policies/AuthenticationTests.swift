// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Answers challenges, and counts them.
private final class PasswordDelegate: SessionTaskDelegate {
    let record = RecordingDelegate()
    private let challenges = Lock(0)
    private let responses = Lock<[HTTPURLResponse]>([])
    private let answer: @Sendable (AuthenticationChallenge) -> ChallengeAnswer

    init(_ answer: @escaping @Sendable (AuthenticationChallenge) -> ChallengeAnswer) { self.answer = answer }

    var count: Int { challenges.withLock { $0 } }

    /// The responses that were not the answer.
    var discarded: [HTTPURLResponse] { responses.withLock { $0 } }

    func task(_ task: SessionTask, didDiscard response: HTTPURLResponse) { responses.withLock { $0.append(response) } }

    func task(
        _ task: SessionTask, didReceive challenge: AuthenticationChallenge,
        _ question: DelegateQuestion<ChallengeAnswer>
    ) {
        challenges.withLock { $0 += 1 }
        question.answer(answer(challenge))
    }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) { record.task(task, didReceive: bytes) }

    func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
        record.task(task, didCompleteWith: error)
    }
}

@Suite(.timeLimit(.minutes(1))) struct AuthenticationTests {
    private static let password = PasswordCredential(user: "ada", password: "secret")

    /// The parameters of the request's Digest field.
    private static func digest(_ request: ReceivedRequest) -> HTTPChallenge? {
        HTTPChallenge.challenges(in: request.values(of: "Authorization")).first { $0.scheme == "digest" }
    }

    /// A server with nonces that each hold for some requests.
    private static func origin(
        nonce: @escaping @Sendable (Int) -> String = { _ in "n" }, redirecting: [String: String] = [:]
    ) throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in
            let field = digest(request)
            let (expected, sent) = (nonce(request.index), field?["nonce"])
            guard let field, sent == expected, field["uri"] == request.target else {
                let stale = sent == nil || sent == expected ? "" : ", stale=true"
                return [
                    .respond(
                        status: 401,
                        fields: [("WWW-Authenticate", "Digest realm=\"r\", qop=auth, nonce=\"\(expected)\"\(stale)")])
                ]
            }
            if let location = redirecting[request.target] {
                return [.respond(status: 302, fields: [("Location", location)])]
            }
            return [.ok("hello \(field["username"] ?? "")")]
        }
    }

    private func run(_ request: URLRequest, _ delegate: PasswordDelegate) async -> RecordingDelegate.Record {
        let session = Session.limited()
        session.dataTask(with: request, delegate: delegate).resume()
        return await delegate.record.end()
    }

    private func text(_ record: RecordingDelegate.Record) -> String { String(decoding: record.body, as: UTF8.self) }

    @Test func `a password answers Digest, whose secret is not sent`() async throws {
        let origin = try Self.origin()
        let record = await run(try URLRequest(origin, "/a?b"), PasswordDelegate { _ in .credential(Self.password) })
        #expect(text(record) == "hello ada")
        let fields = origin.requests.map { $0.value(of: "Authorization") }
        #expect(fields.count == 2 && fields[0] == nil && fields[1]?.contains("secret") == false)
        let scheme = try #require(
            DigestScheme(HTTPChallenge.challenges(in: [#"Digest realm="r", qop=auth, nonce="n""#])[0]))
        let nonce = try #require(Self.digest(origin.requests[1])?["cnonce"])
        let expected = scheme.authorization(
            Self.password, for: .init(method: "GET", target: "/a?b"), clientNonce: nonce)
        #expect(fields[1] == expected.map { String(decoding: $0, as: UTF8.self) })
    }

    @Test func `a nonce that a server names again counts on, whatever request it is named to`() async throws {
        let origin = try Self.origin { $0 < 4 ? "n" : "m" }
        let session = Session.limited()
        var request = try URLRequest(origin)
        request.credential = Self.password
        for _ in 1...3 { #expect(try await session.text(request) == "hello ada") }
        let uses = origin.requests.compactMap(Self.digest).map { "\($0["nonce"] ?? "") \($0["nc"] ?? "")" }
        #expect(uses == ["n 00000001", "n 00000002", "m 00000001"])
    }

    @Test func `a realm, an opaque value and a password that are no UTF-8 go back as bytes`() async throws {
        let realm: [UInt8] = Array("realm=\"B".utf8) + [0xFC] + Array("ro\"".utf8)
        let opaque: [UInt8] = Array("opaque=\"".utf8) + [0xE9, 0xFF] + Array("\"".utf8)
        let challenge =
            Array("HTTP/1.1 401 U\r\nContent-Length: 0\r\nWWW-Authenticate: Digest nonce=n, ".utf8) + realm
            + Array(", ".utf8) + opaque + Array("\r\n\r\n".utf8)
        let origin = try ScriptedOrigin { _, request in
            request.value(of: "Authorization") == nil ? [.send(challenge)] : [.ok()]
        }
        let request = try URLRequest(string: "http://ann:p%E9@127.0.0.1:\(origin.port)/")
        let (_, response) = try await Session.limited().data(for: request)
        #expect(response.statusCode == 200)
        // Computed apart, with Python's hashlib.
        let expected = [realm, opaque, Array("response=\"4c5c090ad4f4643fa20f587b4c0777be\"".utf8)]
        let head = try #require(origin.requests.last?.head)
        for part in expected { #expect(head.firstRange(of: part) != nil) }
    }

    @Test func `an answered challenge is a hop and no redirect, whether a delegate or a password does it`() async throws
    {
        for isAsked in [true, false] {
            let origin = try Self.origin(redirecting: ["/": "/next"])
            let delegate = PasswordDelegate { _ in .credential(Self.password) }
            var request = try URLRequest(origin)
            if !isAsked { request.credential = Self.password }
            let session = Session.limited()
            let task = session.dataTask(with: request, delegate: delegate)
            task.resume()
            #expect(text(await delegate.record.end()) == "hello ada" && delegate.count == (isAsked ? 1 : 0))
            let metrics = try #require(task.metrics)
            #expect(metrics.hops.map(\.statusCode) == [401, 302, 401, 200])
            #expect(metrics.hops.allSatisfy { $0.end != nil })
            #expect(metrics.redirectCount == 1)
            #expect(task.response?.history.map(\.statusCode) == [401, 302, 401])
        }
    }

    @Test func `a discarded response has those before it in its history, and not itself`() async throws {
        let origin = try Self.origin { $0 < 1 ? "old" : "new" }
        let delegate = PasswordDelegate { _ in .deliver }
        var request = try URLRequest(origin)
        request.credential = Self.password
        #expect(text(await run(request, delegate)) == "hello ada")
        #expect(delegate.discarded.map(\.statusCode) == [401, 401])
        #expect(delegate.discarded.map(\.history.count) == [0, 1])
    }

    @Test func `a stale nonce is answered with the next one, without asking again`() async throws {
        let origin = try Self.origin { $0 < 1 ? "old" : "new" }
        let delegate = PasswordDelegate { _ in .credential(Self.password) }
        #expect(text(await run(try URLRequest(origin), delegate)) == "hello ada")
        #expect(delegate.count == 1)
        #expect(origin.requests.map { Self.digest($0)?["nonce"] } == [nil, "old", "new"])
    }

    @Test func `a server that calls every nonce stale is answered a few times, and then the delegate is asked`()
        async throws
    {
        let origin = try ScriptedOrigin { _, request in
            let field = "Digest realm=r, qop=auth, stale=true, nonce=n\(request.index)"
            return [.respond(status: 401, fields: [("WWW-Authenticate", field)])]
        }
        let delegate = PasswordDelegate { $0.previousFailureCount == 0 ? .credential(Self.password) : .deliver }
        let record = await run(try URLRequest(origin), delegate)
        #expect(record.error == nil && delegate.count == 2)
        #expect(origin.requests.count == 2 + Int(Authentication.maximumAnswerCount))
    }

    @Test(arguments: [401, 407])
    func `nonces for one use are answered anew in each retry, and the retries bound that`(refusal: Int) async throws {
        let (field, challenge) =
            refusal == 401 ? ("Authorization", "WWW-Authenticate") : ("Proxy-Authorization", "Proxy-Authenticate")
        // The server fails after each login, for as long as it says; then it calls every nonce stale.
        func origin(_ failureCount: Int) throws -> ScriptedOrigin {
            let state = Lock((nonces: 0, used: Set<String>()))
            return try ScriptedOrigin { _, request in
                let nonce = HTTPChallenge.challenges(in: request.values(of: field)).first?["nonce"]
                return state.withLock { state in
                    let isOpen = state.used.count < failureCount || failureCount == 6
                    if let nonce, isOpen, state.used.insert(nonce).inserted {
                        return state.used.count <= failureCount ? [.respond(status: 503)] : [.ok("in")]
                    }
                    state.nonces += 1
                    let value = "Digest realm=r, qop=auth, stale=true, nonce=n\(state.nonces)"
                    return [.respond(status: refusal, fields: [(challenge, value)])]
                }
            }
        }
        func response(_ origin: ScriptedOrigin) async throws -> (String, Int) {
            let session = Session.limited {
                $0.retryPolicy = .standard
                $0.retryPolicy.maximumRetries = 8
                $0.retryPolicy.backOff.base = .milliseconds(1)
                guard refusal == 407 else { return }
                var proxy = Proxy(.http, host: "127.0.0.1", port: origin.port)
                proxy.credential = PasswordCredential(user: "ada", password: "secret", schemes: .digest)
                $0.proxySettings = ProxySettings(proxy)
            }
            var request = try URLRequest(origin)
            if refusal == 401 { request.credential = Self.password }
            let (data, response) = try await session.data(for: request)
            return (String(decoding: data, as: UTF8.self), response.statusCode)
        }
        let busy = try origin(6)
        #expect(try await response(busy) == ("in", 200) && busy.requests.count == 14)
        let endless = try origin(2)
        #expect(try await response(endless) == ("", refusal))
        // Two failures, and as many answers after the second as there are for a server that fails never.
        let maximum = refusal == 401 ? Authentication.maximumAnswerCount : ProxyRule.maximumAnswerCount
        #expect(endless.requests.count == 4 + 1 + maximum)
    }

    @Test func `a redirect within the origin is answered again, for the new target`() async throws {
        let origin = try Self.origin(redirecting: ["/": "/next"])
        let delegate = PasswordDelegate { _ in .credential(Self.password) }
        let record = await run(try URLRequest(origin), delegate)
        #expect(text(record) == "hello ada" && delegate.count == 1)
        #expect(origin.requests.map { Self.digest($0)?["uri"] } == [nil, "/", nil, "/next"])
    }

    @Test func `another origin is not answered without asking, and the answer is for it`() async throws {
        let target = try Self.origin()
        let source = try Self.origin(redirecting: ["/": "http://localhost:\(target.port)/there"])
        let delegate = PasswordDelegate { challenge in
            challenge.hasLeftOrigin ? .deliver : .credential(Self.password)
        }
        let record = await run(try URLRequest(source), delegate)
        #expect(delegate.count == 2 && text(record).isEmpty)
        #expect(target.requests.map { $0.value(of: "Authorization") } == [nil])
    }

    @Test func `a refused password is asked for again, with the count of failures`() async throws {
        let origin = try ScriptedOrigin { _, request in
            [.respond(status: 401, fields: [("WWW-Authenticate", "Digest realm=r, qop=auth, nonce=n")])]
        }
        let delegate = PasswordDelegate { challenge in
            challenge.previousFailureCount < 3 ? .credential(Self.password) : .deliver
        }
        let record = await run(try URLRequest(origin), delegate)
        #expect(delegate.count == 4 && record.error == nil && origin.requests.count == 4)
    }

    @Test func `a challenge that no password answers delivers the response`() async throws {
        for challenge in ["Bearer", "Digest realm=r, nonce=n, algorithm=X", "="] {
            let origin = try ScriptedOrigin { _, _ in
                [.respond(status: 401, fields: [("WWW-Authenticate", challenge)], body: "no")]
            }
            let record = await run(try URLRequest(origin), PasswordDelegate { _ in .credential(Self.password) })
            #expect(text(record) == "no" && origin.requests.count == 1, "\(challenge)")
        }
    }

    @Test func `the strongest of several challenges is answered`() async throws {
        let origin = try ScriptedOrigin { _, request in
            if request.value(of: "Authorization") != nil { return [.ok()] }
            return [
                .respond(
                    status: 401,
                    fields: [
                        ("WWW-Authenticate", "Basic realm=r, Digest realm=r, nonce=n"),
                        ("WWW-Authenticate", "Digest realm=r, nonce=m, algorithm=SHA-256, qop=auth"),
                    ])
            ]
        }
        _ = await run(try URLRequest(origin), PasswordDelegate { _ in .credential(Self.password) })
        #expect(Self.digest(try #require(origin.requests.last))?["algorithm"] == "SHA-256")
    }

    @Test func `the name and password of a URL are sent when they are requested, to their origin only`() async throws {
        let target = try ScriptedOrigin { _, _ in
            [.respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=r")])]
        }
        let source = try ScriptedOrigin { _, request in
            if request.value(of: "Authorization") == nil {
                return [.respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=r")])]
            }
            return [.respond(status: 302, fields: [("Location", "http://localhost:\(target.port)/")])]
        }
        let session = Session.limited()
        let request = try URLRequest(string: "http://ad%61:s%3Ae@127.0.0.1:\(source.port)/")
        let (_, response) = try await session.data(for: request)
        #expect(response.statusCode == 401)
        let expected = "Basic " + Data("ada:s:e".utf8).base64EncodedString()
        #expect(source.requests.map { $0.value(of: "Authorization") } == [nil, expected])
        #expect(target.requests.map { $0.value(of: "Authorization") } == [nil])
        #expect(source.requests.allSatisfy { $0.value(of: "Host") == "127.0.0.1:\(source.port)" })
    }

    @Test func `a refused password of a URL is sent once`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=r")])]
        }
        let (_, response) = try await Session.limited().data(
            for: URLRequest(string: "http://a:b@127.0.0.1:\(origin.port)/"))
        #expect(response.statusCode == 401 && origin.requests.count == 2)
    }
}
