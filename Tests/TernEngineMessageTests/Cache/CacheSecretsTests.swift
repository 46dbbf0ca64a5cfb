// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernFiles
import TernHTTP1
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// A cache's folder holds what servers answer, and no secret of a request.
@Suite(.timeLimit(.minutes(1))) struct CacheSecretsTests {
    private let files: CacheFiles

    init() throws { files = try CacheFiles() }

    private static let secrets = [
        "Bearer-Secret", "Cookie-Secret", "Key-Secret", "Query-Secret", "User-Secret", "Password-Secret",
        // The name and the password above, as Basic sends them.
        "VXNlci1TZWNyZXQ6UGFzc3dvcmQtU2VjcmV0",
    ]

    private func origin(varying names: String) throws -> ScriptedOrigin {
        try ScriptedOrigin { connection, request in
            [
                .respond(
                    fields: [("Cache-Control", "max-age=60"), ("Vary", names), ("ETag", "\"1\"")],
                    body: "\(connection).\(request.index)")
            ]
        }
    }

    private func request(_ origin: ScriptedOrigin, _ change: (inout HeaderFields) -> Void = { _ in }) throws
        -> TernEngine.URLRequest
    {
        var request = try URLRequest(origin, "/?token=Query-Secret")
        request.headers.append("Authorization", "Bearer Bearer-Secret")
        request.headers.append("Cookie", "session=Cookie-Secret; b=2")
        request.headers.append("X-Api-Key", "Key-Secret")
        change(&request.headers)
        return request
    }

    private func session(_ cache: URLCache) -> Session { Session.limited { $0.urlCache = cache } }

    /// The secrets that any file of the folder holds.
    private var found: [String] {
        let texts = files.all.map { files.text($0) + " \($0)" }
        return Self.secrets.filter { secret in texts.contains { $0.contains(secret) } }
    }

    @Test func `the values of fields that Vary names are in no file, and still decide what answers`() async throws {
        let origin = try origin(varying: "Authorization, Cookie, X-Api-Key, X-Absent")
        let first = try files.open()
        #expect(try await session(first).text(request(origin)) == "1.0")
        first.flush()
        #expect(files.records.count == 1 && files.contents.count == 1)
        #expect(found == [])
        // Another process.
        let other = session(try files.open())
        #expect(try await other.text(request(origin)) == "1.0")
        for name in ["Cookie", "X-Api-Key", "X-Absent"] {
            let sent = try await other.text(request(origin) { $0[name] = "other" })
            #expect(sent != "1.0", "\(name)")
        }
        #expect(try await other.text(request(origin)) == "1.0")
        #expect(origin.requests.count == 4)
    }

    @Test func `a credential, and the userinfo of a URL, are in no file`() async throws {
        let origin = try origin(varying: "Authorization")
        let cache = try files.open()
        var request = try URLRequest(origin)
        request.credential = PasswordCredential(user: "User-Secret", password: "Password-Secret")
        _ = try await session(cache).data(for: request)
        let text = origin.url("/2").replacing("http://", with: "http://User-Secret:Password-Secret@")
        _ = try await session(cache).data(for: try URLRequest(string: text))
        cache.flush()
        #expect(files.records.count == 2)
        #expect(found == [])
    }

    /// A line of the first version, which held the values themselves.
    private func oldRecord(_ url: String, _ name: String, content: [UInt8], _ fields: String) -> [UInt8] {
        let head = "HTTP/1.1%20200%20OK%0D%0ACache-Control:%20max-age%3D600%0D%0AVary:%20Cookie%0D%0A%0D%0A"
        let now = Int64(Date().timeIntervalSince1970)
        let line = "tern1 \(name) \(content.count) \(now) \(now) 0.0 \(url) \(fields) \(head)"
        return Array(line.utf8) + [0x20] + CacheRecords.checksum(Array(line.utf8)[...]) + [0x0A]
    }

    @Test func `records of the first version answer, and lose their secrets when the file is written`() async throws {
        let origin = try origin(varying: "Cookie")
        let cache = try files.open()
        let base = CacheScope.digest(of: [Array(origin.url("/").utf8)])
        let content = Array("old".utf8)
        let shard = "\(files.path)/\(base.prefix(2))"
        _ = try FilePath.createPrivateFolder(shard)
        try files.write(
            oldRecord(origin.url("/"), "abc", content: content, "vcookie=session%3DCookie-Secret"),
            to: "\(shard)/\(base)")
        let writer = try CacheFileWriter(OutputFile.createTemporary("\(shard)/.tern-x", permissions: 0o600))
        try writer.write(content.span)
        try writer.finish().moveIfAbsent(to: "\(shard)/\(base)-abc")
        let session = session(cache)
        var old = try URLRequest(origin)
        old.headers.append("Cookie", "session=Cookie-Secret")
        #expect(try await session.text(old) == "old")
        #expect(found == ["Cookie-Secret"])
        // Another variant is added.
        var other = try URLRequest(origin)
        other.headers.append("Cookie", "a=2")
        #expect(try await session.text(other) == "1.0")
        cache.flush()
        #expect(found == [])
        let process = self.session(try files.open())
        #expect(try await process.text(old) == "old")
        #expect(try await process.text(other) == "1.0")
    }
}
