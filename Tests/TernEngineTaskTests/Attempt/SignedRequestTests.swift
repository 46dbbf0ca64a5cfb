// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Signs as S3 requires, a second later each time.
private final class TickingSigner: RequestSigner {
    private let signer: AWSSigner
    private let seconds = Lock(0)

    init(_ accessKeyID: String = "KEY") {
        signer = AWSSigner(
            accessKeyID: accessKeyID, secretAccessKey: "hidden-key", sessionToken: "hidden-token", region: "here",
            service: "s3")
    }

    var credentialIdentity: String? { signer.credentialIdentity }

    func sign(_ request: inout URLRequest) throws {
        let second = seconds.withLock { seconds in
            seconds += 1
            return seconds
        }
        // 2015-08-30T12:36:00Z
        try signer.sign(&request, at: Date(timeIntervalSince1970: 1_440_938_160 + Double(second)))
    }
}

/// Fails, or cancels its task.
private struct ActingSigner: RequestSigner {
    let act: @Sendable () throws -> Void

    func sign(_ request: inout URLRequest) throws { try act() }
}

/// Each attempt has a signature of its own, and no other origin gets one.
@Suite(.timeLimit(.minutes(1))) struct SignedRequestTests {
    private static let names = ["Authorization", "X-Amz-Date", "X-Amz-Security-Token", "X-Amz-Content-Sha256"]

    private func signed(_ request: URLRequest) -> URLRequest {
        var request = request
        request.signer = TickingSigner()
        return request
    }

    private func dates(_ origin: ScriptedOrigin) -> [String] {
        origin.requests.map { $0.values(of: "X-Amz-Date").joined(separator: ",") }
    }

    @Test func `a retry after a 503 is signed with its own time`() async throws {
        let origin = try ScriptedOrigin { _, request in request.index == 0 ? [.respond(status: 503)] : [.ok("in")] }
        let session = Session.limited {
            $0.retryPolicy = .standard
            $0.retryPolicy.backOff.base = .milliseconds(1)
        }
        let request = signed(try URLRequest(origin))
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: request, delegate: delegate)
        task.resume()
        #expect(String(decoding: await delegate.end().body, as: UTF8.self) == "in")
        #expect(dates(origin) == ["20150830T123601Z", "20150830T123602Z"])
        #expect(Set(origin.requests.flatMap { $0.values(of: "Authorization") }).count == 2)
        #expect(task.originalRequest.headers.isEmpty)
    }

    @Test func `a repeat on another connection is signed again`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/2" && request.index == 1 ? [.reset] : [.ok("in")]
        }
        let session = Session.limited()
        #expect(try await session.text(URLRequest(origin, "/1")) == "in")
        #expect(try await session.text(signed(URLRequest(origin, "/2"))) == "in")
        #expect(dates(origin) == ["", "20150830T123601Z", "20150830T123602Z"])
    }

    @Test func `a redirect within the origin is signed for its own target, and one to another origin is not signed`()
        async throws
    {
        let (first, second) = try (ScriptedOrigin.redirecting(), ScriptedOrigin.redirecting())
        let away = second.url("/302?" + first.url("/back"))
        let request = signed(try URLRequest(first, "/302?" + first.url("/302?" + away)))
        #expect(try await Session.limited().text(request) == "GET /back 0")
        #expect(dates(first) == ["20150830T123601Z", "20150830T123602Z", ""])
        for request in second.requests + first.requests.suffix(1) {
            #expect(Self.names.allSatisfy { request.value(of: $0) == nil })
        }
        #expect(first.requests[0].value(of: "Authorization") != first.requests[1].value(of: "Authorization"))
    }

    @Test func `the signature covers what is sent`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        var request = try URLRequest(origin, "/p?q=1", method: "PUT", body: Data("content".utf8))
        request.headers.append("X-Own", "1")
        request = signed(request)
        _ = try await Session.limited().data(for: request)
        let received = try #require(origin.requests.first)
        var expected = try URLRequest(string: origin.url("/p?q=1"))
        expected.httpMethod = "PUT"
        expected.headers = ["Host": received.value(of: "Host") ?? "", "X-Own": "1"]
        expected.httpBody = Data("content".utf8)
        try TickingSigner().sign(&expected)
        #expect(received.value(of: "Authorization") == expected.headers["Authorization"])
    }

    @Test func `a request that cannot be signed is not sent, and is not tried again`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        var request = signed(try URLRequest(origin, method: "PUT"))
        request.body = .file(path: "/dev/null")
        request.retryPolicy = .standard
        let error = await #expect(throws: SessionError.self) { try await Session.limited().data(for: request) }
        guard case .request(.unauthenticated(.unsigned(let cause)))? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause as? SigningError == .contentNotInMemory)
        #expect(error?.wasSent == false && error?.isSafeToRepeat == true && error?.retries.isEmpty == true)
        #expect("\(try #require(error))".contains("it could not be signed: the hash of its content is signed"))
        #expect(origin.requests.isEmpty)
    }

    @Test func `each attempt that could not be signed has an end`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        var request = try URLRequest(origin)
        request.signer = ActingSigner { throw SigningError.keyFailed }
        let delegate = RecordingDelegate()
        let session = Session.limited()
        let task = session.dataTask(with: request, delegate: delegate)
        let timeline = task.timeline
        task.resume()
        _ = await delegate.end()
        var words: [String] = []
        for await entry in timeline { words.append("\(entry.event)") }
        #expect(words.count { $0.hasPrefix("attemptBegan") } == 1, "\(words)")
        #expect(task.metrics?.hops.last?.attempts.count == 1)
    }

    @Test func `a signer may cancel its task`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let place = Lock<SessionTask?>(nil)
        var request = try URLRequest(origin)
        request.signer = ActingSigner { place.withLock { $0 }?.cancel() }
        let delegate = RecordingDelegate()
        let session = Session.limited()
        let task = session.dataTask(with: request, delegate: delegate)
        place.withLock { $0 = task }
        task.resume()
        guard case .cancelled? = await delegate.end().error?.reason else {
            Issue.record("it was not cancelled")
            return
        }
        place.withLock { $0 = nil }
    }

    @Test func `an archive of a session has no key, no token and no signature`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let recorder = HARRecorder()
        let session = Session.limited { $0.observers = [recorder] }
        var request = try URLRequest(origin, "/1")
        request.signer = TickingSigner()
        _ = try await session.data(for: request)
        request.signer = HTTPMessageSigner(
            key: MessageSigningKey(secret: Array("hidden-key".utf8)), keyID: "hidden-name", covering: ["@method"])
        _ = try await session.data(for: request)
        let text = String(decoding: recorder.json(), as: UTF8.self)
        #expect(origin.requests.count == 2 && text.contains("X-Amz-Security-Token"))
        for secret in ["hidden", "Signature=", "Credential=", ":="] { #expect(!text.contains(secret), "\(secret)") }
    }

    @Test func `a cache keeps the responses of signers apart, and none of a signer without an identity`() async throws {
        let origin = try ScriptedOrigin { _, request in
            [.respond(fields: [("Cache-Control", "max-age=60")], body: request.value(of: "Authorization") ?? "none")]
        }
        let session = Session.limited { $0.urlCache = URLCache(memoryCapacity: 1 << 20) }
        let send = { (signer: (any RequestSigner)?) in
            var request = try URLRequest(origin)
            request.signer = signer
            return try await session.text(request)
        }
        let (one, other) = (try await send(TickingSigner("ONE")), try await send(TickingSigner("OTHER")))
        #expect(one.contains("Credential=ONE/") && other.contains("Credential=OTHER/"))
        #expect(try await send(TickingSigner("ONE")) == one)
        #expect(try await send(nil) == "none")
        for _ in 0..<2 { #expect(try await send(ActingSigner {}) == "none") }
        #expect(origin.requests.count == 5)
    }
}
