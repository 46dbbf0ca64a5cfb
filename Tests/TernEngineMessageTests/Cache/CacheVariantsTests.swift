// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernFiles
import TernHTTP1
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// A server chooses how many variants of a URL it makes, and how long their heads are. What a request costs is bounded.
@Suite(.timeLimit(.minutes(1))) struct CacheVariantsTests {
    private static let limit = 32

    private func request(_ language: Int?, _ url: String = "http://a.test/") throws -> TernEngine.URLRequest {
        var request = try URLRequest(string: url)
        if let language { request.headers.append("Accept-Language", "\(language)") }
        return request
    }

    private func response(_ request: TernEngine.URLRequest, _ body: String, padding: Int = 0) throws
        -> CachedURLResponse
    {
        var fields: HeaderFields = ["Cache-Control": "max-age=60", "Vary": "Accept-Language"]
        if padding > 0 { fields.append("X-Padding", String(repeating: "x", count: padding)) }
        return CachedURLResponse(
            response: try HTTPURLResponse(url: request.url, statusCode: 200, headers: fields), data: Data(body.utf8))
    }

    /// Stores variants 0, 1, 2 and so on.
    private func fill(_ cache: URLCache, _ count: Int, padding: Int = 0) throws {
        for number in 0..<count {
            let request = try request(number)
            cache.storeCachedResponse(try response(request, "\(number)", padding: padding), for: request)
        }
        cache.flush()
    }

    private func stored(in cache: URLCache, of count: Int) throws -> [Int] {
        try (0..<count).filter { number in
            let found = try cache.cachedResponse(for: request(number))
            #expect(found == nil || found.map { String(decoding: $0.data, as: UTF8.self) } == "\(number)")
            return found != nil
        }
    }

    @Test func `a URL has a limited number of variants in memory, the latest ones`() throws {
        let cache = URLCache(memoryCapacity: 1 << 22)
        try fill(cache, 100)
        #expect(try stored(in: cache, of: 100) == Array(68..<100))
        // Other URLs have their own.
        let other = try request(1, "http://a.test/2")
        cache.storeCachedResponse(try response(other, "x"), for: other)
        #expect(try stored(in: cache, of: 100).count == Self.limit)
    }

    @Test func `a head that grows with each confirmation counts as large as it is`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.value(of: "If-None-Match") == nil
                ? [.respond(fields: [("Cache-Control", "max-age=0"), ("ETag", "\"1\"")], body: "x")]
                : [.send("HTTP/1.1 304 X\r\nETag: \"1\"\r\nX-Large: \(String(repeating: "y", count: 9000))\r\n\r\n")]
        }
        let cache = URLCache(memoryCapacity: 100_000)
        let session = Session.limited { $0.urlCache = cache }
        for path in 0..<20 {
            for _ in 0..<2 { _ = try await session.data(for: URLRequest(origin, "/\(path)")) }
        }
        #expect(cache.currentMemoryUsage > 50_000 && cache.currentMemoryUsage <= 100_000)
    }

    @Test func `a variant that is used stays`() throws {
        let cache = URLCache(memoryCapacity: 1 << 22)
        try fill(cache, Self.limit)
        _ = try cache.cachedResponse(for: request(0))
        let new = try request(99)
        cache.storeCachedResponse(try response(new, "99"), for: new)
        #expect(try stored(in: cache, of: 100) == [0] + Array(2..<Self.limit) + [99])
    }

    /// Content that is missing is noticed when it is opened.
    @Test(arguments: [true, false])
    func `a look-up opens the content of the response that matches, and of no other`(matches: Bool) throws {
        let files = try CacheFiles()
        try fill(try files.open(), Self.limit)
        let records = try #require(files.records.first)
        let before = files.bytes(records)
        #expect(CacheRecords(before).records.count == Self.limit)
        let third = try #require(CacheRecords(before).records.dropFirst(3).first)
        for path in files.contents where !path.hasSuffix(third.contentName) { OutputFile.remove(path) }
        let cache = try files.open()
        // The newest record comes first.
        let found = try cache.cachedResponse(for: request(matches ? Self.limit - 4 : nil))
        #expect((found != nil) == matches)
        cache.flush()
        let isUnchanged = files.bytes(records) == before
        #expect(isUnchanged)
    }

    @Test func `a look-up takes one content into memory, and a task keeps no other`() async throws {
        let files = try CacheFiles()
        let origin = try ScriptedOrigin { connection, request in
            [
                .respond(
                    fields: [("Cache-Control", "max-age=60"), ("Vary", "Accept-Language")],
                    body: String(repeating: "\(connection)", count: 100_000))
            ]
        }
        let filling = Session.limited { [cache = try files.open()] in $0.urlCache = cache }
        for number in 0..<8 {
            var request = try URLRequest(origin)
            request.headers.append("Accept-Language", "\(number)")
            _ = try await filling.data(for: request)
        }
        filling.configuration.urlCache?.flush()
        let cache = try files.open()
        let session = Session.limited { $0.urlCache = cache }
        var other = try URLRequest(origin)
        other.headers.append("Accept-Language", "other")
        other.cachePolicy = .returnCacheDataDontLoad
        let task = session.dataTask(with: other, delegate: RecordingDelegate())
        #expect(await session.failure(of: other)?.reason.kind == .notCached)
        withExtendedLifetime(task) {}
        #expect(cache.currentMemoryUsage == 0)
        var one = try URLRequest(origin)
        one.headers.append("Accept-Language", "3")
        _ = try await session.data(for: one)
        #expect((100_000..<110_000).contains(cache.currentMemoryUsage))
        #expect(origin.requests.count == 8)
    }

    @Test func `nothing stored and nothing that matches are told apart, with a folder and without`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.respond(fields: [("Cache-Control", "max-age=60"), ("Vary", "Accept-Language")], body: "a")]
        }
        for cache in [URLCache(), try CacheFiles().open()] {
            let session = Session.limited { $0.urlCache = cache }
            for (number, expected) in [(0, "fwd=uri-miss; stored"), (1, "fwd=vary-miss; stored"), (1, "hit")] {
                var request = try URLRequest(origin)
                request.headers.append("Accept-Language", "\(number)")
                let delegate = RecordingDelegate()
                let task = session.dataTask(with: request, delegate: delegate)
                task.resume()
                _ = await delegate.end()
                #expect(task.metrics?.cacheStatus.map { "\($0)".hasPrefix("Tern; \(expected)") } == true)
                cache.flush()
            }
        }
    }

    @Test func `the records of a URL are bounded in bytes, and the latest ones stay`() throws {
        let files = try CacheFiles()
        try fill(try files.open(), 10, padding: 40_000)
        let length = files.bytes(try #require(files.records.first)).count
        #expect((240_000...262_144).contains(length))
        #expect(try stored(in: try files.open(memory: 0), of: 10) == Array(4..<10))
        #expect(files.contents.count == 6)
    }

    @Test func `a response whose record alone is too long is stored in memory alone`() throws {
        let files = try CacheFiles()
        let cache = try files.open(memory: 1 << 22)
        try fill(cache, 1)
        try fill(cache, 2, padding: 270_000)
        #expect(cache.diskError == nil)
        #expect(try stored(in: cache, of: 2) == [0, 1])
        // What it has replaced does not come back.
        #expect(try stored(in: files.open(), of: 2) == [])
        #expect(files.records.isEmpty && files.contents.isEmpty)
    }

    @Test func `records that are longer than they may be are replaced`() throws {
        let files = try CacheFiles()
        try fill(try files.open(), 1)
        let records = try #require(files.records.first)
        try files.write(Array(repeating: UInt8(ascii: "x"), count: 1 << 20), to: records)
        let cache = try files.open()
        #expect(try stored(in: cache, of: 2) == [])
        try fill(cache, 2)
        #expect(cache.diskError == nil)
        #expect(try stored(in: files.open(), of: 2) == [0, 1])
    }

    @Test func `a response that varies by too many fields is not stored`() async throws {
        let origin = try ScriptedOrigin { _, request in
            let names = (0..<(request.target == "/64" ? 64 : 65)).map { "X-\($0)" }.joined(separator: ", ")
            let long = String(repeating: "x", count: 8193)
            return [
                .respond(
                    fields: [("Cache-Control", "max-age=60"), ("Vary", request.target == "/long" ? long : names)],
                    body: "a")
            ]
        }
        let session = Session.limited { $0.urlCache = URLCache() }
        for (path, count) in [("/64", 1), ("/65", 2), ("/long", 2)] {
            let before = origin.requests.count
            for _ in 0..<2 { _ = try await session.data(for: URLRequest(origin, path)) }
            #expect(origin.requests.count - before == count, "\(path)")
        }
    }

    @Test(arguments: ["Cache-Control", "Connection"])
    func `a list that is longer than any server's is not read, and its response not stored`(name: String) async throws {
        let origin = try ScriptedOrigin { _, request in
            let element = name == "Connection" ? "x" : "y=1"
            let value =
                switch request.target {
                case "/64": Array(repeating: element, count: 63).joined(separator: ",")
                case "/65": Array(repeating: element, count: 65).joined(separator: ",")
                default: String(repeating: "x", count: 8193)
                }
            let fields = [(name: name, value: name == "Connection" ? value : "max-age=60, \(value)")]
            return [
                .respond(fields: fields + (name == "Connection" ? [("Cache-Control", "max-age=60")] : []), body: "a")
            ]
        }
        let session = Session.limited { $0.urlCache = URLCache() }
        for (path, count) in [("/64", 1), ("/65", 2), ("/long", 2)] {
            let before = origin.requests.count
            for _ in 0..<2 { #expect(try await session.text(URLRequest(origin, path)) == "a") }
            #expect(origin.requests.count - before == count, "\(path)")
        }
    }

    @Test func `the bytes of a head stay what they are, stored, validated and in part`() async throws {
        let odd = (0x80...0xFF).map { UInt8($0) }
        let origin = try ScriptedOrigin { _, request in
            let isConditional = request.value(of: "If-None-Match") != nil
            let start = "HTTP/1.1 \(isConditional ? 304 : 200) \r\nETag: \"1\"\r\nCache-Control: max-age=60\r\n"
            let field = Array((isConditional ? "X-New: " : "x-ODD: ").utf8) + odd + Array("\r\n".utf8)
            let end = isConditional ? "\r\n" : "Content-Length: 4\r\nAge: 1\r\nAge: 2\r\n\r\nbody"
            return [.send(Array(start.utf8) + field + Array(end.utf8))]
        }
        let session = Session.limited { $0.urlCache = URLCache() }
        func head(_ change: (inout TernEngine.URLRequest) -> Void = { _ in }) async throws -> ResponseHead {
            var request = try URLRequest(origin)
            change(&request)
            return try await session.data(for: request).1.head
        }
        for _ in 0..<2 { #expect(try await head().bytes(for: "X-Odd") == [odd]) }
        #expect(try await head().values(for: "Age").count == 1)
        #expect(try await head { $0.httpMethod = "HEAD" }.bytes(for: "X-Odd") == [odd])
        let part = try await head { $0.headers.append("Range", "bytes=1-2") }
        #expect(part.status == 206 && part.bytes(for: "X-Odd") == [odd] && part.values(for: "Content-Length") == ["2"])
        #expect(try await head { $0.headers.append("Range", "bytes=9-") }.status == 416)
        let validated = try await head { $0.cachePolicy = .reloadRevalidatingCacheData }
        #expect(validated.bytes(for: "X-Odd") == [odd] && validated.bytes(for: "X-New") == [odd])
        #expect(validated.values(for: "ETag") == ["\"1\""] && validated.contentLength == 4)
        #expect(try await head().bytes(for: "x-new") == [odd])
        #expect(origin.requests.count == 2)
    }
}
