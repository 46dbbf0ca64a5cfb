// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(1))) struct NetrcPasswordsTests {
    private static let both = "machine 127.0.0.1 login ada password here\nmachine localhost login bob password there\n"

    private func session(
        _ text: String, _ schemes: PasswordCredential.Schemes = .basic,
        _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) -> Session {
        Session.limited {
            $0.netrc = Netrc(text.utf8, schemes: schemes)
            change(&$0)
        }
    }

    private func sent(_ origin: ScriptedOrigin) -> [String?] { origin.requests.map { $0.value(of: "Authorization") } }

    private func basic(_ text: String) -> String { BasicScheme.authorization(text) }

    @Test func `the password of a host is sent at once, and to no other`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = session("machine 127.0.0.1 login ada password here\nmachine x.test login x password y")
        for host in [nil, "localhost"] { _ = try await session.data(for: try URLRequest(origin, host: host)) }
        #expect(sent(origin) == [basic("ada:here"), nil])
        let plain = Session.limited()
        _ = try await plain.data(for: try URLRequest(origin))
        #expect(sent(origin).last == .some(nil))
    }

    @Test func `each host of a chain of redirects gets its own password`() async throws {
        let target = try ScriptedOrigin { _, _ in [.ok()] }
        let source = try ScriptedOrigin { _, request in
            let location = request.target == "/" ? "/again" : "http://localhost:\(target.port)/"
            return [.respond(status: 302, fields: [("Location", location)])]
        }
        _ = try await session(Self.both).data(for: try URLRequest(source))
        #expect(sent(source) == [basic("ada:here"), basic("ada:here")])
        #expect(sent(target) == [basic("bob:there")])
    }

    @Test func `a redirect to another origin does not get the password of default`() async throws {
        let target = try ScriptedOrigin { _, _ in [.ok()] }
        let source = try ScriptedOrigin { _, _ in
            [.respond(status: 302, fields: [("Location", "http://localhost:\(target.port)/")])]
        }
        _ = try await session("default login d password e").data(for: try URLRequest(source))
        #expect(sent(source) == [basic("d:e")])
        #expect(sent(target) == [nil])
    }

    @Test func `what the request, its URL and the session say comes first`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.value(of: "Authorization") == nil
                ? [.respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=r")])] : [.ok()]
        }
        let session = session(Self.both + "machine 127.0.0.1 login eve password other")
        var request = try URLRequest(origin)
        request.headers["Authorization"] = "Own x"
        _ = try await session.data(for: request)
        request = try URLRequest(origin)
        request.credential = PasswordCredential(user: "own", password: "p")
        _ = try await session.data(for: request)
        for userinfo in ["in:url", "eve", "nobody"] {
            let request = try URLRequest(string: "http://\(userinfo)@127.0.0.1:\(origin.port)/")
            _ = try await session.data(for: request)
        }
        let all = [
            "Own x", nil, basic("own:p"), nil, basic("in:url"), basic("eve:other"), nil, basic("nobody:"),
        ]
        #expect(sent(origin) == all)
        let defaults = self.session(Self.both) { $0.httpAdditionalHeaders["Authorization"] = "Session x" }
        _ = try await defaults.data(for: try URLRequest(origin))
        #expect(sent(origin).last == "Session x")
    }

    @Test func `a password for Digest waits for the challenge of its own host`() async throws {
        let answer: @Sendable (Int, ReceivedRequest) -> [ScriptedOrigin.Step] = { _, request in
            let field = HTTPChallenge.challenges(in: request.values(of: "Authorization")).first
            guard let field, field.scheme == "digest" else {
                return [
                    .respond(status: 401, fields: [("WWW-Authenticate", "Digest realm=\"r\", qop=auth, nonce=\"n\"")])
                ]
            }
            return [.ok(field["username"] ?? "")]
        }
        let target = try ScriptedOrigin(script: answer)
        let source = try ScriptedOrigin { index, request in
            let steps = answer(index, request)
            guard request.value(of: "Authorization") != nil else { return steps }
            return [.respond(status: 302, fields: [("Location", "http://localhost:\(target.port)/")])]
        }
        #expect(try await session(Self.both, .digest).text(try URLRequest(source)) == "bob")
        let names = (source.requests + target.requests).map {
            HTTPChallenge.challenges(in: $0.values(of: "Authorization")).first?["username"]
        }
        #expect(names == [nil, "ada", nil, "bob"])
    }

    @Test func `a refused password is not sent again`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=r")])]
        }
        for schemes in [.basic, .all] as [PasswordCredential.Schemes] {
            let (_, response) = try await session(Self.both, schemes).data(for: try URLRequest(origin))
            #expect(response.statusCode == 401)
        }
        #expect(sent(origin) == [basic("ada:here"), nil, basic("ada:here")])
    }
}
