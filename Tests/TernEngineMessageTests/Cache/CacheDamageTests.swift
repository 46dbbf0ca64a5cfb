// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import Synchronization
import TernFiles
import TernHTTP1
import TernTesting
import TestPrograms
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Whatever is in a cache's folder, the answer has the right bytes: from there, or from the server.
@Suite(.timeLimit(.minutes(1))) struct CacheDamageTests {
    private let files: CacheFiles
    private let time = Time()
    private let origin: ScriptedOrigin

    private final class Time: Sendable {
        // 2026-01-01T00:00:00Z
        let seconds = Atomic<Int64>(1_767_225_600)
    }

    init() throws {
        files = try CacheFiles()
        origin = try ScriptedOrigin { _, request in
            [.respond(fields: [("Cache-Control", "max-age=6000"), ("ETag", "\"1\"")], body: "right \(request.target)")]
        }
    }

    /// Nothing of it stays in memory.
    private func open(_ files: CacheFiles? = nil, memory: Int = 0) throws -> URLCache {
        let folder = try CacheFolder(path: (files ?? self.files).path, capacity: 1 << 24)
        return URLCache(memoryCapacity: memory, folder: folder) { [time] in time.seconds.load(ordering: .relaxed) }
    }

    private func session(_ cache: URLCache) -> Session { Session.limited { $0.urlCache = cache } }

    private func check(_ session: Session, _ note: Comment, _ location: SourceLocation = #_sourceLocation) async {
        do {
            let body = try await session.text(URLRequest(origin))
            #expect(body == "right /", note, sourceLocation: location)
        } catch {
            Issue.record(error, note, sourceLocation: location)
        }
    }

    /// A line with the checksum that belongs to it.
    private static func sealed(_ line: [UInt8]) -> [UInt8] {
        let text = Array(line.dropLast(18))
        return text + [UInt8(0x20)] + CacheRecords.checksum(text[...]) + [UInt8(0x0A)]
    }

    @Test(arguments: ["records", "sealed records", "content", "usage"])
    func `a file that is damaged at any byte, or cut off there, costs a request at most`(kind: String) async throws {
        let cache = try open()
        let session = session(cache)
        await check(session, "intact")
        cache.flush()
        let (records, content) = (try #require(files.records.first), try #require(files.contents.first))
        let path = kind == "content" ? content : kind == "usage" ? files.path + "/tern-usage" : records
        let intact = [records, content].map { ($0, files.bytes($0)) }
        let original = files.bytes(path)
        for index in original.indices {
            let changed = original[..<index] + [original[index] ^ 1] + original[(index + 1)...]
            let variants =
                kind == "sealed records" ? [Self.sealed(Array(changed))] : [Array(changed), Array(original[..<index])]
            for variant in variants {
                // What was fetched meanwhile goes.
                for path in files.records + files.contents { OutputFile.remove(path) }
                for (path, bytes) in intact { try files.write(bytes, to: path) }
                try files.write(variant, to: path)
                await check(session, "\(kind), byte \(index) of \(variant.count)")
                cache.flush()
            }
        }
        #expect(cache.diskError == nil)
    }

    @Test func `numbers in records that cannot be end no process`() async throws {
        let cache = try open()
        let session = session(cache)
        await check(session, "intact")
        cache.flush()
        let (path, content) = (try #require(files.records.first), try #require(files.contents.first))
        let (original, bytes) = (files.bytes(path), files.bytes(content))
        let large: [Int64] = [.max, .max - 1, .max / 8 * 7, 1 << 62, 1 << 56, 1 << 40, 1 << 33, -1, .min, .min + 1, 0]
        let odd = ["9223372036854775808", "99999999999999999999", "+5", "", "0x7"]
        let numbers = large.map { "\($0)" } + odd
        for field in 2...4 {
            for number in numbers {
                var parts = original.dropLast(18).split(separator: 0x20, omittingEmptySubsequences: false).map {
                    Array($0)
                }
                parts[field] = Array(number.utf8)
                try files.write(bytes, to: content)
                try files.write(Self.sealed(Array(parts.joined(separator: [0x20])) + original.suffix(18)), to: path)
                for _ in 0..<2 { await check(session, "field \(field): \(number)") }
                cache.flush()
                cache.removeAllCachedResponses()
                cache.flush()
            }
        }
        #expect(cache.diskError == nil)
    }

    /// Files that say to be larger than any disk, on file systems that allow them.
    @Test func `sizes that cannot be end no process`() async throws {
        // In memory there is one.
        let parent = "/dev/shm/tern-cache-\(UInt64.random(in: 0 ... .max))"
        let isMade = unsafe mkdir(parent, 0o700) == 0
        defer { if isMade { try? FileManager.default.removeItem(atPath: parent) } }
        let files = try CacheFiles(in: isMade ? parent : nil)
        let cache = try open(files)
        let session = session(cache)
        await check(session, "intact")
        cache.flush()
        let (path, content) = (try #require(files.records.first), try #require(files.contents.first))
        let original = files.bytes(path)
        for size in [Int64.max - 4096, 7 << 60, 1 << 44, 1 << 40] {
            for number in 0..<3 {
                let name = number == 0 ? content : "\(path)-sparse\(number)"
                let file = try OutputFile.createTemporary(FilePath.temporary(beside: content), permissions: 0o600)
                // Where that is too large it is left out.
                if (try? file.truncate(to: size)) != nil { try file.replace(name) }
            }
            let length = size - size / 65_536 * 8 - 32
            for length in [size, length, length - 8 * (length / 65_536)] {
                var parts = original.dropLast(18).split(separator: 0x20, omittingEmptySubsequences: false).map {
                    Array($0)
                }
                parts[2] = Array("\(length)".utf8)
                try files.write(Self.sealed(Array(parts.joined(separator: [0x20])) + original.suffix(18)), to: path)
                await check(session, "\(size)")
            }
            OutputFile.remove(files.path + "/tern-usage")
            #expect(try open(files).currentDiskUsage >= 0)
            cache.flush()
        }
        cache.removeAllCachedResponses()
        cache.flush()
    }

    /// Puts something else in the place of a file, or a folder.
    private enum Place: String, CaseIterable { case records, content, part, usage, lock, folder }

    private enum Thing: String, CaseIterable { case nothing, folder, pipe, linkToFile, linkToFolder, danglingLink }

    private func put(_ thing: Thing, at path: String) throws {
        try? FileManager.default.removeItem(atPath: path)
        let elsewhere = files.folder.path + "/elsewhere"
        switch thing {
        case .nothing: break
        case .folder: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        case .pipe: unsafe mkfifo(path, 0o600)
        case .linkToFile: unsafe symlink(elsewhere + "/file", path)
        case .linkToFolder: unsafe symlink(elsewhere, path)
        case .danglingLink: unsafe symlink(elsewhere + "/none", path)
        }
    }

    @Test(arguments: Place.allCases, Thing.allCases)
    private func `what is in the place of a file spoils no request, and nothing elsewhere`(
        place: Place, thing: Thing
    ) async throws {
        let elsewhere = files.folder.path + "/elsewhere"
        try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: true)
        let key = CacheRecord.key(of: origin.url("/"))
        // Old files with names of every kind.
        let names = ["file", key, key + "-abc", key + ".lock", ".tern-abc", "ab"]
        for name in names {
            try files.write(Array("mine".utf8), to: "\(elsewhere)/\(name)")
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: "\(elsewhere)/\(name)")
        }
        let cache = try open()
        let session = session(cache)
        await check(session, "intact")
        cache.flush()
        let records = try #require(files.records.first)
        let path =
            switch place {
            case .records: records
            case .content: try #require(files.contents.first)
            case .part: FilePath.folder(of: records)
            case .usage: files.path + "/tern-usage"
            case .lock: records + ".lock"
            case .folder: files.path
            }
        try put(thing, at: path)
        for _ in 0..<2 {
            await check(session, "\(place) \(thing)")
            cache.flush()
        }
        // An error is a sentence, and no name of a case.
        if let error = cache.diskError { #expect("\(error)".contains(" "), "\(error)") }
        // A sweep, and one that evicts.
        _ = try? CacheUsageFile(folder: files.path).change { $0.size = 1 << 60 }
        await check(session, "\(place) \(thing), swept")
        try cache.removeCachedResponse(for: URLRequest(origin))
        cache.diskCapacity = 1
        cache.removeAllCachedResponses()
        cache.flush()
        await check(session, "\(place) \(thing), removed")
        cache.flush()
        // A link in place of the folder is what the program names; nothing of it is removed.
        if place != .folder { #expect(FilePath.names(in: elsewhere).sorted() == names.sorted()) }
        for name in names { #expect(files.text("\(elsewhere)/\(name)") == "mine", "\(name)") }
    }

    @Test func `a part of the folder that is a link is not followed, and what it leads to stays`() async throws {
        let elsewhere = files.folder.path + "/elsewhere"
        try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: true)
        for name in ["a", ".hidden", ".lock", "x.lock", ".tern-1"] {
            try files.write([1], to: "\(elsewhere)/\(name)")
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: "\(elsewhere)/\(name)")
        }
        _ = try open()
        for part in (0..<256).map({ String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }) + ["zz", "a.", "AB"] {
            unsafe symlink(elsewhere, "\(files.path)/\(part)")
        }
        OutputFile.remove(files.path + "/tern-usage")
        let cache = try open()
        let session = session(cache)
        for _ in 0..<2 { await check(session, "linked") }
        cache.flush()
        #expect(FilePath.names(in: elsewhere).count == 5)
        #expect(cache.diskError as? URLCacheError != nil && cache.currentDiskUsage == 0)
    }

    @Test func `a clock that jumps back and forth makes no answer wrong`() async throws {
        let cache = try open(memory: 1 << 20)
        let session = session(cache)
        var generator = SeededGenerator(seed: 7)
        let jumps: [Int64] = [1, 59, 60, 61, 3600, 86_400, 1 << 31, 1 << 40]
        for _ in 0..<200 {
            let jump = jumps.randomElement(using: &generator) ?? 0
            time.seconds.add(Bool.random(using: &generator) ? jump : -jump, ordering: .relaxed)
            await check(session, "\(time.seconds.load(ordering: .relaxed))")
            if Int.random(in: 0..<4, using: &generator) == 0 { cache.flush() }
        }
        #expect(cache.diskError == nil)
    }

    @Test func `a folder that goes away, comes again and is another one is used as it is`() async throws {
        let cache = try open()
        let session = session(cache)
        for round in 0..<6 {
            await check(session, "round \(round)")
            cache.flush()
            switch round % 3 {
            case 0: try FileManager.default.removeItem(atPath: files.path)
            case 1: for path in files.all { OutputFile.remove(path) }
            default: unsafe chmod(files.path, 0o500)
            }
        }
        unsafe chmod(files.path, 0o700)
    }
}

extension Processes {
    @Suite struct CacheFullDiskTests {
        private var program: String {
            get throws {
                let runner = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
                return URL(filePath: runner).deletingLastPathComponent().appending(path: "CacheProgram").path
            }
        }

        @Test(.disabled(if: Sanitizer.isWatching, "ThreadSanitizer ends a process whose files may not grow"))
        func `a body that does not fit on the disk arrives whole, and is fetched again`() async throws {
            let origin = try ScriptedOrigin { _, _ in
                [.respond(fields: [("Cache-Control", "max-age=60")], body: String(repeating: "x", count: 200_000))]
            }
            let folder = try TestFolder()
            let result = try await Command.run(
                [
                    "bash", "-c", "ulimit -f 64; exec \"$0\" fetch \"$1\" \"$2\"", program, folder.path + "/cache",
                    origin.url("/"),
                ])
            #expect(result.output == "200000, true\n200000, true\n")
            #expect(origin.requests.count == 2)
        }
    }
}
