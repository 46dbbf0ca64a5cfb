// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Synchronization
import TernFiles
import TernHTTP1
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Caches of several processes on one folder, and what each notes there.
@Suite(.timeLimit(.minutes(1))) struct CacheSharingTests {
    private let files: CacheFiles
    private let time = Time()

    private final class Time: Sendable {
        // 2026-01-01T00:00:00Z
        let seconds = Atomic<Int64>(1_767_225_600)
    }

    init() throws { files = try CacheFiles() }

    private func open() throws -> URLCache {
        let folder = try CacheFolder(path: files.path, capacity: 1 << 24)
        return URLCache(memoryCapacity: 1 << 20, folder: folder) { [time] in time.seconds.load(ordering: .relaxed) }
    }

    private func advance(by seconds: Int64) { time.seconds.add(seconds, ordering: .relaxed) }

    private func origin() throws -> ScriptedOrigin {
        let count = Atomic<Int>(0)
        return try ScriptedOrigin { _, request in
            if request.method != "GET" { return [.ok("done")] }
            let number = count.add(1, ordering: .relaxed).newValue
            return [.respond(fields: [("Cache-Control", "max-age=6000")], body: "\(number)")]
        }
    }

    private func session(_ cache: URLCache) -> Session { Session.limited { $0.urlCache = cache } }

    @Test(arguments: [false, true])
    func `what one cache has removed answers in another for a second at most`(removesAll: Bool) async throws {
        let origin = try origin()
        let (one, other) = (try open(), try open())
        let (first, second) = (session(one), session(other))
        let request = try URLRequest(origin)
        #expect(try await first.text(request) == "1")
        one.flush()
        #expect(try await second.text(request) == "1")
        // This one is in the memory of one cache alone.
        let mine = try URLRequest(string: "http://mine.test/")
        other.storeCachedResponse(
            CachedURLResponse(
                response: try HTTPURLResponse(url: mine.url, statusCode: 200, headers: ["Cache-Control": "max-age=60"]),
                data: Data("mine".utf8), storagePolicy: .allowedInMemoryOnly), for: mine)
        if removesAll {
            one.removeAllCachedResponses()
        } else {
            _ = try await first.data(for: URLRequest(origin, method: "POST"))
        }
        one.flush()
        advance(by: 2)
        // The folder is looked at beside this request.
        _ = try await second.text(request)
        other.flush()
        #expect(try await second.text(request) == "2")
        #expect(try await second.text(mine) == "mine")
        other.flush()
        // Neither what others store, nor what the cache removes itself, costs it its memory.
        #expect(try await first.text(URLRequest(origin, "/2")) == "3")
        try other.removeCachedResponse(for: URLRequest(origin, "/3"))
        one.flush()
        other.flush()
        advance(by: 2)
        #expect(try await second.text(request) == "2")
        other.flush()
        #expect(other.currentMemoryUsage > 1000)
    }

    private var record: String { get throws { try #require(files.records.first) } }

    private func age(_ path: String) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: path)
    }

    private func isOld(_ path: String) -> Bool {
        FileStatus(of: path).map { $0.modificationTime < Int64(Date().timeIntervalSince1970) - 3600 } ?? false
    }

    @Test func `a use is noted in the folder, at most once a minute, and with others`() async throws {
        let origin = try origin()
        let cache = try open()
        let session = session(cache)
        let request = try URLRequest(origin)
        for path in ["/", "/2"] { _ = try await session.data(for: URLRequest(origin, path)) }
        cache.flush()
        for record in files.records { try age(record) }
        for _ in 0..<10 {
            for path in ["/", "/2"] { _ = try await session.data(for: URLRequest(origin, path)) }
        }
        cache.flush()
        #expect(!files.records.contains { isOld($0) })
        for record in files.records { try age(record) }
        advance(by: 59)
        _ = try await session.data(for: request)
        cache.flush()
        #expect(files.records.allSatisfy { isOld($0) })
        advance(by: 1)
        _ = try await session.data(for: request)
        cache.flush()
        #expect(files.records.count { isOld($0) } == 1)
        // A clock that is set back.
        for record in files.records { try age(record) }
        advance(by: -3600)
        _ = try await session.data(for: request)
        cache.flush()
        #expect(files.records.count { isOld($0) } == 1)
        #expect(origin.requests.count == 2 || origin.requests.count == 3)
    }

    /// Asks the cache when it ends.
    private final class Curious: Sendable {
        private let cache: URLCache

        init(_ cache: URLCache) { self.cache = cache }

        deinit { #expect(cache.currentMemoryUsage >= 0) }
    }

    @Test func `what the program keeps beside a response may use the cache when it ends`() throws {
        let cache = URLCache()
        for number in 0..<1100 {
            let request = try URLRequest(string: "http://a.test/\(number)")
            let response = try HTTPURLResponse(url: request.url, statusCode: 200, headers: [:])
            cache.storeCachedResponse(
                CachedURLResponse(response: response, data: Data(), userInfo: ["a": Curious(cache)]), for: request)
        }
        cache.removeAllCachedResponses()
        #expect(cache.currentMemoryUsage == 0)
    }

    @Test func `many uses are remembered in a limited table`() {
        var uses = CacheUses()
        var started = 0
        for number in 0..<20_000 where uses.note("\(number)", of: "http://a.test/\(number)", now: 0) { started += 1 }
        #expect(started == 1)
        let due = uses.take()
        #expect((1...4096).contains(due.count) && Set(due).count == due.count)
        let rest = uses.take()
        #expect(rest.isEmpty)
        let isNoted = [30, 59, 60].map { uses.note("19999", of: "http://a.test/19999", now: $0) }
        #expect(isNoted == [false, false, true])
    }
}
