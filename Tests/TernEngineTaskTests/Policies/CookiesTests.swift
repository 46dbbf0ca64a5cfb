// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

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
        // This machine is secure without TLS.
        #expect(cookies(origin) == [nil, "b=2; a=1; c=3", "a=1; c=3"])
    }

    /// Redirect, jar, file, and the next request of a session that read the file.
    @Test(arguments: [[0xE9], [0x80, 0xFF], [0x63, 0xA9, 0xC3], Array("é".utf8), Array(0x80...0xFF)] as [[UInt8]])
    func `the bytes of a value come back as they came, whatever they are`(bytes: [UInt8]) async throws {
        let origin = try ScriptedOrigin { _, request in
            guard request.target == "/" else { return [.ok()] }
            let head = "HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 0\r\nSet-Cookie: n="
            return [.send(Array(head.utf8) + bytes + Array("; Max-Age=100\r\n\r\n".utf8))]
        }
        let folder = try TestFolder()
        let file = folder.url("jar")
        for path in ["/", "/again"] {
            let saved = try HTTPCookieStorage(file: file)
            let session = Session.limited { $0.httpCookieStorage = saved }
            var request = try URLRequest(origin, path)
            request.headers.append(HeaderField(name: "Cookie", bytes: [0x6F, 0x3D] + bytes))
            _ = try await session.data(for: request)
            try saved.save()
        }
        let (own, stored) = ([0x6F, 0x3D] + bytes, [0x6E, 0x3D] + bytes)
        let joined = stored + [0x3B, 0x20] + own
        #expect(origin.requests.map { $0.bytes(of: "Cookie") } == [own, joined, joined])
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

    @Test func `a Cookie field of the request's own is sent behind stored ones, as far as redirects let it`()
        async throws
    {
        let target = try ScriptedOrigin { _, _ in [.ok()] }
        let source = try ScriptedOrigin { _, request in
            let location = request.target == "/" ? "/again" : "http://localhost:\(target.port)/"
            return [.respond(status: 302, fields: [("Location", location), ("Set-Cookie", "stored=1; Path=/")])]
        }
        storage.setCookie(try #require(HTTPCookie(name: "jar", value: "1", domain: "localhost")))
        var request = try URLRequest(source)
        request.headers["Cookie"] = "own=1"
        _ = try await session.data(for: request)
        #expect(cookies(source) == ["own=1", "stored=1; own=1"])
        #expect(cookies(target) == ["jar=1"])
    }

    @Test func `cookies of the same name are both sent, stored ones first, in one field`() async throws {
        let origin = try ScriptedOrigin { _, request in
            switch request.target {
            case "/": [.respond(status: 302, fields: [("Location", "/2"), ("Set-Cookie", "a=changed; Path=/")])]
            case "/2": [.respond(status: 302, fields: [("Location", "/3"), ("Set-Cookie", "a=; Max-Age=0; Path=/")])]
            default: [.ok()]
            }
        }
        storage.setCookie(try #require(HTTPCookie(name: "a", value: "stored", domain: "127.0.0.1")))
        var request = try URLRequest(origin)
        request.headers.append("Cookie", "a=own")
        request.headers.append("cookie", "b=2")
        _ = try await session.data(for: request)
        let fields = origin.requests.map { $0.values(of: "Cookie") }
        #expect(fields == [["a=stored; a=own; b=2"], ["a=changed; a=own; b=2"], ["a=own", "b=2"]])
    }

    @Test func `a request that is sent again has its own field once`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.value(of: "Expect") == nil ? [.ok()] : [.respond(status: 417, fields: [("Set-Cookie", "a=1")])]
        }
        storage.setCookie(try #require(HTTPCookie(name: "jar", value: "1", domain: "127.0.0.1")))
        var request = try URLRequest(origin)
        request.httpMethod = "POST"
        request.httpBody = Data("x".utf8)
        request.headers["Expect"] = "100-continue"
        request.headers["Cookie"] = "own=1"
        _ = try await session.data(for: request)
        #expect(cookies(origin) == ["jar=1; own=1", "jar=1; a=1; own=1"])
    }

    @Test func `preparing again adds nothing twice`() throws {
        var configuration = SessionConfiguration()
        configuration.httpCookieStorage = storage
        let policy = try #require(Cookies(of: configuration))
        storage.setCookie(try #require(HTTPCookie(name: "jar", value: "1", domain: "a.test")))
        for own in ["own=1", nil] {
            var request = try URLRequest(string: "http://a.test/")
            request.headers["Cookie"] = own
            var history = TaskHistory(request)
            for round in 0..<3 {
                guard case .change(let changed, nil) = policy.prepare(Hop(request: history.request), &history) else {
                    Issue.record("round \(round): nothing was added")
                    return
                }
                #expect(changed.headers["Cookie"] == (own.map { "jar=1; " + $0 } ?? "jar=1"))
                _ = history.prepare(as: changed)
            }
            storage.removeCookies(since: .distantPast)
            guard case .ready = policy.prepare(Hop(request: history.request), &history) else {
                Issue.record("something was added")
                return
            }
            storage.setCookie(try #require(HTTPCookie(name: "jar", value: "1", domain: "a.test")))
        }
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

    /// A permanent redirect to itself, whose Set-Cookie makes no other request of the next one.
    @Test(arguments: ["no storage", "not sent", "not stored", "not stored by the storage", "not handled"])
    func `a cookie that does not come back makes no other request`(_ setting: String) async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.respond(status: 301, fields: [("Location", "/"), ("Set-Cookie", "a=1")])]
        }
        let session = Session.limited { [storage] in
            $0.httpCookieStorage = setting == "no storage" ? nil : storage
            $0.httpShouldSetCookies = setting != "not sent"
            if setting == "not stored" { $0.httpCookieAcceptPolicy = .never }
        }
        if setting == "not stored by the storage" { storage.cookieAcceptPolicy = .never }
        var changed = try URLRequest(origin)
        changed.httpShouldHandleCookies = setting != "not handled"
        let request = changed
        let error = await #expect(throws: SessionError.self) { try await session.data(for: request) }
        guard case .transfer(.redirect(.loop)) = error?.reason else {
            Issue.record("\(setting): \(String(describing: error))")
            return
        }
        #expect(origin.requests.count == 2)
    }

    @Test func `a cookie that comes back makes another request, up to the limit`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.respond(status: 301, fields: [("Location", "/"), ("Set-Cookie", "a=1")])]
        }
        let (session, request) = (session, try URLRequest(origin))
        let error = await #expect(throws: SessionError.self) { try await session.data(for: request) }
        guard case .transfer(.redirect(.tooMany(limit: 20))) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}

extension ReceivedRequest {
    /// The bytes of the value of the first field of this name, as it was spelled.
    fileprivate func bytes(of name: String) -> [UInt8]? {
        let line = head.split(separator: 0x0A).first { $0.starts(with: Array("\(name): ".utf8)) }
        return line.map { Array($0.dropFirst(name.utf8.count + 2).dropLast()) }
    }
}
