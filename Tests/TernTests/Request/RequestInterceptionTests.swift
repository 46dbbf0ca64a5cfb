// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
import TestProofs
import Testing

@testable import Tern

@Suite struct RequestInterceptionTests {
    private struct Marking: RequestAdapter {
        func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
            var request = urlRequest
            request.setValue("yes", forHTTPHeaderField: "X-Adapted")
            return request
        }
    }

    private let manager = SessionManager()
    private let registry = TaskRegistry()
    private let interception: RequestInterception

    init() {
        manager.startRequestsImmediately = false
        interception = RequestInterception(registry)
    }

    @Test func `a request is changed while there is an adapter`() throws {
        let request = try URLRequest(url: "http://127.0.0.1:1/", method: .get)
        #expect(try interception.adapt(request).value(forHTTPHeaderField: "X-Adapted") == nil)
        interception.adapter = Marking()
        #expect(try interception.adapt(request).value(forHTTPHeaderField: "X-Adapted") == "yes")
        interception.adapter = nil
        #expect(try interception.adapt(request).value(forHTTPHeaderField: "X-Adapted") == nil)
    }

    @Test func `there is a retry for a registered task while there is a retrier`() throws {
        let request = manager.request("http://127.0.0.1:1/")
        let task = try #require(request.task)
        #expect(!interception.hasRetrier)
        #expect(interception.retry(of: task) == nil)
        interception.retrier = { _, _, answer in answer(false, 0) }
        #expect(interception.hasRetrier)
        #expect(interception.retry(of: task) == nil)
        registry[task] = request
        #expect(interception.retry(of: task) != nil)
    }
}

@Suite struct RequestRetryTests {
    private let manager = SessionManager()
    private let registry = TaskRegistry()

    @Test func `a retry keeps a request without a task in the registry, and retains it`() {
        var retry: RequestRetry? = RequestRetry(
            manager.request("not a url"), { _, _, answer in answer(false, 0) }, registry)
        #expect(registry.all.count == 1)
        withExtendedLifetime(retry) {}
        retry = nil
        #expect(registry.all.isEmpty)
    }

    @Test func `the retrier is asked about the request and its error`() async throws {
        let request = manager.request("not a url")
        let journal = Journal()
        let retry = RequestRetry(
            request,
            { asked, error, answer in
                journal.note("\(asked === request) \(error is AFError)")
                answer(true, 3)
            }, registry)
        retry.ask(about: AFError.invalidURL(url: "not a url")) { retries, delay in journal.note("\(retries) \(delay)") }
        #expect(journal.entries == ["true true", "true 3.0"])
    }
}

@Suite struct RetryQuestionTests {
    private let journal = Journal()

    private func question() -> RetryQuestion {
        RetryQuestion { [journal] retries, delay in journal.note("\(retries) \(delay)") }
    }

    @Test func `the first answer counts`() {
        let question = question()
        question.answer(true, after: 2)
        question.answer(false, after: 0)
        #expect(journal.entries == ["true 2.0"])
    }

    @Test func `a question that is released without an answer is answered no`() {
        _ = question()
        #expect(journal.entries == ["false 0.0"])
    }

    @Test func `an answered question releases its receiver`() {
        final class Receiver: Sendable {}
        var receiver: Receiver? = Receiver()
        weak let last = receiver
        let question = RetryQuestion { [receiver] _, _ in _ = receiver }
        receiver = nil
        #expect(last != nil)
        question.answer(false, after: 0)
        #expect(last == nil)
    }
}

@Suite struct RequestAdapterTests {
    private struct Stamp: RequestAdapter {
        let name: String

        func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
            var request = urlRequest
            request.addValue(name, forHTTPHeaderField: "X-Stamp")
            return request
        }
    }

    private struct Refusal: Error {}

    private struct Refusing: RequestAdapter {
        func adapt(_ urlRequest: URLRequest) throws -> URLRequest { throw Refusal() }
    }

    @Test(.proves("2.10a", "2.12b", "4.4b", "7.1a")) func `what is sent is what the adapter makes of it`() async throws
    {
        let origin = try ScriptedOrigin { _, request in [.ok(request.value(of: "X-Stamp") ?? "none")] }
        let manager = SessionManager()
        manager.adapter = Stamp(name: "one")
        let request = manager.request(origin.url())
        #expect(request.request?.value(forHTTPHeaderField: "X-Stamp") == "one")
        #expect(await request.serializingString().result.value == "one")
        manager.adapter = Interceptor(adapters: [Stamp(name: "one"), Stamp(name: "two")])
        let upload = manager.upload(Data("x".utf8), to: origin.url())
        #expect(upload.request?.value(forHTTPHeaderField: "X-Stamp") == "one,two")
        _ = await upload.serializingString().response
        manager.adapter = nil
        #expect(await manager.request(origin.url()).serializingString().result.value == "none")
    }

    @Test(.proves("2.18a", "4.3c", "7.1c")) func `an adapter that throws is the error of the response`() async throws {
        let manager = SessionManager()
        manager.adapter = Refusing()
        let request = manager.request("http://127.0.0.1:1/")
        #expect(request.task == nil)
        let response = await request.serializingData().response
        #expect(response.error is Refusal)
        #expect(response.request?.url?.absoluteString == "http://127.0.0.1:1/")
        #expect(await manager.upload(Data(), to: "http://127.0.0.1:1/").serializingData().response.error is Refusal)
    }

    @Test(.proves("2.18b", "7.1c", "7.2d")) func `a retrier may have an adapter that threw asked again`() async throws {
        final class Slow: RequestInterceptor {
            let isReady = Lock(false)
            let questions = Lock(0)

            func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
                if isReady.withLock({ $0 }) { return urlRequest }
                throw Refusal()
            }

            func should(
                _ manager: SessionManager, retry request: Request, with error: any Error,
                completion: @escaping RequestRetryCompletion
            ) {
                #expect(error is Refusal)
                #expect(request.task == nil)
                let count = questions.withLock {
                    $0 += 1
                    return $0
                }
                if count == 3 { isReady.withLock { $0 = true } }
                // Resuming must not open the gate before the answer.
                request.resume()
                completion(true, 0)
            }
        }
        let origin = try ScriptedOrigin { _, _ in [.ok("body")] }
        let manager = SessionManager()
        let slow = Slow()
        manager.adapter = slow
        manager.retrier = slow
        slow.isReady.withLock { $0 = true }
        #expect(await manager.request(origin.url()).serializingString().result.value == "body")
        slow.isReady.withLock { $0 = false }
        slow.questions.withLock { $0 = 2 }
        let request = manager.request(origin.url())
        #expect(await request.serializingString().result.value == "body")
        #expect(request.retryCount == 1)
        #expect(manager.delegate.requests.isEmpty)
    }

    @Test(.proves("2.17a", "7.1b"))
    func `the adapter is asked once for each attempt, about the request as it was made`() async throws {
        final class Counting: RequestInterceptor {
            let seen = Lock<[String]>([])

            func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
                let number = seen.withLock { seen in
                    seen.append(urlRequest.value(forHTTPHeaderField: "X-Stamp") ?? "none")
                    return seen.count
                }
                var request = urlRequest
                request.addValue("\(number)", forHTTPHeaderField: "X-Stamp")
                return request
            }

            func should(
                _ manager: SessionManager, retry request: Request, with error: any Error,
                completion: @escaping RequestRetryCompletion
            ) {
                completion(request.retryCount < 2, 0)
            }
        }
        let origin = try ScriptedOrigin { _, request in
            request.value(of: "X-Stamp") == "3" ? [.ok("3")] : [.respond(status: 503)]
        }
        let manager = SessionManager()
        let counting = Counting()
        manager.adapter = counting
        manager.retrier = counting
        #expect(await manager.begin { $0.request(origin.url()).validate() }.serializingString().result.value == "3")
        #expect(counting.seen.withLock { $0 } == ["none", "none", "none"])
    }

    @Test(.proves("2.17d")) func `a retry that no adapter lets out ends with what the adapter says`() async throws {
        final class Once: RequestInterceptor {
            let count = Lock(0)

            func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
                let isFirst = count.withLock {
                    $0 += 1
                    return $0 == 1
                }
                if isFirst { return urlRequest }
                throw Refusal()
            }

            func should(
                _ manager: SessionManager, retry request: Request, with error: any Error,
                completion: @escaping RequestRetryCompletion
            ) {
                completion(true, 0)
            }
        }
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 500)] }
        let manager = SessionManager()
        let once = Once()
        manager.adapter = once
        manager.retrier = once
        let response = await manager.begin { $0.request(origin.url()).validate() }.serializingData().response
        #expect(response.error is Refusal)
        #expect(origin.observations.requestCount == 1)
    }
}
