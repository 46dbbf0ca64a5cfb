// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
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

    @Test func `a manager without a configuration has AFNetworking's settings`() {
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

    @Test func `blocks, progress and completion handlers never overlap, however many tasks run`() async throws {
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

    @Test func `the total of a progress is unknown until the response says how long it is`() async throws {
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

    @Test func `an error is posted with the end of its task`() async throws {
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

    @Test func `notifications have AFNetworking's names`() {
        let names: [Notification.Name] = [
            .AFNetworkingTaskDidResume, .AFNetworkingTaskDidSuspend, .AFNetworkingTaskDidComplete,
            .AFURLSessionDidInvalidate, .AFURLSessionDownloadTaskDidMoveFileSuccessfully,
            .AFURLSessionDownloadTaskDidFailToMoveFile,
        ]
        let suffixes = [
            "task.resume", "task.suspend", "task.complete", "session.invalidate",
            "session.download.file-manager-succeed", "session.download.file-manager-error",
        ]
        #expect(names.map(\.rawValue) == suffixes.map { "com.alamofire.networking.\($0)" })
    }

    @Test func `two bodies are serialized at the same time`() async throws {
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
}
