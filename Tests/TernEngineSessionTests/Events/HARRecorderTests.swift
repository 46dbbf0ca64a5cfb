// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernFiles
import TernHTTP1
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// What an archive says of the tasks of a session, on every way through them. Each archive is compared with the
/// specification (HAR 1.2): its members, their types, and the sum of the times.
@Suite(.timeLimit(.minutes(1))) struct HARRecorderTests {
    private static let secret = "S3CRET"

    private let recorder = HARRecorder(creator: "test", version: "1")

    private func session(
        connections: Int = 1, _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) -> Session {
        .limited(to: connections) {
            $0.observers = [recorder]
            change(&$0)
        }
    }

    /// The entries of the archive, which has no secret and follows the specification.
    private func entries(_ recorder: HARRecorder? = nil) throws -> [JSONNode] {
        let bytes = (recorder ?? self.recorder).json()
        let log = try #require(try JSONReader.read(bytes)["log"])
        #expect(log["version"]?.string == "1.2" && log["creator"]?["name"]?.string == "test")
        #expect(log["creator"]?["version"]?.string == "1")
        #expect(!String(decoding: bytes, as: UTF8.self).contains(Self.secret))
        let entries = try #require(log["entries"]?.elements)
        for entry in entries { #expect(HARRules.violations(of: entry) == []) }
        return entries
    }

    private func comments(_ entries: [JSONNode]) -> [String] { entries.map { $0["comment"]?.string ?? "" } }

    private func statuses(_ entries: [JSONNode]) -> [Double] { entries.map { $0["response"]?["status"]?.number ?? -1 } }

    @Test func `a redirect and a login are an entry for each attempt, without a secret`() async throws {
        let origin = try ScriptedOrigin { _, request in
            if request.target.hasPrefix("/start") {
                let date = "Fri, 31-Dec-9999 23:59:59 GMT"
                let cookie = "sid=\(Self.secret); Path=/; Domain=127.0.0.1; HttpOnly; Expires=\(date)"
                let location =
                    "http://me:\(Self.secret)@\(request.value(of: "Host") ?? "")/in?jwt=\(Self.secret)&page=2"
                return [.respond(status: 302, fields: [("Location", location), ("Set-Cookie", cookie)], body: "")]
            }
            if request.value(of: "Authorization") != nil { return [.ok("in")] }
            return [.respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=\"r\"")], body: "")]
        }
        var request = try URLRequest(origin, "/start?access_token=\(Self.secret)&q=a%20b#\(Self.secret)")
        request.headers["Cookie"] = "a=\(Self.secret); b=\(Self.secret)"
        request.headers["X-Api-Key"] = Self.secret
        request.headers["X-Own"] = Self.secret
        request.headers["Referer"] = "http://x/?password=\(Self.secret)"
        request.sensitiveFields = ["X-Own"]
        request.credential = PasswordCredential(user: "me", password: Self.secret)
        #expect(try await session().text(request) == "in")
        let entries = try entries()
        #expect(statuses(entries) == [302, 401, 200])
        #expect(comments(entries) == ["302, redirect", "401, challenge", "200"])
        #expect(entries.map { $0["_hop"]?.number } == [0, 1, 2])
        #expect(entries.map { $0["_attempt"]?.number } == [1, 2, 3])
        #expect(Set(entries.map { $0["connection"]?.string }).count == 1)
        #expect(entries.map { $0["serverIPAddress"]?.string } == ["127.0.0.1", "127.0.0.1", "127.0.0.1"])
        let first = try #require(entries[0]["request"])
        #expect(first["url"]?.string == origin.url("/start?access_token=redacted&q=a%20b"))
        #expect(first.pairs("queryString") == ["access_token=redacted", "q=a b"])
        #expect(first.pairs("cookies") == ["a=redacted", "b=redacted"])
        #expect(first.pairs("headers").contains("X-Api-Key=redacted"))
        #expect(first.pairs("headers").contains("Referer=http://x/?password=redacted"))
        let moved = try #require(entries[0]["response"])
        #expect(moved["redirectURL"]?.string == origin.url("/in?jwt=redacted&page=2"))
        #expect(moved.pairs("cookies") == ["sid=redacted"])
        #expect(moved["cookies"]?.elements?.first?["path"]?.string == "/")
        #expect(moved["cookies"]?.elements?.first?["expires"]?.string == "9999-12-31T23:59:59.000Z")
        #expect(entries[2]["request"]?.pairs("headers").contains("Authorization=redacted") == true)
        #expect(entries[2]["response"]?["content"]?["size"]?.number == 2)
    }

    @Test func `a retry is an entry, and the attempt before says why`() async throws {
        let count = Lock(0)
        let origin = try ScriptedOrigin { _, _ in
            count.withLock { count in
                count += 1
                return count == 1 ? [.respond(status: 503, fields: [], body: "")] : [.ok()]
            }
        }
        let session = session {
            $0.retryPolicy = .standard
            $0.retryPolicy.backOff.base = .milliseconds(2)
        }
        _ = try await session.text(URLRequest(origin))
        let entries = try entries()
        #expect(comments(entries) == ["503, retry", "200"])
        #expect(entries.map { $0["_hop"]?.number } == [0, 0])
        // The second one needs no connection of its own.
        #expect(entries.map { ($0["timings"]?["connect"]?.number ?? 0) >= 0 } == [true, false])
    }

    @Test func `a hedge is an entry that says so, and the attempt that it overtakes has no status`() async throws {
        let count = Lock(0)
        let origin = try ScriptedOrigin { _, _ in
            count.withLock { count in
                count += 1
                return count == 1 ? [.hold, .ok()] : [.ok("second")]
            }
        }
        let session = session(connections: 8) {
            $0.retryPolicy.hedging = .after(.milliseconds(20))
            $0.retryPolicy.budget = nil
        }
        #expect(try await session.text(URLRequest(origin)) == "second")
        try origin.release()
        let entries = try entries()
        #expect(comments(entries) == ["cancelled", "200"] && statuses(entries) == [0, 200])
        #expect(entries.map { $0["_hedge"]?.value } == [nil, .boolean(true)])
        #expect(entries.map { $0["_attempt"]?.number } == [1, 2])
    }

    @Test func `an answer from the cache is an entry without a connection`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.respond(fields: [("Cache-Control", "max-age=60"), ("Server-Timing", "db")], body: "stored")]
        }
        let session = session { $0.urlCache = URLCache(memoryCapacity: 1 << 20) }
        for _ in 0..<2 { #expect(try await session.text(URLRequest(origin)) == "stored") }
        let entries = try entries()
        #expect(statuses(entries) == [200, 200])
        #expect(entries.map { $0["_fromCache"]?.string } == [nil, "cache"])
        #expect(entries[1]["_attempt"] == nil && entries[1]["connection"] == nil)
        #expect(entries[1]["response"]?["bodySize"]?.number == 0)
        #expect(entries[1]["cache"]?["comment"]?.string?.hasPrefix("Tern; hit") == true)
    }

    @Test func `a validation is the entry of the network and that of the cache`() async throws {
        let origin = try ScriptedOrigin { _, request in
            let fields = [("ETag", "\"1\""), ("Cache-Control", "no-cache")]
            return request.value(of: "If-None-Match") == nil
                ? [.respond(fields: fields, body: "stored")] : [.respond(status: 304, fields: fields)]
        }
        let session = session { $0.urlCache = URLCache(memoryCapacity: 1 << 20) }
        for _ in 0..<2 { #expect(try await session.text(URLRequest(origin)) == "stored") }
        let entries = try entries()
        #expect(statuses(entries) == [200, 304, 200], "\(comments(entries))")
    }

    @Test func `a connection that fails is an entry with status 0 and the kind of the failure`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        origin.stop()
        #expect(try await session().failure(of: URLRequest(origin)) != nil)
        let entries = try entries()
        #expect(statuses(entries) == [0] && entries[0]["response"]?["_error"]?.string == "unreachable")
        #expect(entries[0]["timings"]?["send"]?.number == 0 && entries[0]["connection"] == nil)
    }

    @Test func `a task that is cancelled leaves the entry of its attempt`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        let delegate = RecordingDelegate()
        let session = session()
        let task = session.dataTask(with: try URLRequest(origin, "/?a"), delegate: delegate)
        task.resume()
        #expect(await origin.waitFor { $0.requestCount == 1 })
        task.cancel()
        _ = await delegate.end()
        let entries = try entries()
        #expect(comments(entries) == ["cancelled"] && statuses(entries) == [0])
        #expect(entries[0]["_task"]?.number == Double(task.taskIdentifier))
        #expect(entries[0]["request"]?.pairs("queryString") == ["a="])
        try origin.release()
    }

    @Test func `the handshake is part of connecting, and a kept connection has neither`() async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: authority.issue()) { _, _ in [.ok()] }
        let session = try Session.trusting(authority) { $0.observers = [recorder] }
        for _ in 0..<2 { _ = try await session.text(URLRequest(origin, host: "localhost")) }
        let timings = try entries().compactMap { $0["timings"] }
        #expect(timings.count == 2)
        #expect((timings[0]["ssl"]?.number ?? 0) > 0)
        #expect((timings[0]["ssl"]?.number ?? 0) < (timings[0]["connect"]?.number ?? 0))
        for name in ["dns", "connect", "ssl"] { #expect(timings[1][name]?.number == -1) }
    }

    @Test func `content that is sent has its length`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let request = try URLRequest(origin, method: "POST", body: Data("password=\(Self.secret)".utf8))
        _ = try await session().text(request)
        #expect(try entries()[0]["request"]?["bodySize"]?.number == 15)
    }

    @Test func `the oldest entries are dropped, and counted`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let recorder = HARRecorder(maximumCount: 2, creator: "test", version: "1")
        let session = Session.limited { $0.observers = [recorder] }
        for number in 1...7 { _ = try await session.text(URLRequest(origin, "/\(number)")) }
        #expect((recorder.count, recorder.droppedCount) == (2, 5))
        #expect(try entries(recorder).map { $0["request"]?["url"]?.string } == [origin.url("/6"), origin.url("/7")])
        recorder.removeAll()
        #expect((recorder.count, recorder.droppedCount) == (0, 0))
        #expect(try entries(recorder) == [])
    }

    @Test func `a file has the archive, and only its owner may read it`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        _ = try await session().text(URLRequest(origin))
        let folder = try TestFolder()
        let file = folder.url("a.har")
        try recorder.write(to: file)
        #expect(try Array(Data(contentsOf: file)) == recorder.json())
        #expect(FileStatus(of: file.path)?.permissions == 0o600)
        #expect(throws: SystemCallError.self) { try recorder.write(to: file.appending(path: "b")) }
    }
}

/// What the specification requires of an entry.
private enum HARRules {
    private static let texts = [
        "startedDateTime", "request.method", "request.url", "request.httpVersion", "response.statusText",
        "response.httpVersion", "response.redirectURL", "response.content.mimeType",
    ]
    private static let integers = [
        "request.headersSize", "request.bodySize", "response.status", "response.headersSize", "response.bodySize",
        "response.content.size",
    ]
    private static let lists = [
        "request.cookies", "request.headers", "request.queryString", "response.cookies", "response.headers",
    ]

    static func violations(of entry: JSONNode) -> [String] {
        var wrong = texts.filter { entry.at($0)?.string == nil }
        wrong += integers.filter { entry.at($0)?.number?.rounded() != entry.at($0)?.number ?? .nan }
        for list in lists {
            let pairs = entry.at(list)?.elements
            if pairs?.allSatisfy({ $0["name"]?.string != nil && $0["value"]?.string != nil }) != true {
                wrong.append(list)
            }
        }
        if case .object? = entry["cache"]?.value {} else { wrong.append("cache") }
        let names = ["blocked", "dns", "connect", "send", "wait", "receive"]
        let times = names.map { entry.at("timings.\($0)")?.number ?? .nan }
        if !times.allSatisfy({ $0 >= 0 || $0 == -1 }) || times[3...].contains(where: { $0 < 0 }) {
            wrong.append("timings")
        }
        if (entry.at("timings.ssl")?.number ?? .nan) > times[2] { wrong.append("ssl") }
        let sum = times.filter { $0 > 0 }.reduce(0, +)
        if abs(sum - (entry["time"]?.number ?? .nan)) > 1e-6 { wrong.append("time") }
        let date = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/
        if entry["startedDateTime"]?.string?.wholeMatch(of: date) == nil { wrong.append("date") }
        return wrong
    }
}

extension JSONNode {
    fileprivate subscript(name: String) -> JSONNode? {
        if case .object(let members) = value { members.first { $0.name == name }?.node } else { nil }
    }

    fileprivate func at(_ path: String) -> JSONNode? {
        path.split(separator: ".").reduce(self as JSONNode?) { $0?[String($1)] }
    }

    fileprivate var string: String? { if case .string(let text) = value { text } else { nil } }
    fileprivate var number: Double? { if case .number(let text) = value { Double(text) } else { nil } }
    fileprivate var elements: [JSONNode]? { if case .array(let nodes) = value { nodes } else { nil } }

    fileprivate func pairs(_ name: String) -> [String] {
        (self[name]?.elements ?? []).map { "\($0["name"]?.string ?? "?")=\($0["value"]?.string ?? "?")" }
    }
}
