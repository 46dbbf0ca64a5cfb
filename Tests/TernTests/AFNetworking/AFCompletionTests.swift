// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
import TestProofs
import Testing

@testable import Tern
@testable import TernAFNetworking

@Suite(.timeLimit(.minutes(2))) struct AFCompletionTests {
    private let manager = AFURLSessionManager()

    /// Returns nothing before two bodies are being serialized.
    private final class Meeting: AFURLResponseSerialization, Sendable {
        struct Alone: Error {}
        private let condition = NSCondition()
        private let count = Lock(0)

        func responseObject(for response: HTTPURLResponse?, data: Data?) throws -> Any? {
            let end = Date(timeIntervalSinceNow: 30)
            condition.lock()
            defer { condition.unlock() }
            count.withLock { $0 += 1 }
            condition.broadcast()
            while count.withLock({ $0 }) < 2 {
                if !condition.wait(until: end) { throw Alone() }
            }
            return "met"
        }
    }

    @Test(.proves("1.11d")) func `two bodies are serialized at the same time`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("x")] }
        let request = try Tern.URLRequest(string: origin.url())
        manager.responseSerializer = Meeting()
        let (objects, continuation) = AsyncStream.makeStream(of: String.self)
        for _ in 0..<2 {
            manager.dataTask(with: request) { continuation.yield($1 as? String ?? "\(String(describing: $2))") }
                .resume()
        }
        var iterator = objects.makeAsyncIterator()
        #expect(await iterator.next() == "met")
        #expect(await iterator.next() == "met")
    }

    @Test(.proves("1.11h")) func `an error is posted with the end of its task`() async throws {
        let task = manager.dataTask(with: try Tern.URLRequest(string: "http://127.0.0.1:1/"))
        let identifier = task.taskIdentifier
        let (codes, continuation) = AsyncStream.makeStream(of: URLError.Code?.self)
        let observer = NotificationCenter.default.addObserver(
            forName: .AFNetworkingTaskDidComplete, object: nil, queue: nil
        ) { notification in
            guard (notification.object as? SessionTask)?.taskIdentifier == identifier else { return }
            let error = notification.userInfo?[Notification.Key.AFNetworkingTaskDidCompleteError]
            continuation.yield((error as? SessionError)?.code)
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        task.resume()
        #expect(try #require(await codes.first { _ in true }) == .cannotConnectToHost)
    }
}
