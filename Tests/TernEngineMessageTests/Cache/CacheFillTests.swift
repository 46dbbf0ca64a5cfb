// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernFiles
import TernHTTP1
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// What is on its way into a cache.
@Suite(.timeLimit(.minutes(1))) struct CacheFillTests {
    private let files: CacheFiles

    init() throws { files = try CacheFiles() }

    private static func status(_ task: SessionTask) -> String {
        task.metrics?.cacheStatus.map { "\("\($0)".dropFirst("Tern; ".count))" } ?? "none"
    }

    @Test(arguments: [false, true])
    func `a response that announces too much is not collected, and not said to be stored`(
        hasFolder: Bool
    ) async throws {
        let cache = hasFolder ? try files.open(memory: 100_000, disk: 1_000_000) : URLCache(memoryCapacity: 100_000)
        let limit = hasFolder ? 500_000 : 50_000 - 512
        let origin = try ScriptedOrigin { _, request in
            let length = Int(request.target.dropFirst()) ?? 0
            return [
                .respond(
                    fields: [("Cache-Control", "max-age=60")], body: String(repeating: "x", count: length))
            ]
        }
        let session = Session.limited { $0.urlCache = cache }
        for (length, isStored) in [(limit, true), (limit + 1, false), (limit * 20, false), (0, true)] {
            let delegate = RecordingDelegate { task, event in
                if case .body = event, !isStored { #expect(cache.currentMemoryUsage < 1000) }
            }
            let task = session.dataTask(with: try URLRequest(origin, "/\(length)"), delegate: delegate)
            task.resume()
            #expect(await delegate.end().body.count == length)
            #expect(Self.status(task) == (isStored ? "fwd=uri-miss; stored" : "fwd=uri-miss"), "\(length)")
            let again = RecordingDelegate()
            let second = session.dataTask(with: try URLRequest(origin, "/\(length)"), delegate: again)
            second.resume()
            #expect(await again.end().body.count == length)
            #expect(Self.status(second).hasPrefix("hit") == isStored, "\(length)")
            cache.removeAllCachedResponses()
        }
        #expect(cache.diskError == nil)
    }

    @Test func `a cache that holds nothing stores nothing, not even nothing`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(fields: [("Cache-Control", "max-age=60")])] }
        let cache = URLCache(memoryCapacity: 0)
        let session = Session.limited { $0.urlCache = cache }
        for _ in 0..<2 {
            let delegate = RecordingDelegate()
            let task = session.dataTask(with: try URLRequest(origin), delegate: delegate)
            task.resume()
            _ = await delegate.end()
            #expect(Self.status(task) == "fwd=uri-miss")
        }
    }

    /// An origin that stops in the midst of a body of 400,000 bytes, whose length it does not announce.
    private func stoppingOrigin() throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in
            let part = { (count: Int) -> OriginStep in
                .send(Array("\(String(count, radix: 16))\r\n".utf8) + Array(repeating: 0x78, count: count) + [13, 10])
            }
            let head = "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nTransfer-Encoding: chunked\r\n\r\n"
            return [.send(Array(head.utf8)), part(300_000), .hold, part(100_000), .send("0\r\n\r\n")]
        }
    }

    @Test(arguments: [false, true])
    func `bodies on their way count, and hold no more than the capacity together`(hasFolder: Bool) async throws {
        let capacity = 1 << 20
        let cache = hasFolder ? try files.open(memory: capacity) : URLCache(memoryCapacity: capacity)
        let origin = try stoppingOrigin()
        let session = Session.limited(to: 8) { $0.urlCache = cache }
        var delegates: [RecordingDelegate] = []
        for number in 0..<8 {
            let delegate = RecordingDelegate()
            session.dataTask(with: try URLRequest(origin, "/\(number)"), delegate: delegate).resume()
            delegates.append(delegate)
        }
        for delegate in delegates { await delegate.wait { $0.body.count == 300_000 } }
        // With a folder all may have gone there.
        let expected = hasFolder ? 0...(capacity + 8 << 20) : 600_000...capacity
        #expect(expected.contains(cache.currentMemoryUsage))
        try origin.release()
        for delegate in delegates { #expect(await delegate.end().body.count == 400_000) }
        cache.flush()
        #expect(cache.currentMemoryUsage <= capacity && cache.diskError == nil)
        // What did not fit is in the folder, or not stored.
        var hits = 0
        for number in 0..<8 {
            var request = try URLRequest(origin, "/\(number)")
            request.cachePolicy = .returnCacheDataDontLoad
            if let body = try? await session.data(for: request).0 {
                #expect(body.count == 400_000)
                hits += 1
            }
        }
        #expect(hasFolder ? hits == 8 : (1...2).contains(hits))
    }

    @Test(arguments: [0, 1, 2])
    func `a body that breaks off, is cancelled or is refused by the program leaves nothing`(kind: Int) async throws {
        let cache = URLCache(memoryCapacity: 1 << 20)
        let origin = try ScriptedOrigin { _, _ in
            let head = "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 200000\r\n\r\n"
            return [
                .send(Array(head.utf8) + Array(repeating: 0x78, count: 100_000)), .hold,
                kind == 0 ? .reset : .send(Array(repeating: 0x78, count: 100_000)),
            ]
        }
        let session = Session.limited { $0.urlCache = cache }
        let delegate = Refusing()
        let task = session.dataTask(with: try URLRequest(origin), delegate: delegate)
        task.resume()
        await delegate.recorder.wait { $0.body.count == 100_000 }
        #expect((100_000..<101_000).contains(cache.currentMemoryUsage))
        if kind == 1 {
            task.cancel()
            _ = await delegate.recorder.end()
        }
        try origin.release()
        #expect((await delegate.recorder.end().error == nil) == (kind == 2))
        #expect(await eventually { cache.currentMemoryUsage == 0 })
    }

    private final class Refusing: SessionTaskDelegate {
        let recorder = RecordingDelegate()

        func handle(_ event: TaskEvent, of task: SessionTask) {
            if case .willCache(let question) = event { return question.answer(nil) }
            recorder.handle(event, of: task)
        }

        func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) { recorder.task(task, didReceive: bytes) }

        func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
            recorder.task(task, didCompleteWith: error)
        }
    }
}
