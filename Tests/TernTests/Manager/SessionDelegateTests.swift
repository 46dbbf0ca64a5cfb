// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
import TestProofs
import Testing

import enum TernEngine.BasicScheme

@testable import Tern

@Suite struct SessionDelegateTests {
    private let journal = Journal()

    private func redirecting() throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in
            request.target == "/from"
                ? [.respond(status: 302, fields: [("Location", "/to")], body: "moved")] : [.ok(request.target)]
        }
    }

    /// Wants a password, and redirects to what the target has for a query.
    private func asking() throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in
            if let location = request.target.split(separator: "?", maxSplits: 1).dropFirst().first {
                return [.respond(status: 302, fields: [("Location", String(location))], body: "moved")]
            }
            guard let value = request.value(of: "Authorization") else {
                return [
                    .respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=\"a \\\"b\\\"\"")], body: "who?")
                ]
            }
            return [.ok(value)]
        }
    }

    @Test(.proves("3.1a", "3.3a", "11.3a"))
    func
        `the closure with a completion handler comes before the plain one, then the task's delegate, then the default`()
        async throws
    {
        let origin = try redirecting()
        let manager = SessionManager()
        manager.startRequestsImmediately = false
        func target() async -> String? {
            let request = manager.request(origin.url("/from"))
            request.delegate.taskWillPerformHTTPRedirection = { [journal] _, _, _, request in
                journal.note("task")
                return request
            }
            request.resume()
            return await request.serializingString().result.value
        }
        manager.delegate.taskWillPerformHTTPRedirectionWithCompletion = { [journal] _, _, _, _, completion in
            journal.note("completion")
            completion(nil)
        }
        manager.delegate.taskWillPerformHTTPRedirection = { [journal] _, _, _, request in
            journal.note("closure")
            return request
        }
        #expect(await target() == "moved")
        manager.delegate.taskWillPerformHTTPRedirectionWithCompletion = nil
        #expect(await target() == "/to")
        manager.delegate.taskWillPerformHTTPRedirection = nil
        #expect(await target() == "/to")
        let plain = manager.request(origin.url("/from"))
        plain.resume()
        #expect(await plain.serializingString().result.value == "/to")
        #expect(journal.entries == ["completion", "closure", "task"])
    }

    @Test(.proves("3.5a", "3.10b"))
    func `a redirect answered with nothing is the response, and another request is followed`() async throws {
        let origin = try redirecting()
        let manager = SessionManager()
        manager.delegate.taskWillPerformHTTPRedirection = { _, _, _, _ in nil }
        let stopped = await manager.request(origin.url("/from")).serializingString().response
        #expect(stopped.response?.statusCode == 302)
        #expect(stopped.value == "moved")
        let elsewhere = try URLRequest(url: origin.url("/elsewhere"), method: .get)
        manager.delegate.taskWillPerformHTTPRedirection = { _, _, _, _ in elsewhere }
        #expect(await manager.request(origin.url("/from")).serializingString().result.value == "/elsewhere")
    }

    @Test(.proves("3.3c")) func `a closure with a completion handler may answer later, from another thread`()
        async throws
    {
        let origin = try redirecting()
        let manager = SessionManager()
        manager.delegate.taskWillPerformHTTPRedirectionWithCompletion = { _, _, _, request, completion in
            DispatchQueue.global().async {
                completion(request)
                completion(nil)
            }
        }
        #expect(await manager.request(origin.url("/from")).serializingString().result.value == "/to")
    }

    /// The closure of the hub, then that of the request's delegate, then the handler of the request.
    @Test(.proves("3.6d", "3.12a")) func `closures and handlers answer what is stored of a response`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(fields: [("Cache-Control", "max-age=60")], body: "sent")] }
        var configuration = SessionConfiguration()
        let cache = URLCache()
        configuration.urlCache = cache
        let manager = SessionManager(configuration: configuration)
        func value(_ path: String, _ change: (DataRequest) -> Void = { _ in }) async -> String? {
            let request = manager.request(origin.url(path))
            change(request)
            request.resume()
            return await request.serializingString().result.value
        }
        manager.startRequestsImmediately = false
        for _ in 0..<2 { #expect(await value("/default") == "sent") }
        #expect(origin.requests.count == 1)
        for _ in 0..<2 {
            #expect(await value("/none") { $0.cacheResponse(using: ResponseCacher.doNotCache) } == "sent")
        }
        #expect(origin.requests.count == 3)
        let modify = ResponseCacher(
            behavior: .modify { _, proposed in
                CachedURLResponse(response: proposed.response, data: proposed.data + Data(" once".utf8))
            })
        #expect(await value("/changed") { $0.cacheResponse(using: modify) } == "sent")
        #expect(await value("/changed") == "sent once")
        manager.delegate.dataTaskWillCacheResponse = { [journal] _, _, proposed in
            journal.note(String(decoding: proposed.data, as: UTF8.self))
            return nil
        }
        for _ in 0..<2 { #expect(await value("/hub") { $0.cacheResponse(using: ResponseCacher.cache) } == "sent") }
        manager.delegate.dataTaskWillCacheResponseWithCompletion = { [journal] _, _, proposed, completion in
            journal.note("completion")
            DispatchQueue.global().async { completion(proposed) }
        }
        #expect(await value("/late") == "sent")
        #expect(journal.entries == ["sent", "sent", "completion"])
        manager.delegate.dataTaskWillCacheResponse = nil
        manager.delegate.dataTaskWillCacheResponseWithCompletion = nil
        let count = origin.requests.count
        #expect(await value("/own") { $0.delegate.dataTaskWillCacheResponse = { _, _, _ in nil } } == "sent")
        #expect(await value("/own") == "sent" && origin.requests.count == count + 2)
    }

    @Test(.proves("3.6a", "3.11b")) func `a response that the closure refuses cancels the request`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("body")] }
        let manager = SessionManager()
        manager.delegate.dataTaskDidReceiveResponse = { [journal] _, _, response in
            journal.note("\(response.statusCode)")
            return .cancel
        }
        let response = await manager.request(origin.url()).serializingString().response
        guard case .cancelled? = (response.error as? SessionError)?.reason else {
            Issue.record("\(String(describing: response.error))")
            return
        }
        #expect(response.response?.statusCode == 200)
        manager.delegate.dataTaskDidReceiveResponseWithCompletion = { [journal] _, _, _, completion in
            journal.note("completion")
            completion(.allow)
        }
        #expect(await manager.request(origin.url()).serializingString().result.value == "body")
        #expect(journal.entries == ["200", "completion"])
    }

    @Test(.proves("3.1a", "3.6b", "5.10b", "11.3a")) func `a closure for data gets it in place of the request`()
        async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.ok("body")] }
        let manager = SessionManager()
        manager.delegate.dataTaskDidReceiveData = { [journal] _, _, data in
            journal.note(String(decoding: data, as: UTF8.self))
        }
        let response = await manager.request(origin.url()).serializingData().response
        #expect(response.value == Data())
        #expect(journal.entries == ["body"])
    }

    @Test(.proves("3.5e", "3.13c", "5.8a", "12.7a"))
    func `the closure for the end is called additionally, with the error of validation, before any handler`()
        async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 500, body: "body")] }
        let manager = SessionManager()
        manager.delegate.taskDidComplete = { [journal] _, task, error in
            journal.note("end \(task.response?.statusCode ?? 0) \((error as? AFError)?.responseCode ?? 0)")
        }
        let request = manager.begin { [journal] manager -> DataRequest in
            let request = manager.request(origin.url()).validate().response { _ in journal.note("handler") }
            request.delegate.taskDidCompleteWithError = { _, _, _ in journal.note("task's") }
            return request
        }
        let response = await request.serializingData().response
        #expect((response.error as? AFError)?.responseCode == 500)
        #expect(response.data == Data("body".utf8))
        #expect(journal.entries == ["end 500 500", "task's", "handler"])
    }

    @Test(.proves("4.8a", "5.5c", "6.2a", "6.2b"))
    func `a request's credential answers a server that asks for a password, once`() async throws {
        let origin = try asking()
        let manager = SessionManager()
        let answered = await manager.begin { $0.request(origin.url()).authenticate(user: "a", password: "b") }
            .serializingString().response
        #expect(answered.value == "Basic YTpi")
        let refusing = try ScriptedOrigin { _, _ in
            [.respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=\"r\"")], body: "no")]
        }
        let refused = await manager.begin { $0.request(refusing.url()).authenticate(user: "a", password: "b") }
            .serializingString().response
        #expect(refused.response?.statusCode == 401)
        #expect(refusing.observations.requestCount == 2)
    }

    @Test(.proves("3.10c"))
    func `a request's credential stays behind once a redirect has left its origin, also after a return`()
        async throws
    {
        let (home, other) = try (asking(), asking())
        let manager = SessionManager()
        let ways = [
            (home.url("/?" + home.url()), "Basic YTpi"), (home.url("/?" + other.url()), "who?"),
            (home.url("/?" + other.url("/?" + home.url("/secret"))), "who?"),
        ]
        for (start, answer) in ways {
            let result = await manager.begin { $0.request(start).authenticate(user: "a", password: "b") }
                .serializingString().result
            #expect(result.value == answer)
        }
        let given = [home, other].map { $0.requests.filter { $0.value(of: "Authorization") != nil }.count }
        #expect(given == [1, 0])
        // A closure is called, and its answer counts.
        manager.delegate.taskDidReceiveChallenge = { [journal] _, _, challenge in
            journal.note("\(challenge.protectionSpace.port == Int(other.port)) \(challenge.hasLeftOrigin)")
            return (.useCredential, Credential(user: "closure", password: "p", persistence: .none))
        }
        let value = await manager.request(ways[1].0).serializingString().result.value
        #expect(value == BasicScheme.authorization("closure:p"))
        _ = await manager.request(home.url()).serializingString().result
        #expect(journal.entries == ["true true", "false false"])
    }

    @Test func `a challenge waits for no credential, and its response is there without a handler`() async throws {
        let origin = try asking()
        let manager = SessionManager()
        let silent = manager.request(origin.url())
        let end = ContinuousClock.now + .seconds(10)
        while silent.response == nil, ContinuousClock.now < end { await Task.yield() }
        #expect(silent.response?.statusCode == 401)
        silent.authenticate(user: "a", password: "b")
        #expect(await silent.serializingString().result.value == "who?")
    }

    @Test(.proves("3.3b", "3.5b", "6.2b", "6.3d"))
    func `closures for challenges come before the credential, in their order`() async throws {
        let origin = try asking()
        let manager = SessionManager()
        func answer() async -> String? {
            await manager.begin { $0.request(origin.url()).authenticate(user: "own", password: "p") }
                .serializingString().result.value
        }
        manager.delegate.taskDidReceiveChallenge = { [journal] _, _, challenge in
            journal.note("\(challenge.protectionSpace.host) \(challenge.protectionSpace.realm ?? "none")")
            return (.useCredential, Credential(user: "closure", password: "p", persistence: .none))
        }
        #expect(await answer() == BasicScheme.authorization("closure:p"))
        manager.delegate.taskDidReceiveChallengeWithCompletion = { _, _, _, completion in
            completion(.rejectProtectionSpace, nil)
        }
        #expect(await answer() == "who?")
        manager.delegate.taskDidReceiveChallenge = nil
        manager.delegate.taskDidReceiveChallengeWithCompletion = nil
        #expect(await answer() == BasicScheme.authorization("own:p"))
        #expect(journal.entries == ["127.0.0.1 a \"b\""])
    }

    @Test func `a challenge that is cancelled ends the request`() async throws {
        let origin = try asking()
        let manager = SessionManager()
        manager.delegate.taskDidReceiveChallenge = { _, _, _ in (.cancelAuthenticationChallenge, nil) }
        let error = await manager.request(origin.url()).serializingString().response.error as? SessionError
        guard case .cancelled? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(.proves("3.1b", "3.16a")) func `a subclass receives every event in order, and its answers count`()
        async throws
    {
        final class Hub: SessionDelegate, @unchecked Sendable {
            let journal = Journal()

            override func urlSession(
                _ session: Session, dataTask: SessionDataTask, didReceive response: HTTPURLResponse,
                completionHandler: @escaping ResponseCompletion
            ) {
                journal.note("response")
                super.urlSession(
                    session, dataTask: dataTask, didReceive: response, completionHandler: completionHandler)
            }

            override func urlSession(_ session: Session, dataTask: SessionDataTask, didReceive data: Data) {
                journal.note("data")
                super.urlSession(session, dataTask: dataTask, didReceive: data)
            }

            override func urlSession(_ session: Session, task: SessionTask, didFinishCollecting metrics: TaskMetrics) {
                journal.note("metrics")
            }

            override func urlSession(_ session: Session, task: SessionTask, didCompleteWithError error: (any Error)?) {
                journal.note("end")
                super.urlSession(session, task: task, didCompleteWithError: error)
            }
        }
        let origin = try ScriptedOrigin { _, _ in [.ok("body")] }
        let hub = Hub()
        let manager = SessionManager(delegate: hub)
        let request = manager.request(origin.url())
        #expect(await request.serializingString().result.value == "body")
        #expect(hub.journal.entries == ["response", "data", "metrics", "end"])
        #expect(request.delegate.metrics != nil)
        #expect(hub.requests.isEmpty)
    }

    @Test func `a large body passes through a slow closure whole and in order, and the socket waits`() async throws {
        let piece = [UInt8](repeating: 7, count: 64 * 1024)
        let origin = try ScriptedOrigin { _, _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: \(64 * piece.count)\r\n\r\n"), .repeat(piece, count: 64)]
        }
        let manager = SessionManager()
        let count = Lock(0)
        manager.delegate.dataTaskDidReceiveData = { _, _, data in count.withLock { $0 += data.count } }
        _ = await manager.request(origin.url()).serializingData().response
        #expect(count.withLock { $0 } == 64 * piece.count)
    }

    @Test(.proves("3.2a", "3.13d", "11.2a", "12.6a")) func `a task belongs to its request from the start to the end`()
        async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.hold, .ok("body")] }
        let manager = SessionManager()
        let request = manager.request(origin.url())
        let task = try #require(request.task)
        #expect(manager.delegate[task] === request)
        #expect(await origin.waitFor { $0.requestCount == 1 })
        try origin.release()
        _ = await request.serializingData().response
        #expect(manager.delegate[task] == nil)
        #expect(manager.delegate.requests.isEmpty)
    }

    @Test func `a task that was made on the session has its closures too, and no request`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("body")] }
        let manager = SessionManager()
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        manager.delegate.dataTaskDidReceiveData = { [journal] _, _, data in
            journal.note(String(decoding: data, as: UTF8.self))
        }
        manager.delegate.taskDidComplete = { _, _, _ in continuation.yield() }
        manager.session.dataTask(with: try URLRequest(url: origin.url(), method: .get)).resume()
        _ = await ends.first { _ in true }
        #expect(journal.entries == ["body"])
    }

    @Test(.proves("3.4a")) func `the closure for the end of the session is called when the manager has gone`()
        async throws
    {
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        let hub = SessionDelegate()
        hub.sessionDidBecomeInvalidWithError = { _, _ in continuation.yield() }
        var manager: SessionManager? = SessionManager(delegate: hub)
        withExtendedLifetime(manager) {}
        manager = nil
        _ = await ends.first { _ in true }
    }

    @Test func `closures may cancel, drop the manager, and begin the next request`() async throws {
        let origin = try ScriptedOrigin { _, request in [.ok(request.target)] }
        let manager = Lock<SessionManager?>(SessionManager())
        let (values, continuation) = AsyncStream.makeStream(of: String.self)
        let current = try #require(manager.withLock { $0 })
        current.delegate.taskDidComplete = { _, task, _ in
            guard task.originalRequest.url?.path == "/1" else { return }
            manager.withLock { $0 }?.request(origin.url("/2")).responseString {
                continuation.yield($0.value ?? "none")
                let last = manager.withLock { $0.take() }
                withExtendedLifetime(last) {}
                continuation.finish()
            }
        }
        current.request(origin.url("/1")).responseString { continuation.yield($0.value ?? "none") }
        #expect(await values.reduce(into: []) { $0.append($1) } == ["/1", "/2"])
    }
}
