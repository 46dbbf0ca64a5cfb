// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
import TestProofs
import Testing

@testable import Tern
@testable import TernAFNetworking

@Suite(.timeLimit(.minutes(2))) struct AFURLSessionManagerCallbacksTests {
    private let manager = AFURLSessionManager()

    /// Counts callers that are between `enter` and `leave` at the same time.
    private struct Presence {
        var present = 0
        var most = 0

        mutating func enter() {
            present += 1
            most = max(most, present)
        }
    }

    @Test(.proves("1.1f", "1.2a")) func `a manager without a configuration has AFNetworking's settings`() {
        #expect(manager.responseSerializer is AFJSONResponseSerializer)
        let policy = manager.securityPolicy
        #expect(policy.sslPinningMode == .none && !policy.allowInvalidCertificates && policy.validatesDomainName)
        #expect(manager.reachabilityManager === AFNetworkReachabilityManager.shared())
        #expect(manager.completionQueue == nil && manager.completionGroup == nil)
        #expect(manager.tasks.isEmpty)
        let timeout = SessionConfiguration.default.timeoutIntervalForRequest
        #expect(manager.session.configuration.timeoutIntervalForRequest == timeout)
        var configuration = SessionConfiguration.default
        configuration.timeoutIntervalForRequest = 7
        let other = AFURLSessionManager(sessionConfiguration: configuration)
        #expect(other.session.configuration.timeoutIntervalForRequest == 7)
    }

    @Test(.proves("1.2b", "1.10d", "1.11c"))
    func `blocks, progress and completion handlers never overlap, however many tasks run`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("[]")] }
        let request = try Tern.URLRequest(string: origin.url())
        let presence = Lock(Presence())
        @Sendable func stay() {
            presence.withLock { $0.enter() }
            for _ in 0..<20 { sched_yield() }
            presence.withLock { $0.present -= 1 }
        }
        manager.responseSerializer = AFHTTPResponseSerializer()
        manager.setDataTaskDidReceiveDataBlock { _, _, _ in stay() }
        manager.setTaskDidCompleteBlock { _, _, _ in stay() }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask { @Sendable [manager] in
                    await withCheckedContinuation { continuation in
                        let task = manager.dataTask(
                            with: request, uploadProgress: nil, downloadProgress: { _ in stay() },
                            completionHandler: { _, _, _ in
                                stay()
                                continuation.resume()
                            })
                        task.resume()
                    }
                }
            }
        }
        #expect(presence.withLock { $0.most } == 1)
    }

    @Test(.proves("1.10a")) func `the total of a progress is unknown until the response says how long it is`()
        async throws
    {
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n"
        let origin = try ScriptedOrigin { _, request in
            request.target == "/unknown" ? [.send(chunked), .hold, .send("0\r\n\r\n")] : [.ok("[]")]
        }
        let (totals, continuation) = AsyncStream.makeStream(of: Int64.self)
        func start(_ path: String) throws -> SessionTask {
            let request = try Tern.URLRequest(string: origin.url(path))
            let task = manager.dataTask(
                with: request, uploadProgress: nil, downloadProgress: { continuation.yield($0.totalUnitCount) },
                completionHandler: nil)
            task.resume()
            return task
        }
        var iterator = totals.makeAsyncIterator()
        let task = try start("/unknown")
        #expect(await iterator.next() == -1)
        #expect(manager.downloadProgress(for: task)?.totalUnitCount == -1)
        try origin.release()
        _ = try start("/known")
        var last = await iterator.next()
        while last == -1 { last = await iterator.next() }
        #expect(last == 2)
    }
}
