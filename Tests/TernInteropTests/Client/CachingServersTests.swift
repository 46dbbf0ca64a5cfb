// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernEngine
import Testing

/// The cache of a session before nginx, and before Apache httpd, which caches itself.
@Suite(.serialized, .timeLimit(.minutes(1))) struct CachingServersTests {
    private static let text = (0..<200).map { "line \($0)\n" }.joined()

    private func session() -> Session {
        var configuration = SessionConfiguration()
        configuration.urlCache = Tern.URLCache()
        return Session(configuration: configuration)
    }

    /// The body, or the status code of an answer that is none, and how the cache handled the request.
    private func get(
        _ session: Session, _ url: String, _ fields: HeaderFields = [:]
    ) async throws -> (body: String, status: CacheStatus) {
        var request = try Tern.URLRequest(string: url)
        request.headers = fields
        let task = await RecordedTask.run(session, request)
        #expect(task.error == nil)
        let status = try #require(task.metrics?.cacheStatus)
        let isSuccess = task.status == 200 || task.status == 206
        return (isSuccess ? String(decoding: task.body, as: UTF8.self) : "\(task.status ?? 0)", status)
    }

    /// What the server has logged of the paths that begin so, once it has logged all of it.
    private func log(_ log: LineLog, _ prefix: String, until last: String) async -> [String] {
        #expect(await log.waitFor { $0.contains { $0.contains(last) } })
        return log.lines.filter { $0.contains("GET \(prefix)") }
    }

    @Test func `nginx is asked once for what is fresh, and confirms what is not`() async throws {
        let coding = "expires 60s; gzip on; gzip_types text/plain; gzip_min_length 1; types { text/plain txt; }"
        let server = try await NginxServer(
            files: [
                "fresh/a": Data("first".utf8), "checked/a": Data("first".utf8),
                "coded/a.txt": Data(Self.text.utf8), "unvaried/a.txt": Data(Self.text.utf8),
                "confirmed/a.txt": Data(Self.text.utf8),
            ],
            directives: """
                location /fresh/ { expires 60s; }
                location /checked/ { add_header Cache-Control no-cache; }
                location /coded/ { \(coding) gzip_vary on; }
                location /unvaried/ { \(coding) }
                location /confirmed/ { add_header Cache-Control no-cache; gzip on; gzip_types text/plain;
                    gzip_min_length 1; types { text/plain txt; } }
                """)
        let session = session()
        for _ in 0..<2 { #expect(try await get(session, server.url("/fresh/a")).body == "first") }
        let part = try await get(session, server.url("/fresh/a"), ["Range": "bytes=1-2"])
        #expect(part.body == "ir" && part.status.isHit)

        #expect(try await get(session, server.url("/checked/a")).body == "first")
        let confirmed = try await get(session, server.url("/checked/a"))
        #expect(confirmed.body == "first" && confirmed.status.forwardStatusCode == 304)
        try server.write(Data("second".utf8), to: "checked/a")
        let changed = try await get(session, server.url("/checked/a"))
        #expect(changed.body == "second" && changed.status.forward == .stale && changed.status.isStored)
        #expect(try await get(session, server.url("/checked/a")).status.forwardStatusCode == 304)

        // By the rules of `Vary`, and without a `Vary`, which nginx leaves out by default.
        for folder in ["coded", "unvaried"] {
            let url = server.url("/\(folder)/a.txt")
            for isHit in [false, true] {
                let answer = try await get(session, url)
                #expect(answer.body == Self.text && answer.status.isHit == isHit)
            }
            let part = try await get(session, url, ["Range": "bytes=5-8"])
            #expect(part.body == "0\nli" && part.status.forward == .varyMiss, "\(folder)")
            let plain = try await get(session, url, ["Accept-Encoding": "identity"])
            #expect(plain.body == Self.text && plain.status.forward == .varyMiss, "\(folder)")
            #expect(try await get(session, url).status.isHit)
        }
        // nginx makes the tag of a coded response weak, and confirms it by the strong one.
        let url = server.url("/confirmed/a.txt")
        for code in [nil, 304, 304] {
            let answer = try await get(session, url)
            #expect(answer.body == Self.text && answer.status.forwardStatusCode == code)
        }

        #expect(try await get(session, server.url("/ok?end")).body == "ok")
        #expect(await log(server.accessLog, "/fresh/", until: "/ok?end").count == 1)
        let statusCodes = server.accessLog.lines.filter { $0.contains("GET /checked/") }.map {
            $0.split(separator: " ")[2]
        }
        #expect(statusCodes == ["200", "304", "200", "304"])
        #expect(server.accessLog.lines.count { $0.contains("GET /coded/") } == 3)
    }

    @Test func `Apache httpd is asked once for what is fresh, and confirms what is not`() async throws {
        let server = try await ApacheServer(
            files: ["fresh/a": "first", "checked/a": "first", "end": "end"], modules: ["headers"],
            directives: """
                CustomLog /dev/stdout "%>s %m %U"
                <Location /fresh>
                Header set Cache-Control max-age=60
                </Location>
                <Location /checked>
                Header set Cache-Control no-cache
                </Location>
                """)
        let session = session()
        for isHit in [false, true] {
            let answer = try await get(session, server.url("/fresh/a"))
            #expect(answer.body == "first" && answer.status.isHit == isHit)
        }
        let part = try await get(session, server.url("/fresh/a"), ["Range": "bytes=-2"])
        #expect(part.body == "st" && part.status.isHit)
        for code in [nil, 304] {
            #expect(try await get(session, server.url("/checked/a")).status.forwardStatusCode == code)
        }
        try server.write("second", to: "checked/a")
        #expect(try await get(session, server.url("/checked/a")).body == "second")
        _ = try await get(session, server.url("/end"))
        #expect(
            await log(server.accessLog, "/", until: "/end") == [
                "200 GET /fresh/a", "200 GET /checked/a", "304 GET /checked/a", "200 GET /checked/a", "200 GET /end",
            ])
    }

    @Test func `the age that Apache's cache states counts`() async throws {
        // As old as if another cache had had it for 30 seconds.
        let backend = try await NginxServer(
            directives: """
                location = /aged { add_header Cache-Control max-age=60; add_header Age 30; return 200 "aged"; }
                """)
        let server = try await ApacheServer(
            files: ["cache/x": ""], modules: ["cache", "cache_disk", "proxy", "proxy_http"],
            directives: """
                CacheRoot FOLDER/cache
                CacheEnable disk /
                CacheQuickHandler on
                ProxyPass / http://127.0.0.1:\(backend.port)/
                """)
        // Each has a cache of its own: Apache's answers the second.
        for session in [session(), session()] {
            let first = try await get(session, server.url("/aged"))
            #expect(first.body == "aged" && first.status.isStored)
            let second = try await get(session, server.url("/aged"))
            #expect(second.body == "aged" && second.status.isHit)
            #expect((1...30).contains(second.status.timeToLive ?? 60), "\(second.status)")
        }
        _ = try await get(session(), backend.url("/ok?end"))
        #expect(await log(backend.accessLog, "/aged", until: "/ok?end").count == 1)
    }
}
