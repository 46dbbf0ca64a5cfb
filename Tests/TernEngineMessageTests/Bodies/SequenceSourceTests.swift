// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport
import TernLock

@Suite(.serialized, .timeLimit(.minutes(5))) struct SequenceSourceTests {
    private static func request(_ origin: ScriptedOrigin, _ content: RequestBody) throws -> URLRequest {
        var request = try URLRequest(origin, method: "PUT")
        request.body = content
        return request
    }

    @Test func `chunks are sent as they come, and not before`() async throws {
        let origin = try ScriptedOrigin { _, request in [.ok("\(request.body.count)")] }
        let session = Session.limited()
        let (pieces, input) = AsyncStream<Data>.makeStream()
        let delegate = RecordingDelegate()
        session.dataTask(with: try Self.request(origin, .sequence(pieces)), delegate: delegate).resume()
        var expected = 0
        for count in [1, 70_000, 0, 5] {
            let before = origin.observations.bytesReceived
            input.yield(Data(repeating: 1, count: count))
            expected += count
            #expect(await origin.waitFor { $0.bytesReceived >= before + count })
        }
        input.finish()
        #expect(await delegate.end().body == Array("\(expected)".utf8))
    }

    @Test func `a sequence that throws fails the request with its reason`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        for count in [0, 3] {
            let pieces = AsyncThrowingStream<Data, any Error> { continuation in
                for _ in 0..<count { continuation.yield(Data("piece".utf8)) }
                continuation.finish(throwing: SourceFailure())
            }
            let error = await Session.limited().failure(of: try Self.request(origin, .sequence { pieces }))
            guard case .request(.body(.failed(let reason))) = error?.reason else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(reason is SourceFailure)
        }
        #expect(origin.observations.requestCount == 0)
    }

    @Test func `no more than one chunk is read ahead of a server that does not read`() async throws {
        let origin = try ScriptedOrigin(.smallWindow, onHead: { _, _ in [.hold] }) { _, request in
            [.ok("\(request.body.count)")]
        }
        let session = Session.limited()
        let asked = Lock(0)
        let pieces = AsyncStream<Data>(unfolding: {
            let number = asked.withLock { count in
                count += 1
                return count
            }
            return number <= 400 ? Data(repeating: 2, count: 65_536) : nil
        })
        let recorder = UploadRecorder()
        session.dataTask(with: try Self.request(origin, .sequence(pieces)), delegate: recorder).resume()
        #expect(await origin.waitFor { $0.headCount == 1 })
        // Until the kernel's buffers are full nothing stands still.
        var last = -1
        while case let now = asked.withLock({ $0 }), now != last {
            last = now
            for _ in 0..<50 { await session.settle() }
        }
        #expect(last < 400)
        let sent = recorder.steps.last?.last?.total ?? 0
        #expect(Int64(last) * 65_536 - sent <= 4 * 65_536)
        try origin.release()
        #expect(await recorder.end().body == Array("\(400 * 65_536)".utf8))
    }

    @Test func `the task that reads the chunks is cancelled with the request`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited()
        let (terminations, terminated) = AsyncStream<Bool>.makeStream()
        let (pieces, input) = AsyncStream<Data>.makeStream()
        input.onTermination = { reason in
            if case .cancelled = reason { terminated.yield(true) } else { terminated.yield(false) }
        }
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: try Self.request(origin, .sequence(pieces)), delegate: delegate)
        task.resume()
        #expect(await origin.waitFor { $0.headCount == 1 })
        task.cancel()
        #expect(await delegate.end().error?.reason.isCancellation == true)
        for await isCancelled in terminations {
            #expect(isCancelled)
            break
        }
    }

    @Test func `one that ends while chunks are offered, taken and released from many threads blocks no caller`()
        async throws
    {
        let origin = try ScriptedOrigin { _, request in [.ok("\(request.body.count)")] }
        let session = Session.limited(to: 4)
        await withTaskGroup(of: Void.self) { group in
            for seed in 0..<60 {
                group.addTask {
                    let pieces = AsyncStream<Data> { continuation in
                        Task.detached {
                            for _ in 0..<20 { continuation.yield(Data(repeating: 1, count: 10)) }
                            continuation.finish()
                        }
                    }
                    let delegate = RecordingDelegate()
                    guard let request = try? Self.request(origin, .sequence { pieces }) else { return }
                    let task = session.dataTask(with: request, delegate: delegate)
                    task.resume()
                    if seed % 3 == 0 { Task.detached { task.cancel() } }
                    let record = await delegate.end()
                    #expect(record.completions == 1)
                    if seed % 3 != 0 { #expect(record.body == Array("200".utf8)) }
                }
            }
        }
    }
}
