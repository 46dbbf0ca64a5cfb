// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// A source that keeps the content of each answer as it arrived, as a cache would.
private final class CopyingSource: ResponseSource, HopSource, ContentTee {
    struct Copy: Equatable {
        var bytes: [UInt8] = []
        var isComplete: Bool?
    }

    let copy = Lock(Copy())
    let status: CacheStatus? = nil
    let additions: [HeaderField] = []

    func part(in hop: SourcedHop) -> (any HopSource)? { self }

    func answer() -> SourceAnswer { .pass }

    func received(_ head: ResponseHead, isStorable: Bool) -> SourceDecision { .copy(to: self) }

    func failed(_ failure: AttemptFailure, isOwn: Bool) -> SourceRecovery { .pass }

    func paused() {}

    func ended() {}

    func received(_ bytes: Span<UInt8>) {
        copy.withLock { copy in for index in bytes.indices { copy.bytes.append(bytes[index]) } }
    }

    func ended(isComplete: Bool) -> CacheQuestion? {
        copy.withLock { $0.isComplete = isComplete }
        return nil
    }
}

@Suite(.timeLimit(.minutes(1))) struct CopyingSourceTests {
    private let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 5) }

    @Test(arguments: [false, true])
    func `a source gets a copy of the content as it arrives, before it is decoded`(isCoded: Bool) async throws {
        let sent = isCoded ? ZlibCoder.gzip(content) : content
        let fields = isCoded ? [("Content-Encoding", "gzip")] : []
        let origin = try ScriptedOrigin { _, _ in [.respond(fields: fields, body: sent)] }
        let source = CopyingSource()
        let (data, _) = try await Session.limited(sources: [source]).data(for: URLRequest(origin))
        #expect(Array(data) == content)
        #expect(source.copy.withLock { $0 } == CopyingSource.Copy(bytes: sent, isComplete: true))
    }

    @Test func `each of several sources gets a copy`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("hello")] }
        let sources = [CopyingSource(), CopyingSource(), CopyingSource()]
        #expect(try await Session.limited(sources: sources).text(URLRequest(origin)) == "hello")
        for source in sources {
            #expect(source.copy.withLock { $0 } == CopyingSource.Copy(bytes: Array("hello".utf8), isComplete: true))
        }
    }

    @Test func `a source gets a copy of what a cache behind it answers, and none of what one in front does`()
        async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.respond(fields: [("Cache-Control", "max-age=600")], body: "hello")]
        }
        var configuration = SessionConfiguration()
        configuration.urlCache = URLCache(memoryCapacity: 1 << 20)
        let cache = try #require(Caching(of: configuration) { _ in })
        let (front, back) = (CopyingSource(), CopyingSource())
        let session = Session.limited(sources: [front, cache, back])
        for _ in 0..<2 { #expect(try await session.text(URLRequest(origin)) == "hello") }
        #expect(origin.requests.count == 1)
        #expect(front.copy.withLock { $0.bytes } == Array("hellohello".utf8))
        #expect(back.copy.withLock { $0.bytes } == Array("hello".utf8))
    }

    @Test func `the copy of a response that is cancelled is not complete`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .hold]
        }
        let source = CopyingSource()
        let delegate = RecordingDelegate { task, event in if event == .body(5) { task.cancel() } }
        let session = Session.limited(sources: [source])
        session.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
        _ = await delegate.end()
        #expect(source.copy.withLock { $0 } == CopyingSource.Copy(bytes: Array("hello".utf8), isComplete: false))
    }
}
