// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import CCurlMulti
internal import NIOCore
internal import NIOHTTP1

/// async-http-client by futures and a delegate that discards, its leanest interface.
struct AsyncHTTPClientFutures: BenchmarkClient {
    private let load: Load
    private let client: HTTPClient

    init(_ load: Load) {
        self.load = load
        client = AsyncHTTPClientSetup.client(load)
    }

    func run(until deadline: UInt64) async -> Tally {
        guard let request = try? HTTPClient.Request(url: load.url) else { return Tally(errors: 1) }
        return await runLoops(load) {
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
            client.execute(request: request, delegate: Discarding()).futureResult.whenComplete { [self] result in
                let end = monotonic_nanoseconds()
                let (status, size) = (try? result.get()) ?? (0, 0)
                tally.record(status: status, size: size, of: load, from: begin, to: end)
                if tally.goesOn(at: end, until: deadline) { self.begin() } else { done(tally) }
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
}
