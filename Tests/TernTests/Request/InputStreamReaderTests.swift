// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import Testing

@testable import Tern

@Suite(.timeLimit(.minutes(5))) struct InputStreamReaderTests {
    private let session = Session(configuration: .default)

    private static let room = StreamRecord.Event.read(InputStreamContent.pieceSize)

    private func failure(of content: RequestBody, to origin: ScriptedOrigin) async -> SessionError.Reason? {
        do {
            _ = try await session.upload(for: URLRequest(string: origin.url()), from: content)
            return nil
        } catch { return (error as? SessionError)?.reason }
    }

    private static func echo() throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in [.ok("\(request.body.count)")] }
    }

    @Test func `a request that is cancelled midway closes the stream, once its read returns`() async throws {
        let origin = try Self.echo()
        let record = StreamRecord()
        let isThere = DispatchSemaphore(value: 0)
        let content = RequestBody.inputStream(
            ScriptedStream(record) { read in
                if read > 0 { isThere.wait() }
                return .bytes([1, 2, 3])
            })
        let task = Task { await failure(of: content, to: origin) }
        await record.next(Self.room)
        await record.next(Self.room)
        task.cancel()
        let reason = await task.value
        guard case .cancelled = reason else {
            Issue.record("\(String(describing: reason))")
            return
        }
        #expect(record.events == [.open, Self.room, Self.room])
        isThere.signal()
        await record.next(.close)
        #expect(record.events == [.open, Self.room, Self.room, .close])
    }

    @Test func `one chunk is read ahead of the connection, and no more`() async throws {
        let record = StreamRecord()
        let source = InputStreamContent(ScriptedStream(record) { .bytes([UInt8(truncatingIfNeeded: $0)]) })
        let (wakes, continuation) = AsyncStream.makeStream(of: Void.self)
        guard case .later = source.next(atMost: 1_000_000, wake: { continuation.yield() }) else {
            Issue.record("A chunk exists before it was read.")
            return
        }
        _ = await wakes.first { _ in true }
        guard case .bytes(let piece) = source.next(atMost: 10, wake: {}) else {
            Issue.record("Woken for nothing.")
            return
        }
        #expect(piece == Data([0]))
        await record.next(.read(10))
        source.finish()
        await record.next(.close)
        #expect(record.events == [.open, Self.room, .read(10), .close])
    }
}
