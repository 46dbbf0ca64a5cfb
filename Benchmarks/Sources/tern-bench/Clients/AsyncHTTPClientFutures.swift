// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import CCurlMulti
internal import Foundation
internal import NIOCore
internal import NIOHTTP1

/// async-http-client by futures and a delegate that discards, its leanest interface; to a file by its own delegate for
/// that.
struct AsyncHTTPClientFutures: BenchmarkClient {
    private let load: Load
    private let client: HTTPClient
    private let request: HTTPClient.Request

    init(_ load: Load) throws {
        self.load = load
        client = AsyncHTTPClientSetup.client(load)
        request = try AsyncHTTPClientSetup.request(load)
    }

    func run(until deadline: UInt64) async -> Tally {
        await runLoops(load) {
            await withCheckedContinuation { done in
                Chain(client, request, load, deadline) { done.resume(returning: $0) }.begin()
            }
        }
    }
}

extension AsyncHTTPClientFutures {
    /// One connection's requests: each begins in the callback of the one before.
    private final class Chain: @unchecked Sendable {
        // Touched by one callback after the other.
        private let client: HTTPClient
        private let request: HTTPClient.Request
        private let load: Load
        private let deadline: UInt64
        private let done: (Tally) -> Void
        private var tally = Tally()

        init(
            _ client: HTTPClient, _ request: HTTPClient.Request, _ load: Load, _ deadline: UInt64,
            _ done: @escaping (Tally) -> Void
        ) {
            self.client = client
            self.request = request
            self.load = load
            self.deadline = deadline
            self.done = done
        }

        func begin() {
            let begin = monotonic_nanoseconds()
            answer().whenComplete { [self] result in
                let end = monotonic_nanoseconds()
                let (status, size) = (try? result.get()) ?? (0, 0)
                if !load.followsEvents || size != load.bodySize {
                    tally.record(status: status, size: size, of: load, from: begin, to: end)
                }
                if tally.goesOn(at: end, until: deadline) { self.begin() } else { done(tally) }
            }
        }

        private func answer() -> EventLoopFuture<(Int, Int)> {
            if load.followsEvents {
                let following = Following { [self] in tally.record(event: $0, at: monotonic_nanoseconds()) }
                return client.execute(request: request, delegate: following).futureResult
            }
            guard let path = load.download else {
                return client.execute(request: request, delegate: Discarding()).futureResult
            }
            // It would write over a file that is there: as with the others, what was there goes.
            try? FileManager.default.removeItem(atPath: path)
            guard let file = try? FileDownloadDelegate(path: path) else {
                return AsyncHTTPClientSetup.failed(PeerUnavailable(reason: "no file"))
            }
            return client.execute(request: request, delegate: file).futureResult.map {
                (Int($0.head.status.code), $0.receivedBytes)
            }
        }
    }

    private final class Discarding: HTTPClientResponseDelegate, @unchecked Sendable {
        // Touched by the request's event loop only.
        private var status = 0
        private var size = 0

        func didReceiveHead(task: HTTPClient.Task<(Int, Int)>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
            status = Int(head.status.code)
            return task.eventLoop.makeSucceededVoidFuture()
        }

        func didReceiveBodyPart(task: HTTPClient.Task<(Int, Int)>, _ part: ByteBuffer) -> EventLoopFuture<Void> {
            size += part.readableBytes
            return task.eventLoop.makeSucceededVoidFuture()
        }

        func didFinishRequest(task: HTTPClient.Task<(Int, Int)>) -> (Int, Int) { (status, size) }
    }

    /// Reads lines of events; their number is the size.
    private final class Following: HTTPClientResponseDelegate, @unchecked Sendable {
        // Touched by the request's event loop only.
        private let record: (Substring) -> Void
        private var status = 0
        private var count = 0

        init(_ record: @escaping (Substring) -> Void) { self.record = record }

        func didReceiveHead(task: HTTPClient.Task<(Int, Int)>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
            status = Int(head.status.code)
            return task.eventLoop.makeSucceededVoidFuture()
        }

        /// Events come whole: each is sent at once, and small.
        func didReceiveBodyPart(task: HTTPClient.Task<(Int, Int)>, _ part: ByteBuffer) -> EventLoopFuture<Void> {
            for line in String(buffer: part).split(separator: "\n") {
                record(line.dropFirst("data: ".count))
                count += 1
            }
            return task.eventLoop.makeSucceededVoidFuture()
        }

        func didFinishRequest(task: HTTPClient.Task<(Int, Int)>) -> (Int, Int) { (status, count) }
    }
}
