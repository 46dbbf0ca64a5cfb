// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernTesting
import TestProofs
import Testing
import TernLock

@Suite struct DataRequestStreamTests {
    private let manager = SessionManager()

    /// Collects what a stream hands on.
    private final class Sink: Sendable {
        let chunks = Lock<[Data]>([])

        var data: Data { chunks.withLock { $0.reduce(into: Data()) { $0 += $1 } } }

        func take(_ data: Data) { chunks.withLock { $0.append(data) } }
    }

    @Test(.proves("4.11a", "4.11b", "5.10c"))
    func `the closure gets every byte once and in order, before any handler, and the response none`() async throws {
        let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        let origin = try ScriptedOrigin { _, _ in [.respond(body: [UInt8](body))] }
        let sink = Sink()
        let (ends, continuation) = AsyncStream.makeStream(of: (Data?, Int).self)
        manager.request(origin.url()).stream { sink.take($0) }
            .response { continuation.yield(($0.data, sink.data.count)) }
        let (data, count) = try #require(await ends.first { _ in true })
        #expect(data == nil)
        #expect(count == body.count)
        let isWhole = sink.data == body
        #expect(isWhole)
    }

    @Test(.proves("4.11a")) func `bytes reach the closure while the rest is still to come`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .hold, .send("world")]
        }
        let (chunks, continuation) = AsyncStream.makeStream(of: String.self)
        let request = manager.request(origin.url()).stream { continuation.yield(String(decoding: $0, as: UTF8.self)) }
        #expect(await chunks.first { _ in true } == "hello")
        try origin.release()
        #expect(await request.serializingData().response.error?.isMissingData == true)
        #expect(await chunks.first { _ in true } == "world")
    }

    @Test func `a closure that comes late gets what has come`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("hello")] }
        let request = manager.request(origin.url())
        _ = await request.serializingData().response
        let sink = Sink()
        let response = await request.stream { sink.take($0) }.serializingData().response
        #expect(sink.data == Data("hello".utf8))
        #expect(response.data == nil)
        #expect(response.error?.isMissingData == true)
    }

    @Test func `a closure that comes between the end of a response and its conclusion gets what has come`() async throws
    {
        struct Refusal: RequestRetrier {
            func should(
                _ manager: SessionManager, retry request: Request, with error: any Error,
                completion: @escaping RequestRetryCompletion
            ) {
                completion(false, 0)
            }
        }
        let origin = try ScriptedOrigin { _, _ in [.ok("hello")] }
        let queue = DispatchQueue(label: "callbacks")
        let manager = SessionManager(callbackQueue: queue)
        // A request that may be retried is concluded on the callback queue.
        manager.retrier = Refusal()
        queue.suspend()
        let request = manager.request(origin.url())
        while request.task?.state != .completed { await Task.yield() }
        let sink = Sink()
        let (ends, continuation) = AsyncStream.makeStream(of: Int.self)
        request.stream { sink.take($0) }.response { _ in continuation.yield(sink.data.count) }
        queue.resume()
        #expect(await ends.first { _ in true } == 5)
    }

    @Test func `a slow closure stops the socket`() async throws {
        let size = 64 * 1024 * 1024
        var configuration = ScriptedOrigin.Configuration()
        configuration.receiveBufferSize = 65_536
        let origin = try ScriptedOrigin(configuration) { _, _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"),
                .repeat([UInt8](repeating: 7, count: 65_536), count: size / 65_536),
            ]
        }
        let isOpen = DispatchSemaphore(value: 0)
        let (starts, continuation) = AsyncStream.makeStream(of: Void.self)
        let count = Lock(0)
        let request = manager.request(origin.url()).stream { data in
            if count.withLock({
                $0 += data.count; return $0 == data.count
            }) {
                continuation.yield()
                isOpen.wait()
            }
        }
        _ = await starts.first { _ in true }
        // The closure holds the first bytes. Far less than the body can be buffered: in the kernel and in the stream.
        #expect(await origin.waitFor(.milliseconds(300)) { $0.bytesSent > size / 2 } == false)
        isOpen.signal()
        let response = await request.serializingData().response
        #expect(response.error?.isMissingData == true)
        #expect(count.withLock { $0 } == size)
    }

    @Test(arguments: ["hello", ""], [false, true])
    func `a closure that captures its request is released at the end`(body: String, isLate: Bool) async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok(body)] }
        var configuration = SessionConfiguration()
        configuration.reactorCount = 1
        let queue = DispatchQueue(label: "callbacks")
        let manager = SessionManager(configuration: configuration, callbackQueue: queue)
        weak var released: DataRequest?
        do {
            let request = manager.request(origin.url())
            released = request
            if isLate { _ = await request.serializingData().response }
            let response = await request.stream { [request] _ in _ = request }.serializingData().response
            #expect(response.data == nil)
        }
        // The reactor and the queue have done what they were doing.
        await Task(executorPreference: manager.session.executors.first) {}.value
        await withCheckedContinuation { done in queue.async { done.resume() } }
        #expect(released == nil)
    }

    @Test func `taking the closure away collects the rest`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .hold, .send("world")]
        }
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        let request = manager.request(origin.url()).stream { continuation.yield($0) }
        #expect(await chunks.first { _ in true } == Data("hello".utf8))
        request.stream()
        try origin.release()
        #expect(try await request.serializingString().value == "world")
    }
}

extension Error {
    fileprivate var isMissingData: Bool {
        if case .responseSerializationFailed(.inputDataNil)? = self as? AFError { true } else { false }
    }
}
