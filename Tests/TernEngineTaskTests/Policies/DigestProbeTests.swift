// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(1))) struct DigestProbeTests {
    private let session = Session.limited { $0.probesForDigest = true }

    private func request(_ origin: ScriptedOrigin, schemes: PasswordCredential.Schemes = .digest) throws -> URLRequest {
        var request = try URLRequest(origin, method: "PUT")
        request.body = .sequence(
            AsyncStream<Data> {
                $0.yield(Data("once".utf8))
                $0.finish()
            })
        request.headers = ["Content-Type": "text/plain", "Expect": "100-continue", "Transfer-Encoding": "chunked"]
        request.credential = PasswordCredential(user: "ada", password: "secret", schemes: schemes)
        return request
    }

    private static let challenge = ScriptedOrigin.Step.respond(
        status: 401, fields: [("WWW-Authenticate", #"Digest realm="r", nonce="n", qop="auth""#)])

    @Test func `the first request goes without content, and the answer to the challenge with it`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.value(of: "Authorization") == nil ? [Self.challenge] : [.ok(request.bodyText)]
        }
        #expect(try await session.text(request(origin)) == "once")
        #expect(origin.requests.map(\.bodyText) == ["", "once"])
        #expect(origin.requests.map { $0.value(of: "Content-Length") } == ["0", nil])
        #expect(origin.requests.map { $0.value(of: "Expect") } == [nil, "100-continue"])
        #expect(origin.requests.map { $0.value(of: "Content-Type") } == ["text/plain", "text/plain"])
    }

    @Test func `a server that requests no password gets the content next`() async throws {
        let origin = try ScriptedOrigin { _, request in [.ok(request.bodyText)] }
        #expect(try await session.text(request(origin)) == "once")
        #expect(origin.requests.map(\.bodyText) == ["", "once"])
    }

    @Test func `a redirect of the first request is followed before any content is sent`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/"
                ? [.redirect(307, to: "/there")]
                : request.value(of: "Authorization") == nil ? [Self.challenge] : [.ok(request.bodyText)]
        }
        #expect(try await session.text(request(origin)) == "once")
        #expect(origin.requests.map { $0.target + $0.bodyText } == ["/", "/there", "/thereonce"])
    }

    @Test func `other refusals are the answer`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 403, body: "no")] }
        #expect(try await session.text(request(origin)) == "no")
        #expect(origin.requests.count == 1)
    }

    @Test func `credentials for other schemes, and requests without content, are sent as they are`() async throws {
        let origin = try ScriptedOrigin { _, request in [.ok(request.bodyText)] }
        #expect(try await session.text(request(origin, schemes: .all)) == "once")
        var empty = try URLRequest(origin)
        empty.credential = PasswordCredential(user: "ada", password: "secret", schemes: .digest)
        _ = try await session.data(for: empty)
        #expect(origin.requests.count == 2)
    }
}
