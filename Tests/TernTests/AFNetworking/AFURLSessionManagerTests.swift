// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
import TestProofs
import Testing

@testable import Tern
@testable import TernAFNetworking

@Suite(.timeLimit(.minutes(2))) struct AFURLSessionManagerTests {
    private let manager = AFURLSessionManager()

    /// The result of a completion handler.
    private struct Outcome: @unchecked Sendable {
        // Taken over from the handler, which keeps nothing.
        var response: HTTPURLResponse?
        var object: Any?
        var error: (any Error)?
    }

    private func outcome(
        _ make: (@escaping AFURLSessionManager.CompletionHandler) -> SessionTask
    ) async -> Outcome {
        await withCheckedContinuation { continuation in
            make { continuation.resume(returning: Outcome(response: $0, object: $1, error: $2)) }.resume()
        }
    }

    private func json(_ text: String) throws -> ScriptedOrigin {
        try ScriptedOrigin { _, _ in [.respond(fields: [("Content-Type", "application/json")], body: text)] }
    }

    private func request(_ origin: ScriptedOrigin, _ method: String = "GET") throws -> Tern.URLRequest {
        var request = try Tern.URLRequest(string: origin.url())
        request.httpMethod = method
        return request
    }

    @Test(.proves("1.1a", "1.1c", "1.2d", "1.4a", "1.5a", "1.5b", "1.5d", "1.9a", "1.9b", "1.16b"))
    func `a data task is not started, has its place at once, and loses it at its end`() async throws {
        let origin = try json("{\"bird\": \"tern\"}")
        let request = try request(origin)
        let idle = manager.dataTask(with: request) { _, _, error in #expect(error != nil) }
        #expect(idle.state == .suspended)
        #expect(manager.tasks.map(\.taskIdentifier) == [idle.taskIdentifier])
        #expect(manager.downloadProgress(for: idle) != nil && manager.uploadProgress(for: idle) == nil)
        let outcome = await outcome { manager.dataTask(with: request, completionHandler: $0) }
        #expect(outcome.object as? [String: String] == ["bird": "tern"])
        #expect(outcome.response?.statusCode == 200 && outcome.error == nil)
        #expect(manager.dataTasks.map(\.taskIdentifier) == [idle.taskIdentifier])
        #expect(origin.requests.count == 1)
        idle.cancel()
        idle.resume()
        while !manager.tasks.isEmpty { await Task.yield() }
    }

    @Test(.proves("1.1a", "1.5c", "1.6b", "1.6c", "1.6d", "1.9b", "1.10c"))
    func `files, data and streams are uploaded, with progress`() async throws {
        let origin = try ScriptedOrigin { _, request in
            [.respond(fields: [("Content-Type", "text/json")], body: "[\(request.body.count)]")]
        }
        let fractions = Lock<[Double]>([])
        let post = try request(origin, "POST")
        let data = await outcome { handler in
            let task = manager.uploadTask(
                with: post, from: Data(count: 3_000_000),
                progress: { progress in fractions.withLock { $0.append(progress.fractionCompleted) } },
                completionHandler: handler)
            #expect(manager.uploadTasks.map(\.taskIdentifier) == [task.taskIdentifier] && manager.dataTasks.isEmpty)
            #expect(manager.uploadProgress(for: task) != nil)
            return task
        }
        #expect(data.object as? [Int] == [3_000_000])
        #expect(fractions.withLock { $0 == $0.sorted() && $0.last == 1 })
        var streamed = post
        streamed.body = .inputStream(InputStream(data: Data(count: 50_000)))
        let stream = await outcome { manager.uploadTask(withStreamedRequest: streamed, completionHandler: $0) }
        #expect(stream.object as? [Int] == [50_000])
        var withBody = post
        withBody.httpBody = Data(count: 20_000)
        let journal = Journal()
        let body = await outcome {
            manager.dataTask(
                with: withBody, uploadProgress: { if $0.isFinished { journal.note("sent") } },
                downloadProgress: { if $0.isFinished { journal.note("received") } }, completionHandler: $0)
        }
        #expect(body.object as? [Int] == [20_000])
        #expect(Set(journal.entries) == ["sent", "received"])
        #expect(manager.tasks.isEmpty)
    }

    @Test(.proves("1.6a")) func `a file is uploaded as it stands`() async throws {
        let origin = try json("[]")
        let folder = TestFolder()
        let file = try folder.file("file", "in a file")
        let post = try request(origin, "PUT")
        let outcome = await outcome { manager.uploadTask(with: post, fromFile: file, completionHandler: $0) }
        #expect(outcome.error == nil)
        #expect(origin.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["in a file"])
        #expect(origin.requests.map(\.method) == ["PUT"])
    }

    @Test(.proves("1.2c", "1.5d", "1.11a", "1.11f"))
    func `what the serializer refuses is the error, and so is what the transport finds`() async throws {
        let origin = try ScriptedOrigin { _, request in
            [
                .respond(
                    status: request.target == "/missing" ? 404 : 200, fields: [("Content-Type", "text/plain")],
                    body: "x")
            ]
        }
        let plain = try request(origin)
        let wrongType = await outcome { manager.dataTask(with: plain, completionHandler: $0) }
        #expect((wrongType.error as? AFError)?.responseContentType == "text/plain")
        #expect(wrongType.object == nil && wrongType.response?.statusCode == 200)
        manager.responseSerializer = AFHTTPResponseSerializer()
        let fine = await outcome { manager.dataTask(with: plain, completionHandler: $0) }
        #expect(fine.object as? Data == Data("x".utf8))
        let missing = try Tern.URLRequest(string: origin.url("/missing"))
        let wrongStatus = await outcome { manager.dataTask(with: missing, completionHandler: $0) }
        #expect((wrongStatus.error as? AFError)?.responseCode == 404)
        let absent = try Tern.URLRequest(string: "http://127.0.0.1:1/")
        let failed = await outcome { manager.dataTask(with: absent, completionHandler: $0) }
        #expect((failed.error as? SessionError)?.code == .cannotConnectToHost && failed.response == nil)
    }

    @Test(.proves("1.11b")) func `handlers run on the queue and in the group that were set`() async throws {
        let origin = try json("{}")
        let queue = DispatchQueue(label: "completions")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let group = DispatchGroup()
        manager.completionQueue = queue
        manager.completionGroup = group
        let request = try request(origin)
        let isThere = Lock(false)
        _ = await outcome { handler in
            manager.dataTask(with: request) { response, object, error in
                isThere.withLock { $0 = DispatchQueue.getSpecific(key: key) == true }
                handler(response, nil, error)
            }
        }
        #expect(isThere.withLock { $0 })
        await withCheckedContinuation { continuation in group.notify(queue: queue) { continuation.resume() } }
    }

    @Test(.proves("1.1b", "1.15a")) func `blocks for data, sending and the end are called additionally`() async throws {
        let origin = try json("{\"a\": 1}")
        let journal = Journal()
        let received = Lock(Data())
        manager.setDataTaskDidReceiveDataBlock { _, _, data in received.withLock { $0 += data } }
        manager.setTaskDidSendBodyDataBlock { _, _, _, total, _ in journal.note("sent \(total)") }
        manager.setTaskDidCompleteBlock { _, _, error in journal.note("ended \(error == nil)") }
        manager.setDataTaskDidReceiveResponseBlock { _, _, response in
            journal.note("response \(response.statusCode)")
            return .allow
        }
        let post = try request(origin, "POST")
        let outcome = await outcome { manager.uploadTask(with: post, from: Data(count: 3), completionHandler: $0) }
        #expect(outcome.object as? [String: Int] == ["a": 1])
        #expect(journal.entries == ["sent 3", "response 200", "ended true"])
        #expect(received.withLock { $0 } == Data("{\"a\": 1}".utf8))
        manager.setDataTaskDidReceiveDataBlock(nil)
        manager.setDataTaskDidReceiveResponseBlock { _, _, _ in .cancel }
        let refused = await self.outcome { manager.uploadTask(with: post, from: nil, completionHandler: $0) }
        #expect((refused.error as? SessionError)?.code == .cancelled)
    }

    @Test(.proves("1.15g", "1.16e")) func `a block answers what is stored of a response, which is stored without one`()
        async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.respond(fields: [("Cache-Control", "max-age=60")], body: "{}")] }
        var configuration = SessionConfiguration()
        configuration.urlCache = URLCache()
        let manager = AFURLSessionManager(sessionConfiguration: configuration)
        let request = try request(origin)
        manager.setDataTaskWillCacheResponseBlock { _, _, _ in nil }
        for _ in 0..<2 { _ = await outcome { manager.dataTask(with: request, completionHandler: $0) } }
        #expect(origin.requests.count == 2)
        manager.setDataTaskWillCacheResponseBlock(nil)
        for _ in 0..<2 { _ = await outcome { manager.dataTask(with: request, completionHandler: $0) } }
        #expect(origin.requests.count == 3)
    }

    @Test(.proves("1.1b", "1.15c", "1.16a", "1.18a"))
    func `a redirect, a password and a new stream are the blocks' to give`() async throws {
        let origin = try ScriptedOrigin { _, request in
            switch request.target {
            case "/moved": return [.respond(status: 307, fields: [("Location", "/here")])]
            case "/secret" where request.value(of: "Authorization") == nil:
                return [.respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=\"r\"")])]
            default: return [.respond(fields: [("Content-Type", "text/json")], body: "[\(request.body.count)]")]
            }
        }
        let followed = try Tern.URLRequest(string: origin.url("/moved"))
        let there = await outcome { manager.dataTask(with: followed, completionHandler: $0) }
        #expect(there.response?.statusCode == 200)
        manager.setTaskNeedNewBodyStreamBlock { _, _ in InputStream(data: Data(count: 7)) }
        var streamed = followed
        streamed.httpMethod = "POST"
        streamed.body = .inputStream(InputStream(data: Data(count: 5)))
        let again = await outcome { manager.uploadTask(withStreamedRequest: streamed, completionHandler: $0) }
        #expect(again.object as? [Int] == [7])
        manager.setTaskDidReceiveAuthenticationChallengeBlock { _, _, challenge in
            (.useCredential, Credential(user: "u", password: "p", persistence: .none))
        }
        let secret = try Tern.URLRequest(string: origin.url("/secret"))
        let known = await outcome { manager.dataTask(with: secret, completionHandler: $0) }
        #expect(known.response?.statusCode == 200)
        manager.setTaskWillPerformHTTPRedirectionBlock { _, _, _, _ in nil }
        manager.responseSerializer = AFHTTPResponseSerializer(acceptableStatusCodes: nil)
        let stayed = await outcome { manager.dataTask(with: followed, completionHandler: $0) }
        #expect(stayed.response?.statusCode == 307)
    }

    @Test(.proves("1.1e", "1.15f", "1.16c", "1.17a", "1.17b", "1.17d"))
    func `servers are evaluated by the security policy, and a block answers its verdict`() async throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issue(.localhost)
        let origin = try ScriptedOrigin(tls: identity) { _, _ in
            [.respond(fields: [("Content-Type", "text/json")], body: "[]")]
        }
        let request = try Tern.URLRequest(string: origin.url(host: "localhost"))
        let refused = await outcome { manager.dataTask(with: request, completionHandler: $0) }
        #expect((refused.error as? SessionError)?.code == .serverCertificateUntrusted)
        var policy = AFSecurityPolicy(pinningMode: .none)
        policy.allowInvalidCertificates = true
        policy.validatesDomainName = false
        manager.securityPolicy = policy
        #expect(manager.securityPolicy.allowInvalidCertificates)
        let accepted = await outcome { manager.dataTask(with: request, completionHandler: $0) }
        #expect(accepted.error == nil)
        manager.setSessionDidReceiveAuthenticationChallengeBlock { _, _ in (.cancelAuthenticationChallenge, nil) }
        let cancelled = await outcome { manager.dataTask(with: request, completionHandler: $0) }
        #expect(cancelled.error != nil)
        #expect(manager.reachabilityManager === AFNetworkReachabilityManager.shared())
    }

    @Test(.proves("1.11g", "1.15f", "1.21b")) func `the end of a task, and of the session, is posted`() async throws {
        let origin = try json("{\"a\": 1}")
        let task = manager.dataTask(with: try request(origin))
        let identifier = task.taskIdentifier
        let notes = await withCheckedContinuation { (continuation: CheckedContinuation<[Bool], Never>) in
            let waiting = Lock<CheckedContinuation<[Bool], Never>?>(continuation)
            _ = NotificationCenter.default.addObserver(
                forName: .AFNetworkingTaskDidComplete, object: nil, queue: nil
            ) { notification in
                guard (notification.object as? SessionTask)?.taskIdentifier == identifier else { return }
                let info = notification.userInfo ?? [:]
                let notes = [
                    info[Notification.Key.AFNetworkingTaskDidCompleteResponseSerializer] is AFJSONResponseSerializer,
                    info[Notification.Key.AFNetworkingTaskDidCompleteSerializedResponse] as? [String: Int] == ["a": 1],
                    info[Notification.Key.AFNetworkingTaskDidCompleteResponseData] as? Data == Data("{\"a\": 1}".utf8),
                    info[Notification.Key.AFNetworkingTaskDidCompleteError] == nil,
                    info[Notification.Key.AFNetworkingTaskDidCompleteSessionTaskMetrics] is TaskMetrics,
                ]
                waiting.withLock { $0.take() }?.resume(returning: notes)
            }
            task.resume()
        }
        #expect(notes == [true, true, true, true, true])
        let journal = Journal()
        manager.setSessionDidBecomeInvalidBlock { _, error in journal.note("invalid \(error == nil)") }
        let session = manager.session
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let waiting = Lock<CheckedContinuation<Void, Never>?>(continuation)
            _ = NotificationCenter.default.addObserver(
                forName: .AFURLSessionDidInvalidate, object: session, queue: nil
            ) { _ in waiting.withLock { $0.take() }?.resume() }
            manager.invalidateSessionCancelingTasks(true)
        }
        #expect(journal.entries == ["invalid true"])
    }

    @Test(.proves("1.4b", "1.9d", "11.4b"))
    func `releasing the manager ends its tasks, and its table is empty after thousands`() async throws {
        let holding = try ScriptedOrigin { _, _ in [.hold] }
        let request = try request(holding)
        var short: AFURLSessionManager? = AFURLSessionManager()
        let task = short?.dataTask(with: request)
        let ended = await withCheckedContinuation { (continuation: CheckedContinuation<(any Error)?, Never>) in
            let pending = short?.dataTask(with: request) { _, _, error in continuation.resume(returning: error) }
            pending?.resume()
            short = nil
        }
        #expect((ended as? SessionError)?.code == .cancelled)
        withExtendedLifetime(task) {}
        let origin = try json("1")
        let many = try self.request(origin)
        manager.responseSerializer = AFHTTPResponseSerializer()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    for _ in 0..<50 {
                        _ = await self.outcome { self.manager.dataTask(with: many, completionHandler: $0) }
                    }
                }
            }
        }
        #expect(manager.tasks.isEmpty)
    }
}
