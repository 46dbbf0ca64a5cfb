// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Sessions that record what servers answer, and play it.
@Suite(.timeLimit(.minutes(1))) struct CassetteTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private static func session(_ cassette: Cassette, _ change: (inout SessionConfiguration) -> Void = { _ in })
        -> Session
    {
        .limited {
            $0.cassette = cassette
            change(&$0)
        }
    }

    /// Has `body` use a session that records, and then, when the origin is gone, one that plays. Returns the results of both.
    private func twice<Result: Sendable>(
        _ script: @escaping ScriptedOrigin.Script, matching: Cassette.Matching = Cassette.Matching(),
        change: (inout SessionConfiguration) -> Void = { _ in },
        body: (Session, ScriptedOrigin) async throws -> Result
    ) async throws -> (recorded: Result, played: Result, cassette: Cassette, origin: ScriptedOrigin) {
        let origin = try ScriptedOrigin(script: script)
        let recorder = Cassette()
        let recorded = try await body(Self.session(recorder, change), origin)
        try recorder.write(to: folder.url("cassette"))
        origin.stop()
        let count = origin.connectionCount
        let player = try Cassette(contentsOf: folder.url("cassette"), matching: matching)
        #expect(player.count == recorder.count)
        let played = try await body(Self.session(player, change), origin)
        #expect(origin.connectionCount == count)
        return (recorded, played, player, origin)
    }

    private func file() throws -> String { String(decoding: try #require(folder.content("cassette")), as: UTF8.self) }

    private func events(of session: Session, _ origin: ScriptedOrigin, _ path: String) async throws -> [String] {
        let delegate = RecordingDelegate()
        session.dataTask(with: try URLRequest(origin, path), delegate: delegate).resume()
        let record = await delegate.end()
        let events = record.events.filter { if case .body = $0 { false } else { true } }
        return events.map { "\($0)" } + [
            String(decoding: record.body, as: UTF8.self), "\(record.error?.reason.kind.rawValue ?? "")",
        ]
    }

    @Test(arguments: ["/early", "/chunked", "/gzip", "/empty", "/cut", "/long"])
    func `a program is told of a played response what it was told of the recorded one`(_ path: String) async throws {
        let long = [UInt8](repeating: UInt8(ascii: "a"), count: 3_000_000)
        let (recorded, played, cassette, _) = try await twice { _, request in
            switch request.target {
            case "/early":
                [.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 X\r\n\r\n"), .ok("text")]
            case "/chunked": [.chunked(["a", "b"], trailers: [("X-Sum", "1"), ("Content-Length", "1")])]
            case "/gzip": [.respond(fields: [("Content-Encoding", "gzip")], body: ZlibCoder.gzip(Array("text".utf8)))]
            case "/cut": [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"), .close]
            case "/long": [.respond(body: long)]
            default: [.respond(status: 204, fields: [("X-Empty", "")])]
            }
        } body: { session, origin in
            try await events(of: session, origin, path)
        }
        #expect(recorded == played)
        #expect(cassette.unplayed == [])
        if path == "/gzip" { #expect(try file().contains("base64")) }
    }

    @Test func `redirects, cookies, challenges and retries happen as they did`() async throws {
        let (recorded, played, cassette, _) = try await twice { _, request in
            switch request.target {
            case "/": [.respond(status: 302, fields: [("Location", "/login"), ("Set-Cookie", "id=17; Path=/")])]
            case "/login" where request.value(of: "Cookie") == nil: [.respond(status: 500)]
            case "/login" where request.value(of: "Authorization") == nil:
                [.respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=\"a\"")])]
            default: request.index < 3 ? [.respond(status: 503, fields: [("Retry-After", "0")])] : [.ok("in")]
            }
        } change: {
            $0.retryPolicy = .standard
            $0.httpCookieStorage = HTTPCookieStorage()
        } body: { session, origin in
            var request = try URLRequest(origin)
            request.credential = PasswordCredential(user: "ada", password: "secret")
            let delegate = RecordingDelegate()
            let task = session.dataTask(with: request, delegate: delegate)
            task.resume()
            let record = await delegate.end()
            return [String(decoding: record.body, as: UTF8.self), "\(task.metrics?.hops.count ?? 0)"]
                + (task.metrics?.hops.map { "\($0.statusCode ?? 0)" } ?? [])
        }
        #expect(recorded == played)
        #expect(recorded.first == "in")
        #expect(cassette.count == 4)
        #expect(cassette.unplayed == [])
    }

    @Test func `a recorded response answers once, in the order of recording`() async throws {
        let (_, played, cassette, origin) = try await twice { _, request in
            [.ok("\(request.index)")]
        } body: { session, origin in
            var texts: [String] = []
            for _ in 0..<3 { texts.append(try await session.text(try URLRequest(origin))) }
            return texts
        }
        #expect(played == ["0", "1", "2"])
        let session = Self.session(cassette)
        let request = try URLRequest(origin)
        let failure = try #require(await session.failure(of: request))
        #expect(failure.reason.kind == .notRecorded)
        #expect("\(failure)".contains("3 times, and all of that has been played"))
        cassette.rewind()
        #expect(try await session.text(request) == "0")
    }

    @Test(arguments: [
        ("GET", "/a", nil, MissingRecording.Rule.request), ("POST", "/b", "{\"a\":1,\"b\":[2]}", .request),
        ("PUT", "/a", "{\"a\":1,\"b\":[2]}", .request), ("POST", "/a", "{\"a\":1,\"b\":[3]}", .content),
        ("POST", "/a", nil, .content), ("POST", "/a", "{", .content),
    ])
    func `a request that was not recorded fails, and says what differs`(
        _ method: String, _ path: String, _ body: String?, _ rule: MissingRecording.Rule
    ) async throws {
        let (_, _, cassette, origin) = try await twice { _, _ in
            [.ok()]
        } body: { session, origin in
            var request = try URLRequest(origin, "/a", method: "POST", body: Data("{\"a\":1,\"b\":[2]}".utf8))
            request.headers["Content-Type"] = "application/json"
            return try await session.text(request)
        }
        cassette.rewind()
        var request = try URLRequest(origin, path, method: method, body: body.map { Data($0.utf8) })
        request.headers["Content-Type"] = "application/json"
        let failure = try #require(await Self.session(cassette).failure(of: request))
        guard case .request(.notRecorded(let missing)) = failure.reason else {
            Issue.record("\(failure)")
            return
        }
        #expect(missing.rule == rule)
        #expect(failure.wasSent == false)
    }

    @Test func `JSON is compared by what it says, a form without its boundary, a named field with its value`()
        async throws
    {
        var matching = Cassette.Matching()
        matching.fields = ["X-Version"]
        let (_, _, cassette, origin) = try await twice({ _, _ in [.ok()] }, matching: matching) { session, origin in
            for (type, body) in [
                ("application/json", "{\"a\":1,\"b\":[2]}"),
                ("multipart/form-data; boundary=1234", "--1234\r\n\r\na\r\n--1234--"),
            ] {
                var request = try URLRequest(origin, "/", method: "POST", body: Data(body.utf8))
                request.headers["Content-Type"] = type
                request.headers["X-Version"] = "1"
                _ = try await session.text(request)
            }
            return 0
        }
        cassette.rewind()
        let session = Self.session(cassette)
        var request = try URLRequest(origin)
        for (type, body) in [
            ("application/json", " {\"b\": [2], \"a\": 1}"),
            ("multipart/form-data; boundary=\"x\"", "--x\r\n\r\na\r\n--x--"),
        ] {
            request.httpMethod = "POST"
            request.headers["Content-Type"] = type
            request.httpBody = Data(body.utf8)
            request.headers["X-Version"] = "2"
            #expect("\(try #require(await session.failure(of: request)))".contains("another X-Version"))
            request.headers["X-Version"] = "1"
            #expect(await session.failure(of: request) == nil, "\(type)")
        }
    }

    @Test func `a file has no secret, and what had one is played`() async throws {
        let coded = ZlibCoder.gzip(Array("{\"access_token\":\"hunter2\",\"code\":\"kept\"}".utf8))
        let (recorded, played, cassette, _) = try await twice { _, request in
            let location = "/next?code=hunter2&page=1"
            let secrets = [("Set-Cookie", "sid=hunter2; Path=/"), ("X-Session", "hunter2")]
            return switch request.index {
            case 0: [.respond(status: 307, fields: [("Location", location)] + secrets)]
            case 1:
                [.respond(fields: [("Content-Type", "application/json"), ("Content-Encoding", "gzip")], body: coded)]
            default: [.json("{\"list\": [{\"password\" : \"hunter2\", \"n\": 1}], \"token\": null}")]
            }
        } change: {
            $0.sensitiveFields = ["X-Session"]
            $0.httpCookieStorage = HTTPCookieStorage()
        } body: { session, origin in
            var request = try URLRequest(
                origin, "/?api_key=hunter2", method: "POST", body: Data("user=ada&password=hunter2".utf8))
            request.headers["Content-Type"] = "application/x-www-form-urlencoded"
            request.headers["Authorization"] = "Bearer hunter2"
            request.headers["X-Own"] = "hunter2"
            request.sensitiveFields.insert("X-Own")
            return [try await session.text(request), try await session.text(try URLRequest(origin, "/list"))]
        }
        let file = try file()
        #expect(!file.contains("hunter2"))
        #expect(file.contains("user=ada&password=redacted") && file.contains("sid=redacted; Path=/"))
        #expect(
            recorded == [
                "{\"access_token\":\"hunter2\",\"code\":\"kept\"}",
                "{\"list\": [{\"password\" : \"hunter2\", \"n\": 1}], \"token\": null}",
            ])
        #expect(played == recorded.map { $0.replacing("hunter2", with: "redacted") })
        #expect(cassette.unplayed == [])
    }

    @Test func `a session that plays opens no connection`() async throws {
        let (_, _, cassette, _) = try await twice { _, _ in
            [.ok()]
        } body: { session, origin in
            try await session.text(try URLRequest(origin))
        }
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Self.session(cassette)
        let stream = session.streamTask(withHostName: "127.0.0.1", port: Int(origin.port))
        stream.resume()
        let failure = await #expect(throws: SessionError.self) {
            _ = try await stream.readData(ofMinLength: 1, maxLength: 1, timeout: .seconds(10))
        }
        #expect(failure?.reason.kind == .egressRefused)
        var upgrade = try URLRequest(origin)
        upgrade.headers["Upgrade"] = "echo"
        let refused = await #expect(throws: SessionError.self) { _ = try await session.upgrade(for: upgrade) }
        #expect(refused?.reason.kind == .notRecorded)
        #expect(
            await session.failure(of: try URLRequest(origin, host: "no-such-host.test"))?.reason.kind == .notRecorded)
        #expect(origin.connectionCount == 0)
    }

    @Test func `sessions share a cassette, and a cache stores what is played`() async throws {
        let (recorded, played, cassette, _) = try await twice { _, request in
            [.respond(fields: [("Cache-Control", "max-age=60")], body: request.target)]
        } change: {
            $0.urlCache = URLCache(memoryCapacity: 1_000_000)
            $0.httpMaximumConnectionsPerHost = 8
        } body: { session, origin in
            let sessions = [session, Session(configuration: session.configuration)]
            var texts: [String] = []
            // The second time each session asks for what the other has stored: what is asked for twice at a time may be sent
            // twice.
            for round in 0..<2 {
                texts += try await withThrowingTaskGroup(of: String.self) { group in
                    for number in 0..<100 {
                        let request = try URLRequest(origin, "/\(number)")
                        group.addTask { try await sessions[(number + round) % 2].text(request) }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }.sorted()
                }
            }
            return texts
        }
        #expect(recorded == played)
        #expect(cassette.unplayed == [])
    }

    @Test func `content that does not lie in memory is not compared`() async throws {
        try folder.write("content", to: "file")
        let file = folder.path + "/file"
        let (recorded, played, _, _) = try await twice { _, request in
            [.ok(String(decoding: request.body, as: UTF8.self))]
        } body: { session, origin in
            let request = try URLRequest(origin, "/", method: "PUT")
            return String(decoding: try await session.upload(for: request, from: .file(path: file)).0, as: UTF8.self)
        }
        #expect(recorded == "content")
        #expect(played == recorded)
    }

    @Test func `a cassette without a response to a request that is lost has none`() async throws {
        let origin = try ScriptedOrigin { connection, _ in connection == 1 ? [.reset] : [.ok("text")] }
        let cassette = Cassette()
        let session = Self.session(cassette)
        #expect(await session.failure(of: try URLRequest(origin, method: "POST")) != nil)
        #expect(cassette.count == 0)
        _ = try await session.text(try URLRequest(origin))
        #expect(cassette.count == 1)
    }
}
