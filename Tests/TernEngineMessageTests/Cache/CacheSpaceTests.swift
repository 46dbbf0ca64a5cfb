// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernFiles
import TernHTTP1
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// The size of a cache's folder is known without looking at it, and what goes from it goes beside the requests.
@Suite(.timeLimit(.minutes(1))) struct CacheSpaceTests {
    private let files: CacheFiles

    init() throws { files = try CacheFiles() }

    private func store(
        _ numbers: Range<Int>, _ length: Int = 1000, in cache: URLCache, flushes: Bool = true
    ) throws {
        for number in numbers {
            let request = try URLRequest(string: "http://a.test/\(number)")
            let response = try HTTPURLResponse(
                url: request.url, statusCode: 200, headers: ["Cache-Control": "max-age=60"])
            cache.storeCachedResponse(
                CachedURLResponse(response: response, data: Data(repeating: 7, count: length)), for: request)
        }
        if flushes { cache.flush() }
    }

    private func isStored(_ number: Int, in cache: URLCache) throws -> Bool {
        try cache.cachedResponse(for: URLRequest(string: "http://a.test/\(number)")) != nil
    }

    /// What a sweep would remove: content of no record, and of long ago.
    private func leaveBait() throws -> String {
        let name = CacheRecord.key(of: "http://bait.test/")
        let folder = "\(files.path)/\(name.prefix(2))"
        _ = try FilePath.createPrivateFolder(folder)
        let path = "\(folder)/\(name)-abc"
        try files.write([1, 2, 3], to: path)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: path)
        return path
    }

    private func exists(_ path: String) -> Bool { FileStatus(of: path) != nil }

    /// The size of records and contents.
    private var size: Int {
        (files.records + files.contents).compactMap { FileStatus(of: $0)?.length }.reduce(0) { $0 + Int($1) }
    }

    @Test func `a process that stores one response looks at no other file`() throws {
        try store(0..<100, in: try files.open())
        let bait = try leaveBait()
        for number in 100..<103 {
            let process = try files.open()
            try store(number..<(number + 1), in: process)
            #expect(exists(bait))
            #expect(process.currentDiskUsage == size - 3)
        }
        let process = try files.open()
        try process.removeCachedResponse(for: URLRequest(string: "http://a.test/5"))
        process.flush()
        #expect(exists(bait) && process.currentDiskUsage == size - 3)
    }

    @Test func `what several caches have stored is known to each, and what replaces counts once`() throws {
        let caches = [try files.open(), try files.open(), try files.open()]
        for round in 0..<3 {
            for (index, cache) in caches.enumerated() { try store(index..<(index + 10), 500 * (round + 1), in: cache) }
        }
        for cache in caches { #expect(cache.currentDiskUsage == size) }
        caches[0].removeAllCachedResponses()
        caches[0].flush()
        #expect(size == 0 && files.records.isEmpty)
        for cache in caches { #expect(cache.currentDiskUsage == 0) }
    }

    @Test func `a folder whose size nobody has noted is measured once`() throws {
        try store(0..<20, in: try files.open())
        let usage = files.path + "/tern-usage"
        OutputFile.remove(usage)
        let bait = try leaveBait()
        let cache = try files.open()
        try store(20..<21, in: cache)
        #expect(!exists(bait) && cache.currentDiskUsage == size)
        let second = try leaveBait()
        try store(21..<22, in: try files.open())
        #expect(exists(second))
        // Measuring, without storing anything.
        OutputFile.remove(usage)
        OutputFile.remove(second)
        #expect(try files.open().currentDiskUsage == size)
    }

    @Test func `figures that are damaged or wrong cost a sweep, and are right again`() throws {
        try store(0..<3, in: try files.open())
        let usage = files.path + "/tern-usage"
        let intact = files.bytes(usage)
        #expect(intact.count > 40)
        for index in 0..<intact.count {
            var damaged = intact
            damaged[index] ^= 1
            try files.write(index % 2 == 0 ? damaged : Array(intact[..<index]), to: usage)
            let cache = try files.open()
            try store(0..<1, in: cache)
            #expect(cache.diskError == nil)
            #expect(cache.currentDiskUsage == size, "byte \(index)")
            #expect(try isStored(2, in: cache))
        }
        // A process that was killed had noted what it did not store.
        let file = CacheUsageFile(folder: files.path)
        for size in [Int64.max, 1 << 30] {
            _ = try file.change { $0 = CacheUsage(size: size, written: .max, removals: 1) }
            let cache = try files.open()
            try store(0..<1, in: cache)
            #expect(cache.currentDiskUsage == self.size && cache.diskError == nil)
            #expect(try isStored(2, in: cache))
        }
    }

    @Test func `what exceeds the capacity is evicted, and as much written as it holds has the folder measured`() throws
    {
        let cache = try files.open(memory: 0, disk: 40_000)
        for number in 0..<50 {
            try store(number..<(number + 1), 2000, in: cache)
            // A file system's clock is too coarse.
            let record = try #require(
                files.records.first { $0.hasSuffix(CacheRecord.key(of: "http://a.test/\(number)")) })
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: Double(number) - 1000)], ofItemAtPath: record)
            #expect(cache.currentDiskUsage == size && size <= 40_000)
        }
        #expect(size > 20_000)
        #expect(try (0..<50).filter { try isStored($0, in: cache) } == Array((50 - files.records.count)..<50))
        // All at once, while sweeps are under way.
        for number in 50..<150 { try store(number..<(number + 1), 2000, in: cache, flushes: false) }
        cache.flush()
        #expect(size > 10_000 && size <= 40_000 && cache.currentDiskUsage >= size)
        // Replacing the same response over and over writes, and does not fill.
        cache.removeAllCachedResponses()
        cache.flush()
        let bait = try leaveBait()
        for _ in 0..<10 { try store(0..<1, 2000, in: cache) }
        #expect(exists(bait))
        for _ in 0..<20 { try store(0..<1, 2000, in: cache) }
        #expect(!exists(bait))
    }

    @Test func `look-ups do not wait while the folder is swept`() throws {
        let sweeps = SuspendableThreads()
        sweeps.suspend()
        let folder = try CacheFolder(path: files.path, capacity: 20_000, sweepThreads: sweeps.threads)
        let cache = URLCache(memoryCapacity: 0, folder: folder)
        for number in 0..<20 {
            let request = try URLRequest(string: "http://a.test/\(number)")
            let response = try HTTPURLResponse(url: request.url, statusCode: 200, headers: ["Date": "x"])
            cache.storeCachedResponse(
                CachedURLResponse(response: response, data: Data(repeating: 7, count: 2000)), for: request)
            // This is a look-up, behind the store.
            #expect(try isStored(number, in: cache))
        }
        #expect(size > 40_000)
        // What the program has removed answers nothing from then on, and what it stores afterwards answers.
        cache.removeAllCachedResponses()
        #expect(try !isStored(3, in: cache) && size > 40_000)
        let request = try URLRequest(string: "http://a.test/4")
        let response = try HTTPURLResponse(url: request.url, statusCode: 200, headers: [:])
        cache.storeCachedResponse(CachedURLResponse(response: response, data: Data("new".utf8)), for: request)
        #expect(try isStored(4, in: cache) && !isStored(3, in: cache))
        sweeps.resume()
        cache.flush()
        #expect(try isStored(4, in: cache) && !isStored(3, in: cache))
        #expect(files.records.count == 1 && files.contents.count == 1 && cache.currentDiskUsage == size)
    }

    @Test func `a mark that was lost begins anew, and nothing is lost; that of a later version is respected`() throws {
        try store(0..<3, in: try files.open())
        let mark = files.path + "/tern-cache"
        let whole = files.bytes(mark)
        let cut = whole.indices.map { Array(whole[..<$0]) }
        let texts = ["x", "tern-cachf 1\n", "tern-cache 1\n\n", "tern-cache 0\n", "tern-cache 01\n", "tern-cache 2"]
        for damaged in cut + texts.map({ Array($0.utf8) }) + [12, 13, 64, 5000].map({ Array(repeating: 0, count: $0) })
        {
            try files.write(damaged, to: mark)
            let cache = try files.open()
            #expect(files.bytes(mark) == whole)
            #expect(try isStored(1, in: cache))
            #expect(cache.currentDiskUsage == size)
        }
        // Links and a FIFO are replaced; what a link leads to stays.
        try files.write(Array("mine".utf8), to: files.folder.path + "/mine")
        for target in ["", "a FIFO", "/dev/zero", "../mine", "none"] {
            OutputFile.remove(mark)
            if target == "a FIFO" {
                unsafe mkfifo(mark, 0o600)
            } else if !target.isEmpty {
                unsafe symlink(target, mark)
            }
            #expect(try isStored(1, in: try files.open()))
            #expect(files.bytes(mark) == whole && files.text(files.folder.path + "/mine") == "mine", "\(target)")
        }
        for later in ["tern-cache 2\n", "tern-cache 10\nmore\n", "tern-cache 99999999999999999999\n"] {
            try files.write(Array(later.utf8), to: mark)
            #expect(throws: URLCacheError.unsupportedVersion(path: files.path, found: later)) { try files.open() }
        }
        // Beside files of others only what was plainly a mark is one.
        try files.write([1], to: files.path + "/letter")
        for text in texts {
            try files.write(Array(text.utf8), to: mark)
            #expect(throws: URLCacheError.notACache(path: files.path)) { try files.open() }
            #expect(files.text(mark) == text)
        }
        try files.write([], to: mark)
        #expect(try isStored(1, in: try files.open()))
    }

    @Test func `an empty mark does not make the files of others the cache's`() throws {
        try FileManager.default.createDirectory(atPath: files.path + "/ab", withIntermediateDirectories: true)
        try files.write([], to: files.path + "/tern-cache")
        let others = ["letter", "ab/letter", "ab/.hidden", "ab/letter.lock", "ab/cd0123456789abcdef0123456789abcd"]
        for name in others {
            try files.write([1], to: "\(files.path)/\(name)")
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: "\(files.path)/\(name)")
        }
        let cache = try files.open(disk: 5000)
        try store(0..<20, in: cache)
        cache.removeAllCachedResponses()
        cache.flush()
        for name in others { #expect(exists("\(files.path)/\(name)"), "\(name)") }
    }
}
