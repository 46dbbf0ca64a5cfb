// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernLock
import TernTesting
import Testing

@testable import TernEngine

/// A policy that keeps the content of each answer as it arrived, as a cache would.
private final class CopyingPolicy: HopPolicy, ContentTee {
    struct Copy: Equatable {
        var bytes: [UInt8] = []
        var isComplete: Bool?
    }

    let copy = Lock(Copy())
    let interests = HopInterests.allHeads

    func decide(on head: ResponseHead, _ history: inout TaskHistory) -> HopDecision { .copy(to: self) }

    func received(_ bytes: Span<UInt8>) {
        copy.withLock { copy in for index in bytes.indices { copy.bytes.append(bytes[index]) } }
    }

    func ended(isComplete: Bool) -> CacheQuestion? {
        copy.withLock { $0.isComplete = isComplete }
        return nil
    }
}

@Suite(.timeLimit(.minutes(1))) struct CopyingPolicyTests {
    private let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 5) }

    @Test(arguments: [false, true])
    func `a policy gets a copy of the content as it arrives, before it is decoded`(isCoded: Bool) async throws {
        let sent = isCoded ? Deflater.gzip(content) : content
        let fields = isCoded ? [("Content-Encoding", "gzip")] : []
        let origin = try ScriptedOrigin { _, _ in [.respond(fields: fields, body: sent)] }
        let policy = CopyingPolicy()
        let (data, _) = try await Session.limited(hopPolicies: [policy]).data(for: URLRequest(origin))
        #expect(Array(data) == content)
        #expect(policy.copy.withLock { $0 } == CopyingPolicy.Copy(bytes: sent, isComplete: true))
    }

    @Test func `the copy of a response that is cancelled is not complete`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .hold]
        }
        let policy = CopyingPolicy()
        let delegate = RecordingDelegate { task, event in if event == .body(5) { task.cancel() } }
        let session = Session.limited(hopPolicies: [policy])
        session.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
        _ = await delegate.end()
        #expect(policy.copy.withLock { $0 } == CopyingPolicy.Copy(bytes: Array("hello".utf8), isComplete: false))
    }
}
