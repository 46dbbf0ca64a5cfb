// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TernEngine
import TernHTTP1

/// Stores and reads responses in a folder, beside other processes. What is stored says what it is: the content follows
/// from the URL and the version in the head, so that a response of two halves is found.
@main struct CacheProgram {
    /// Whether the input has ended.
    private static let isOver = Atomic(false)

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 2 else { return say("usage: CacheProgram work|full|fetch FOLDER [SEED|URL]") }
        let cache = try URLCache(
            memoryCapacity: 0, diskCapacity: 1 << 20, folder: URL(filePath: arguments[2]))
        if arguments[1] == "full" { return try full(cache) }
        if arguments[1] == "fetch" { return try await fetch(arguments.dropFirst(3).first ?? "", cache) }
        try work(cache, seed: arguments.dropFirst(3).first.flatMap { Int($0) } ?? 0)
    }

    /// Until the input ends: a dot for each step, and a line for each wrong answer.
    private static func work(_ cache: URLCache, seed: Int) throws {
        Thread.detachNewThread {
            while readLine() != nil {}
            isOver.store(true, ordering: .relaxed)
        }
        var version = seed &* 1_000_003
        while !isOver.load(ordering: .relaxed) {
            version += 1
            try step(cache, Int.random(in: 0..<12), version)
            FileHandle.standardOutput.write(Data(".".utf8))
        }
        say("\nerror: \(cache.diskError.map { "\($0)" } ?? "none")")
    }

    private static func step(_ cache: URLCache, _ number: Int, _ version: Int) throws {
        let request = try URLRequest(string: "http://a.test/\(number)")
        switch Int.random(in: 0..<40) {
        case 0: cache.removeCachedResponse(for: request)
        case 1..<16:
            let head = try ResponseHead(
                status: 200, fields: ["X-Version": "\(version)", "Cache-Control": "max-age=1000"])
            cache.storeCachedResponse(
                CachedURLResponse(
                    response: HTTPURLResponse(url: request.url, head: head), data: content(number, version)),
                for: request)
        default:
            guard let found = cache.cachedResponse(for: request) else { break }
            let stated = found.response.value(forHTTPHeaderField: "X-Version").flatMap { Int($0) } ?? -1
            let data = found.data
            if data != content(number, stated) { say("wrong: \(number) \(stated) \(data.count)") }
        }
        cache.flush()
    }

    /// Says how long the body of a URL is, twice, and what the disk says.
    private static func fetch(_ url: String, _ cache: URLCache) async throws {
        var configuration = SessionConfiguration()
        configuration.urlCache = cache
        let session = Session(configuration: configuration)
        for _ in 0..<2 {
            let (data, _) = try await session.data(for: URLRequest(string: url))
            cache.flush()
            say("\(data.count), \(cache.diskError != nil)")
        }
    }

    /// Says what comes of a response that is longer than a file may be, and of one that is not.
    private static func full(_ cache: URLCache) throws {
        for (number, length) in [(1, 200_000), (2, 1000)] {
            let request = try URLRequest(string: "http://a.test/\(number)")
            let response = HTTPURLResponse(url: request.url, head: try ResponseHead(status: 200))
            cache.storeCachedResponse(
                CachedURLResponse(response: response, data: Data(repeating: 7, count: length)), for: request)
            cache.flush()
            say("\(number): \(cache.cachedResponse(for: request)?.data.count ?? -1), \(cache.diskError != nil)")
        }
    }

    private static func content(_ number: Int, _ version: Int) -> Data {
        var state = UInt64(bitPattern: Int64(version &* 64 &+ number)) &* 0x9E37_79B9_7F4A_7C15
        let length = Int(state >> 40 & 0xFFF) * (state >> 60 == 0 ? 40 : 1) + 1
        return Data(
            (0..<length).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 56)
            })
    }

    private static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
