// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
import TestProofs
import Testing

@testable import Tern

@Suite struct RequestRetrierTests {
    /// Answers with a closure.
    private final class Retrier: RequestRetrier {
        let answer: @Sendable (Request, any Error, @escaping RequestRetryCompletion) -> Void

        init(_ answer: @escaping @Sendable (Request, any Error, @escaping RequestRetryCompletion) -> Void) {
            self.answer = answer
        }

        func should(
            _ manager: SessionManager, retry request: Request, with error: any Error,
            completion: @escaping RequestRetryCompletion
        ) {
            answer(request, error, completion)
        }
    }

    /// Fails the first `count` requests.
    private func failing(_ count: Int) throws -> ScriptedOrigin {
        let left = Lock(count)
        return try ScriptedOrigin { _, _ in
            let fails = left.withLock {
                $0 -= 1
                return $0 >= 0
            }
            return [fails ? .respond(status: 503, body: "busy") : .ok("body")]
        }
    }

    private func manager(
        _ answer: @escaping @Sendable (Request, any Error, @escaping RequestRetryCompletion) -> Void
    ) -> SessionManager {
        let manager = SessionManager()
        manager.retrier = Retrier(answer)
        return manager
    }

    @Test(.proves("2.17b", "3.13b", "4.3a", "7.2d"))
    func `a request that failed its validation is asked again, and its handlers run once`() async throws {
        let origin = try failing(2)
        let journal = Journal()
        let manager = manager { request, error, completion in
            journal.note("asked \(request.retryCount) \((error as? AFError)?.responseCode ?? 0)")
            completion(true, 0)
        }
        manager.startRequestsImmediately = false
        let request = manager.request(origin.url())
            .response { journal.note("first \($0.response?.statusCode ?? 0)") }
            .validate { _, response, data in
                journal.note("judged \(response.statusCode) \(data?.count ?? -1)")
                return .success
            }
            .validate()
            .responseString { journal.note("second \($0.value ?? "none")") }
        let first = request.task
        request.resume()
        #expect(await request.serializingString().result.value == "body")
        #expect(
            journal.entries == [
                "judged 503 4", "asked 0 503", "judged 503 4", "asked 1 503", "judged 200 4", "first 200",
                "second body",
            ])
        #expect(request.task !== first)
        #expect(request.retryCount == 2)
        #expect(request.delegate.error == nil)
        #expect(manager.delegate.requests.isEmpty)
    }

    @Test(.proves("2.17c", "4.4e", "5.4b", "12.9a"))
    func `threads that read a request's task while retries replace it find each task`()
        async throws
    {
        let origin = try failing(50)
        let manager = manager { _, _, completion in completion(true, 0) }
        manager.startRequestsImmediately = false
        let request = manager.request(origin.url()).validate()
        let isOver = Lock(false)
        let first = try #require(request.task?.taskIdentifier)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<3 {
                group.addTask { @Sendable in
                    var (latest, isOrdered) = (first, true)
                    while !isOver.withLock({ $0 }) {
                        let identifier = request.task?.taskIdentifier ?? 0
                        isOrdered = isOrdered && identifier >= latest
                        latest = identifier
                        await Task.yield()
                    }
                    return isOrdered
                }
            }
            request.resume()
            #expect(await request.serializingString().result.value == "body")
            isOver.withLock { $0 = true }
            for await isOrdered in group { #expect(isOrdered) }
        }
        #expect(request.retryCount == 50)
        #expect(request.task?.taskIdentifier ?? 0 >= first + 50)
    }

    @Test func `a no ends the request with the error it had`() async throws {
        let origin = try failing(9)
        let manager = manager { request, _, completion in completion(request.retryCount < 2, 0.001) }
        let response = await manager.begin { $0.request(origin.url()).validate() }.serializingString().response
        #expect((response.error as? AFError)?.responseCode == 503)
        #expect(response.data == Data("busy".utf8))
        #expect(origin.observations.requestCount == 3)
    }

    @Test(.proves("7.2a", "12.5a")) func `a retrier that answers twice has the request asked again once`() async throws
    {
        let origin = try failing(1)
        let manager = manager { _, _, completion in
            completion(true, 0)
            completion(true, 0)
            completion(false, 0)
        }
        #expect(await manager.begin { $0.request(origin.url()).validate() }.serializingString().result.value == "body")
        #expect(origin.observations.requestCount == 2)
    }

    @Test(.proves("7.2b")) func `a retrier that releases the question has said no`() async throws {
        let origin = try failing(9)
        let manager = manager { _, _, _ in }
        let response = await manager.begin { $0.request(origin.url()).validate() }.serializingString().response
        #expect((response.error as? AFError)?.responseCode == 503)
        #expect(manager.delegate.requests.isEmpty)
    }

    @Test(.proves("7.2c")) func `answers may come from another thread, and any delay is one`() async throws {
        let origin = try failing(5)
        let delays = [-1, .nan, -.infinity, 0, 0.001]
        let manager = manager { request, _, completion in
            DispatchQueue.global().async { completion(true, delays[Int(request.retryCount)]) }
        }
        #expect(await manager.begin { $0.request(origin.url()).validate() }.serializingString().result.value == "body")
    }

    @Test(.proves("7.2c", "12.9b")) func `cancelling ends a request that waits for the retrier, or for its delay`()
        async throws
    {
        let origin = try failing(9)
        let held = Lock<[RequestRetryCompletion]>([])
        let (asked, continuation) = AsyncStream.makeStream(of: Void.self)
        let manager = manager { _, _, completion in
            held.withLock { $0.append(completion) }
            continuation.yield()
        }
        var questions = asked.makeAsyncIterator()
        for delay in [nil, 1e300] {
            let request = manager.begin { $0.request(origin.url()).validate() }
            await questions.next()
            if let delay { held.withLock { $0.last }?(true, delay) }
            request.cancel()
            let error = await request.serializingString().response.error as? SessionError
            guard case .cancelled? = error?.reason else {
                Issue.record("\(String(describing: error))")
                return
            }
            held.withLock { $0.first }?(true, 0)
        }
        #expect(manager.delegate.requests.isEmpty)
    }

    @Test func `releasing the manager ends a request that a retrier never answers for, with its error`()
        async throws
    {
        let origin = try failing(9)
        let held = Lock<[RequestRetryCompletion]>([])
        let (asked, continuation) = AsyncStream.makeStream(of: Void.self)
        let request: DataRequest
        do {
            let manager = manager { _, _, completion in
                held.withLock { $0.append(completion) }
                continuation.yield()
            }
            request = manager.begin { $0.request(origin.url()).validate() }
            _ = await asked.first { _ in true }
        }
        let response = await request.serializingString().response
        #expect((response.error as? AFError)?.responseCode == 503)
        held.withLock { $0.first }?(true, 0)
    }

    @Test(.proves("7.2d"))
    func `a lost connection is asked about like any other error, and what was streamed is streamed again`()
        async throws
    {
        let left = Lock(1)
        let origin = try ScriptedOrigin { _, _ in
            let fails = left.withLock {
                $0 -= 1
                return $0 >= 0
            }
            let half = ScriptedOrigin.Step.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbo")
            return fails ? [half, .close] : [half, .send("dy")]
        }
        let manager = manager { _, error, completion in completion(error is SessionError, 0) }
        // The first attempt may be over before the chain is.
        manager.startRequestsImmediately = false
        let streamed = Lock("")
        let request = manager.request(origin.url(), method: .post)
            .stream { data in streamed.withLock { $0 += String(decoding: data, as: UTF8.self) } }
        request.resume()
        let response = await request.serializingData().response
        #expect(response.data == nil)
        #expect(streamed.withLock { $0 } == "bobody")
    }

    @Test func `retriers in a row are asked until one says yes`() async throws {
        let origin = try failing(1)
        let journal = Journal()
        func retrier(_ name: String, _ answer: Bool?) -> Retrier {
            Retrier { _, _, completion in
                journal.note(name)
                if let answer { completion(answer, 0) }
            }
        }
        let manager = SessionManager()
        manager.retrier = Interceptor(
            retriers: [retrier("silent", nil), retrier("no", false), retrier("yes", true), retrier("late", true)])
        #expect(await manager.begin { $0.request(origin.url()).validate() }.serializingString().result.value == "body")
        #expect(journal.entries == ["silent", "no", "yes"])
    }

    @Test func `a retrier may begin another request and cancel the one it is asked about`() async throws {
        let origin = try failing(9)
        let journal = Journal()
        let retrier = Retrier { request, _, completion in
            journal.note("asked")
            request.cancel()
            completion(true, 0)
        }
        let manager = SessionManager()
        manager.retrier = retrier
        let response = await manager.begin { $0.request(origin.url()).validate() }.serializingString().response
        #expect(response.error is SessionError)
        #expect(journal.entries == ["asked"])
    }

    @Test func `nothing of a request is held when it has ended`() async throws {
        final class Held: Sendable {}
        let origin = try failing(1)
        let manager = manager { _, _, completion in completion(true, 0) }
        var held: Held? = Held()
        weak let released = held
        weak var ended: DataRequest?
        do {
            manager.startRequestsImmediately = false
            let request = manager.request(origin.url()).validate()
            ended = request
            request.delegate.taskDidCompleteWithError = { [held, request] _, _, _ in
                withExtendedLifetime((held, request)) {}
            }
            request.validate { [held] _, _, _ in withExtendedLifetime(held) { .success } }
            request.downloadProgress { [held, request] _ in withExtendedLifetime((held, request)) {} }
            request.response { [held, request] _ in withExtendedLifetime((held, request)) {} }
            held = nil
            request.resume()
            _ = await request.serializingString().response
        }
        let end = ContinuousClock.now + .seconds(5)
        while released != nil || ended != nil, ContinuousClock.now < end { await Task.yield() }
        #expect(released == nil)
        #expect(ended == nil)
    }
}

/// As the documentation tells users to write one.
private final class OAuth2Handler: RequestInterceptor {
    private struct State {
        var token: String
        var isRefreshing = false
        var waiting: [RequestRetryCompletion] = []
    }

    private let refreshURL: String
    private let refreshing = SessionManager()
    private let state: Lock<State>

    init(token: String, refreshURL: String) {
        self.refreshURL = refreshURL
        state = Lock(State(token: token))
    }

    func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
        var request = urlRequest
        request.setValue("Bearer \(state.withLock { $0.token })", forHTTPHeaderField: "Authorization")
        return request
    }

    func should(
        _ manager: SessionManager, retry request: Request, with error: any Error,
        completion: @escaping RequestRetryCompletion
    ) {
        guard request.response?.statusCode == 401, request.retryCount < 2 else { return completion(false, 0) }
        let sent = request.request?.value(forHTTPHeaderField: "Authorization")
        let (isNew, refreshes) = state.withLock { state -> (Bool, Bool) in
            // Another request has refreshed the token since this one was sent.
            if sent != "Bearer \(state.token)" { return (true, false) }
            state.waiting.append(completion)
            defer { state.isRefreshing = true }
            return (false, !state.isRefreshing)
        }
        if isNew { return completion(true, 0) }
        if refreshes { refresh() }
    }

    private func refresh() {
        refreshing.request(refreshURL, method: .post).validate().responseString { [self] response in
            let waiting = state.withLock { state in
                if let token = response.value { state.token = token }
                state.isRefreshing = false
                defer { state.waiting = [] }
                return state.waiting
            }
            for completion in waiting { completion(response.error == nil, 0) }
        }
    }
}

@Suite struct OAuth2HandlerTests {
    @Test(.proves("2.10a")) func `many requests with an old token wait for one refresh, and all succeed`() async throws
    {
        let origin = try ScriptedOrigin { _, request in
            if request.target == "/token" { return [.ok("new")] }
            return request.value(of: "Authorization") == "Bearer new" ? [.ok(request.target)] : [.respond(status: 401)]
        }
        let manager = SessionManager()
        let handler = OAuth2Handler(token: "old", refreshURL: origin.url("/token"))
        manager.adapter = handler
        manager.retrier = handler
        let requests = (0..<200).map { number in manager.begin { $0.request(origin.url("/\(number)")).validate() } }
        for (number, request) in requests.enumerated() {
            #expect(await request.serializingString().result.value == "/\(number)")
        }
        #expect(origin.requests.filter { $0.target == "/token" }.count == 1)
    }

    @Test func `a refresh that fails fails all that wait for it`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 401)] }
        let manager = SessionManager()
        let handler = OAuth2Handler(token: "old", refreshURL: origin.url("/token"))
        manager.adapter = handler
        manager.retrier = handler
        let requests = (0..<20).map { number in manager.begin { $0.request(origin.url("/\(number)")).validate() } }
        for request in requests {
            let error = await request.serializingString().response.error
            #expect((error as? AFError)?.responseCode == 401)
        }
    }
}
