// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine

@Suite(.timeLimit(.minutes(1))) struct CookiesTests {
    private let storage = HTTPCookieStorage()

    private var session: Session { Session.limited { [storage] in $0.httpCookieStorage = storage } }

    private func cookies(_ origin: ScriptedOrigin) -> [String?] { origin.requests.map { $0.value(of: "Cookie") } }

    @Test func `what a response sets goes along with the next request`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [
                .respond(
                    status: 200,
                    fields: [("Set-Cookie", "a=1"), ("set-cookie", "b=2; Path=/x"), ("Set-Cookie", "c=3; Secure")])
            ]
        }
        let session = session
        for path in ["/", "/x", "/"] { _ = try await session.data(for: try URLRequest(origin, path)) }
        #expect(cookies(origin) == [nil, "b=2; a=1", "a=1"])
    }

    @Test func `a session without a storage keeps none, and sessions may share one`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 200, fields: [("Set-Cookie", "a=1")])] }
        let (with, other, without) = (session, session, Session.limited())
        for session in [without, without, with, other] { _ = try await session.data(for: try URLRequest(origin)) }
        #expect(cookies(origin) == [nil, nil, nil, "a=1"])
    }

    @Test func `a redirect sets a cookie, and the request that follows takes it along`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/"
                ? [.respond(status: 302, fields: [("Location", "/next"), ("Set-Cookie", "a=1")])] : [.ok()]
        }
        _ = try await session.data(for: try URLRequest(origin))
        #expect(cookies(origin) == [nil, "a=1"])
    }

    @Test func `each host of a chain gets its own cookies and no other's`() async throws {
        let target = try ScriptedOrigin { _, _ in [.respond(status: 200, fields: [("Set-Cookie", "theirs=1")])] }
        let source = try ScriptedOrigin { _, _ in
            [
                .respond(
                    status: 302, fields: [("Location", "http://localhost:\(target.port)/"), ("Set-Cookie", "ours=1")])
            ]
        }
        let session = session
        for _ in 0..<2 { _ = try await session.data(for: try URLRequest(source)) }
        #expect(cookies(source) == [nil, "ours=1"])
        #expect(cookies(target) == [nil, "theirs=1"])
    }

    @Test func `a Cookie field of the request's own is sent instead, as far as redirects let it`() async throws {
        let target = try ScriptedOrigin { _, _ in [.ok()] }
        let source = try ScriptedOrigin { _, request in
            let location = request.target == "/" ? "/again" : "http://localhost:\(target.port)/"
            return [.respond(status: 302, fields: [("Location", location), ("Set-Cookie", "stored=1; Path=/")])]
        }
        storage.setCookie(try #require(HTTPCookie(name: "jar", value: "1", domain: "localhost")))
        var request = try URLRequest(source)
        request.headers["Cookie"] = "own=1"
        _ = try await session.data(for: request)
        #expect(cookies(source) == ["own=1", "own=1"])
        #expect(cookies(target) == ["jar=1"])
    }

    @Test func `a request that does not handle cookies sends none and takes none`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 200, fields: [("Set-Cookie", "b=2")])] }
        storage.setCookie(try #require(HTTPCookie(name: "a", value: "1", domain: "127.0.0.1")))
        var request = try URLRequest(origin)
        request.httpShouldHandleCookies = false
        _ = try await session.data(for: request)
        #expect(cookies(origin) == [nil])
        #expect(storage.cookies?.map(\.name) == ["a"])
    }

    @Test func `a request that is sent again after a refusal takes the refusal's cookie along`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.value(of: "Expect") == nil
                ? [.ok()] : [.respond(status: 417, fields: [("Set-Cookie", "a=1")])]
        }
        var request = try URLRequest(origin)
        request.httpMethod = "POST"
        request.httpBody = Data("x".utf8)
        request.headers["Expect"] = "100-continue"
        _ = try await session.data(for: request)
        #expect(cookies(origin) == [nil, "a=1"])
    }

    @Test func `a repeated request drops the cookie that ended`() async throws {
        let origin = try ScriptedOrigin { _, request in
            switch request.target {
            case "/": [.respond(status: 302, fields: [("Location", "/a"), ("Set-Cookie", "a=1")])]
            case "/a": [.respond(status: 302, fields: [("Location", "/b"), ("Set-Cookie", "a=; Max-Age=0")])]
            default: [.ok()]
            }
        }
        _ = try await session.data(for: try URLRequest(origin))
        #expect(cookies(origin) == [nil, "a=1", nil])
    }
}
