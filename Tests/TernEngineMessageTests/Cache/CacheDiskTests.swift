// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernFiles
import TernHTTP1
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// A disk that stands still delays nothing but what is read from it. The thread of the files is suspended for as long.
@Suite(.timeLimit(.minutes(1))) struct CacheDiskTests {
    private let files: CacheFiles
    private let disk = SuspendableThreads()

    init() throws { files = try CacheFiles() }

    private func cache(memory: Int = 0) throws -> URLCache {
        URLCache(
            memoryCapacity: memory,
            folder: try CacheFolder(path: files.path, capacity: 1 << 28, fileThreads: disk.threads))
    }

    private static let body = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 255) }

    private func origin(_ body: [UInt8] = Self.body) throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in
            request.target == "/plain"
                ? [.respond(fields: [("Cache-Control", "no-store")], body: "plain")]
                : [.respond(fields: [("Cache-Control", "max-age=60")], body: body)]
        }
    }

    @Test func `a body is delivered although the disk does not take it, and is stored when it does`() async throws {
        let cache = try cache()
        let origin = try origin()
        let session = Session.limited(to: 4) { $0.urlCache = cache }
        disk.suspend()
        let delegate = RecordingDelegate()
        session.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
        await delegate.wait { $0.body.count == Self.body.count }
        #expect(cache.currentMemoryUsage >= Self.body.count)
        var other = try URLRequest(origin, "/plain")
        other.cachePolicy = .reloadIgnoringLocalCacheData
        #expect(try await session.text(other) == "plain")
        #expect(await delegate.end().error == nil)
        disk.resume()
        cache.flush()
        #expect(cache.currentMemoryUsage == 0 && cache.diskError == nil && files.contents.count == 1)
        #expect(Array(try await session.data(for: URLRequest(origin)).0) == Self.body)
        #expect(origin.requests.count == 2)
    }

    @Test func `a disk that cannot keep up costs the stored response, and a limited amount of memory`() async throws {
        let cache = try cache()
        let body = [UInt8](repeating: 0x78, count: 1 << 20)
        let origin = try ScriptedOrigin { _, _ in
            [.hold, .respond(fields: [("Cache-Control", "max-age=60")], body: body)]
        }
        let session = Session.limited(to: 32) { $0.urlCache = cache }
        disk.suspend()
        var delegates: [RecordingDelegate] = []
        for number in 0..<16 {
            let delegate = RecordingDelegate { _, event in
                if case .body = event { #expect(cache.currentMemoryUsage <= 9 << 20) }
            }
            session.dataTask(with: try URLRequest(origin, "/\(number)"), delegate: delegate).resume()
            delegates.append(delegate)
        }
        // A look-up waits for what is being stored, so all of them come first.
        #expect(await origin.waitFor { $0.requestCount == 16 })
        try origin.release()
        for delegate in delegates { await delegate.wait { $0.body.count == 1 << 20 } }
        disk.resume()
        for delegate in delegates { #expect(await delegate.end().error == nil) }
        cache.flush()
        #expect(await eventually { cache.currentMemoryUsage == 0 })
        #expect(cache.diskError == nil && (1...8).contains(files.contents.count), "\(files.contents.count)")
    }

    @Test func `a stored body that the disk does not give delays no other request`() async throws {
        let cache = try cache()
        let origin = try origin()
        let session = Session.limited(to: 4) { $0.urlCache = cache }
        _ = try await session.data(for: URLRequest(origin))
        cache.flush()
        disk.suspend()
        let delegate = RecordingDelegate()
        session.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
        // The look-up of this one comes after that of the other.
        #expect(try await session.text(URLRequest(origin, "/plain")) == "plain")
        await session.settle()
        #expect(delegate.record.events.isEmpty)
        disk.resume()
        let record = await delegate.end()
        #expect(record.error == nil && record.body == Self.body)
        #expect(origin.requests.count == 2)
    }

    @Test(arguments: [true, false])
    func `a stored response that is suspended from the beginning ends when its time is up`(isInMemory: Bool)
        async throws
    {
        let cache = try cache(memory: isInMemory ? 1 << 24 : 0)
        let origin = try origin()
        let session = Session.limited(to: 4) { $0.urlCache = cache }
        _ = try await session.data(for: URLRequest(origin))
        cache.flush()
        let other = URLCache(memoryCapacity: isInMemory ? 1 << 24 : 0, folder: cache.folder)
        let second = Session.limited(to: 4) { $0.urlCache = other }
        let delegate = RecordingDelegate()
        var timeouts = Timeouts()
        timeouts.total = .milliseconds(200)
        let task = second.dataTask(with: try URLRequest(origin).limited(to: timeouts), delegate: delegate)
        await second.onReactor {
            task.resume()
            // Before its look-up is over: that ends on the reactor, too.
            task.suspend()
        }
        let record = await delegate.end()
        #expect(record.error?.reason.limit == .total && record.body.isEmpty)
        #expect(origin.requests.count == 1)
        // One whose disk stands still has the same limit.
        if isInMemory { return }
        disk.suspend()
        let slow = RecordingDelegate()
        second.dataTask(with: try URLRequest(origin).limited(to: timeouts), delegate: slow).resume()
        #expect(await slow.end().error?.reason.limit == .total)
        disk.resume()
    }

    @Test func `a reader that pauses, and one that leaves, have one window read for them`() async throws {
        let cache = try cache()
        let origin = try origin()
        let session = Session.limited(to: 4) { $0.urlCache = cache }
        _ = try await session.data(for: URLRequest(origin))
        cache.flush()
        let (pauses, pause) = AsyncStream<Int>.makeStream()
        let delegate = RecordingDelegate { task, event in
            guard case .body(let count) = event else { return }
            task.suspend()
            pause.yield(count)
        }
        let task = session.dataTask(with: try URLRequest(origin), delegate: delegate)
        task.resume()
        var left = Self.body.count
        for await count in pauses {
            #expect(count <= 128 * 1024 && delegate.record.body.count == Self.body.count - left + count)
            left -= count
            task.resume()
            if left == 0 { break }
        }
        #expect(await delegate.end().body == Self.body)
        let leaving = RecordingDelegate { task, event in if case .body = event { task.cancel() } }
        session.dataTask(with: try URLRequest(origin), delegate: leaving).resume()
        #expect(await leaving.end().error?.reason.isCancellation == true)
    }

    @Test func `what is given up counts until the disk lets go of it`() async throws {
        let cache = try cache(memory: 1 << 20)
        let origin = try ScriptedOrigin { _, _ in
            let head = "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nTransfer-Encoding: chunked\r\n\r\n"
            let chunk = Array("927C0\r\n".utf8) + Array(repeating: 0x78, count: 600_000) + Array("\r\n".utf8)
            return [.send(Array(head.utf8) + chunk), .hold]
        }
        let session = Session.limited { $0.urlCache = cache }
        disk.suspend()
        for _ in 0..<4 {
            let delegate = RecordingDelegate()
            var request = try URLRequest(origin)
            // There is no look-up behind the disk.
            request.cachePolicy = .reloadIgnoringLocalCacheData
            let task = session.dataTask(with: request, delegate: delegate)
            task.resume()
            await delegate.wait { $0.body.count == 600_000 }
            task.cancel()
            _ = await delegate.end()
            #expect((300_000...(1 << 20)).contains(cache.currentMemoryUsage))
        }
        disk.resume()
        #expect(await eventually { cache.currentMemoryUsage == 0 })
        #expect(files.contents.isEmpty && cache.diskError == nil)
    }
}
