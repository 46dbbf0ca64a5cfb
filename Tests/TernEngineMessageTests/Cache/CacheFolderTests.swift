// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernFiles
import TernHTTP1
import TernLock
import TestPrograms
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(1))) struct CacheFolderTests {
    private let folder: TestFolder
    private let path: String

    init() throws {
        folder = try TestFolder()
        path = folder.path + "/cache"
    }

    private func open(capacity: Int64 = 1 << 24) throws -> CacheFolder {
        try CacheFolder(path: path, capacity: capacity)
    }

    private func response(
        _ url: String, _ content: [UInt8], varying: [StoredResponse.VaryingField] = [], scope: String = "0.0",
        time: Int64 = 1_767_225_600, fields: HeaderFields = ["ETag": "\"1\""]
    ) throws -> StoredResponse {
        StoredResponse(
            url: url, scope: scope, varyingFields: varying, head: try ResponseHead(status: 200, fields: fields),
            requestTime: time, responseTime: time, contentLength: Int64(content.count),
            contentName: StoredResponse.makeContentName())
    }

    @discardableResult
    private func store(_ url: String, _ content: [UInt8], in cache: CacheFolder, time: Int64 = 1_767_225_600) throws
        -> StoredResponse
    {
        let response = try response(url, content, time: time)
        let writer = try cache.makeContent()
        try writer.write(content.span)
        try cache.store(response, writer)
        return response
    }

    private func content(_ url: String, in cache: CacheFolder) -> [UInt8]? {
        cache.responses(for: url).first.flatMap { cache.content(of: $0) }.flatMap { try? $0.readAll() }
    }

    /// All files but the marker.
    private var files: [String] {
        let paths = FilePath.names(in: path).filter { $0.count == 2 }
        return paths.flatMap { shard in FilePath.names(in: path + "/" + shard).map { "\(path)/\(shard)/\($0)" } }
    }

    private func pattern(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 251) }
    }

    @Test(arguments: [0, 1, 63, 64, 65, 65_535, 65_536, 65_537, 300_000])
    func `what is stored is found again, by another object and at each offset`(count: Int) throws {
        let (content, url) = (pattern(count), "http://a.test/\(count)?x=%20")
        let stored = try store(url, content, in: try open())
        let other = try open()
        let found = try #require(other.responses(for: url).first)
        #expect(found.contentName == stored.contentName && found.head.encoded == stored.head.encoded)
        let file = try #require(other.content(of: found))
        #expect(try file.readAll() == content)
        for offset in stride(from: 0, to: count, by: max(1, count / 7)) {
            for size in [1, 1000, 65_536, 131_072] {
                var buffer = [UInt8](repeating: 0, count: size)
                let read = try unsafe buffer.withUnsafeMutableBytes {
                    try unsafe file.read(into: $0, at: Int64(offset))
                }
                #expect(read > 0 && Array(buffer[..<read]) == Array(content[offset..<(offset + read)]))
            }
        }
        #expect(folder.permissions("cache") == 0o700)
    }

    @Test func `records keep every byte of a head, and of the fields that Vary names`() throws {
        let cache = try open()
        let bytes = (0x80...0xFF).map { UInt8($0) }
        let varying: [StoredResponse.VaryingField] = [
            .init(name: "a", value: .clear(bytes)), .init(name: "b", value: nil), .init(name: "c", value: .clear([])),
        ]
        let fields = HeaderFields([
            HeaderField(name: "X", bytes: bytes), HeaderField(name: "Set-Cookie", value: "a=1; b"),
        ])
        let stored = try response("http://a.test/é", [], varying: varying, scope: "ab.any", fields: fields)
        try cache.store(stored, try cache.makeContent())
        let found = try #require(cache.responses(for: "http://a.test/é").first)
        #expect(found.varyingFields == varying && found.scope == "ab.any" && found.head.encoded == stored.head.encoded)
    }

    @Test func `a response replaces the one that answers the same requests, and no other`() throws {
        let cache = try open()
        let url = "http://a.test/"
        for (value, text) in [("en", "one"), ("fr", "deux"), ("en", "two")] {
            let varying = [StoredResponse.VaryingField(name: "accept-language", value: .clear(Array(value.utf8)))]
            let writer = try cache.makeContent()
            try writer.write(Array(text.utf8).span)
            try cache.store(try response(url, Array(text.utf8), varying: varying), writer)
        }
        let found = cache.responses(for: url).compactMap { cache.content(of: $0) }.compactMap { try? $0.readAll() }
        #expect(found.map { String(decoding: $0, as: UTF8.self) }.sorted() == ["deux", "two"])
        #expect(files.count == 3)
        let first = try #require(cache.responses(for: url).first)
        let updated = StoredResponse(
            url: url, scope: first.scope, varyingFields: first.varyingFields, head: first.head,
            requestTime: first.requestTime, responseTime: first.responseTime + 10, contentLength: first.contentLength,
            contentName: first.contentName)
        try cache.update(updated)
        #expect(cache.responses(for: url).first?.responseTime == updated.responseTime)
        cache.removeAll(since: updated.responseTime)
        cache.finishSweep()
        #expect(cache.responses(for: url).count == 1)
        cache.removeAll(for: url)
        #expect(cache.responses(for: url).isEmpty && files.isEmpty && cache.usage == 0)
    }

    private var records: [String] { files.filter { !Self.isContent($0) } }

    private static func isContent(_ path: String) -> Bool { path.split(separator: "/").last?.contains("-") == true }

    /// Never other bytes than those that were stored.
    @Test(arguments: [false, true], [false, true])
    func `a file that is cut off at any byte, or has another one, answers nothing wrong`(
        isCut: Bool, isContent: Bool
    ) throws {
        let (content, url) = (pattern(40), "http://a.test/")
        let cache = try open()
        var (index, isOver) = (0, false)
        while !isOver {
            cache.removeAll(for: url)
            try store(url, content, in: cache)
            let file = try #require(files.first { Self.isContent($0) == isContent })
            var damaged = try #require(try FileContent.read(file, limit: 1 << 20))
            guard index < damaged.count else { break }
            isOver = index == damaged.count - 1
            if isCut { damaged.removeSubrange(index...) } else { damaged[index] ^= 0x20 }
            try OutputFile.replace(file, by: damaged)
            let record = cache.responses(for: url).first
            #expect(record == nil || record?.head.values(for: "ETag") == ["\"1\""], "byte \(index)")
            let read = record.flatMap { cache.content(of: $0) }.flatMap { try? $0.readAll() }
            #expect(read == nil || read == content && isOver && isCut, "byte \(index)")
            index += 1
        }
    }

    @Test func `a damaged line spoils one line, and lines of other versions stay`() throws {
        let cache = try open()
        let url = "http://a.test/"
        try store(url, [1], in: cache)
        let file = try #require(records.first)
        let intact = try #require(try FileContent.read(file, limit: 1 << 20))
        try OutputFile.replace(file, by: Array("tern9 future\nnonsense \u{0}\n\n".utf8) + intact)
        #expect(cache.responses(for: url).count == 1)
        try store("http://a.test/", [2], in: cache)
        let text = String(decoding: try #require(try FileContent.read(file, limit: 1 << 20)), as: UTF8.self)
        #expect(text.hasPrefix("tern9 future\ntern2 ") && !text.contains("nonsense"))
        #expect(content(url, in: cache) == [2])
    }

    @Test func `what is least recently used goes first, and the limit holds`() throws {
        let cache = try open(capacity: 100_000)
        for index in 0..<30 {
            try store("http://a.test/\(index)", pattern(9000), in: cache)
            // The first one is used all the time.
            FilePath.touch(try #require(records.min()))
            cache.finishSweep()
            #expect(cache.usage <= 100_000)
        }
        let sizes = files.compactMap { FileStatus(of: $0)?.length }.reduce(0, +)
        #expect(cache.usage == sizes && sizes > 50_000)
        #expect(content("http://a.test/29", in: cache) != nil && content("http://a.test/1", in: cache) == nil)
        #expect(throws: Never.self) { try store("http://a.test/large", pattern(60_000), in: cache) }
        #expect(content("http://a.test/large", in: cache) == nil)
        cache.capacity = 20_000
        cache.finishSweep()
        #expect(cache.usage <= 20_000)
    }

    @Test func `two objects on one folder see what the other has stored and removed`() throws {
        let (one, other) = (try open(), try open())
        for index in 0..<20 {
            try store("http://a.test/\(index % 5)", [UInt8(index)], in: index % 2 == 0 ? one : other)
            #expect(content("http://a.test/\(index % 5)", in: index % 2 == 0 ? other : one) == [UInt8(index)])
        }
        one.removeAll(for: "http://a.test/1")
        #expect(content("http://a.test/1", in: other) == nil)
    }

    @Test func `a file is read to its end although it was removed meanwhile`() throws {
        let cache = try open()
        let stored = try store("http://a.test/", pattern(200_000), in: cache)
        let file = try #require(cache.content(of: stored))
        cache.removeAll(since: nil)
        #expect(try file.readAll() == pattern(200_000))
    }

    @Test func `a folder that was deleted is made again`() throws {
        let cache = try open()
        try FileManager.default.removeItem(atPath: path)
        #expect(cache.responses(for: "http://a.test/").isEmpty)
        try store("http://a.test/", [1], in: cache)
        #expect(content("http://a.test/", in: try open()) == [1])
    }

    @Test func `a folder that is none of a cache is refused, and stays as it is`() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try folder.write("mine", to: "cache/letter")
        #expect(throws: URLCacheError.notACache(path: path)) { try open() }
        #expect(folder.content("cache/letter") == Array("mine".utf8))
        #expect(throws: URLCacheError.notAFolder(path: path + "/letter")) {
            try CacheFolder(path: path + "/letter", capacity: 1)
        }
        let below = path + "/letter/cache"
        let error = #expect(throws: URLCacheError.self) { try CacheFolder(path: below, capacity: 1) }
        guard case .cannotOpen? = error else { return #expect(Bool(false), "\(String(describing: error))") }
        try FileManager.default.removeItem(atPath: path + "/letter")
        try folder.write("tern-cache 2\n", to: "cache/tern-cache")
        #expect(throws: URLCacheError.unsupportedVersion(path: path, found: "tern-cache 2\n")) { try open() }
        try folder.write(CacheFolder.version, to: "cache/tern-cache")
        try FileManager.default.setAttributes([.posixPermissions: 0o722], ofItemAtPath: path)
        #expect(throws: URLCacheError.exposed(path: path, mode: 0o722)) { try open() }
        // Nobody can write there.
        let readOnly = #expect(throws: URLCacheError.self) { try CacheFolder(path: "/proc/tern-cache", capacity: 1) }
        #expect("\(try #require(readOnly))".hasPrefix("cannot use /proc/tern-cache for a cache"))
    }

    @Test func `content that is not stored leaves no file`() throws {
        let cache = try open()
        do {
            let writer = try cache.makeContent()
            try writer.write(pattern(200_000).span)
            #expect(try writer.readAll() == pattern(200_000))
        }
        #expect(files.isEmpty && FilePath.names(in: path).sorted() == ["tern-cache", "tern-usage"])
    }
}

extension Processes {
    @Suite struct CacheFolderProcessesTests {
        private let folder: TestFolder
        private let path: String

        init() throws {
            folder = try TestFolder()
            path = folder.path + "/cache"
        }

        private var program: String {
            get throws {
                let runner = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
                return URL(filePath: runner).deletingLastPathComponent().appending(path: "CacheProgram").path
            }
        }

        private func start(_ seed: Int, output: @escaping TestProgram.Reader) throws -> TestProgram {
            try TestProgram(
                [program, "work", path, "\(seed)"], input: .pipe, limit: .seconds(50), output: output)
        }

        /// Each content says what it is, so that one of two halves is found.
        @Test func `processes that are killed at any moment leave nothing wrong`() async throws {
            let output = Lock<[UInt8]>([])
            let steady = try start(0) { data in output.withLock { $0 += data } }
            for round in 1...20 {
                // At some point after its first step.
                let (steps, wait) = AsyncStream<Int>.makeStream()
                let killed = try start(round) { data in
                    output.withLock { $0 += data }
                    if data.isEmpty { wait.finish() } else { wait.yield(data.count) }
                }
                var left = Int.random(in: 1...20)
                for await count in steps {
                    left -= count
                    if left <= 0 { killed.kill() }
                }
                #expect(await killed.ending() == .signalled(SIGKILL))
            }
            steady.closeInput()
            #expect(await steady.ending() == .exited(0))
            let text = String(decoding: output.withLock { $0 }, as: UTF8.self)
            #expect(text.filter { $0 != "." && $0 != "\n" } == "error: none")
            #expect(text.count { $0 == "." } > 20)
            let cache = try CacheFolder(path: path, capacity: 1 << 20)
            #expect(cache.usage <= 1 << 20)
            for url in (0..<12).map({ "http://a.test/\($0)" }) {
                for response in cache.responses(for: url) {
                    _ = try #require(cache.content(of: response)).readAll()
                }
            }
        }

        @Test(.disabled(if: Sanitizer.isWatching, "ThreadSanitizer ends a process whose files may not grow"))
        func `a disk that is full loses the response that does not fit`() async throws {
            let result = try await Command.run(
                ["bash", "-c", "ulimit -f 64; exec \"$0\" full \"$1\"", program, path])
            #expect(result.output == "1: -1, true\n2: 1000, true\n")
        }
    }
}
