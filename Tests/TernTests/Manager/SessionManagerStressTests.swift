// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TernTesting
import Testing

@testable import Tern

/// Thousands of requests at a time with everything that can be asked for.
@Suite struct SessionManagerStressTests {
    private final class Flaky: RequestInterceptor {
        func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
            var request = urlRequest
            request.setValue("yes", forHTTPHeaderField: "X-Adapted")
            return request
        }

        func should(
            _ manager: SessionManager, retry request: Request, with error: any Error,
            completion: @escaping RequestRetryCompletion
        ) {
            guard (error as? AFError)?.responseCode == 503, request.retryCount < 2 else { return completion(false, 0) }
            DispatchQueue.global().async { completion(true, 0) }
        }
    }

    @Test func `thousands of chained requests end once each, and nothing is left`() async throws {
        let count = 3000
        let served = Atomic<Int>(0)
        let origin = try ScriptedOrigin { _, request in
            guard request.value(of: "X-Adapted") == "yes" else { return [.respond(status: 400)] }
            let number = served.add(1, ordering: .relaxed).newValue
            return number % 3 == 0 ? [.respond(status: 503)] : [.ok(request.target)]
        }
        let manager = SessionManager()
        let flaky = Flaky()
        manager.adapter = flaky
        manager.retrier = flaky
        let handled = Atomic<Int>(0)
        let wrong = Atomic<Int>(0)
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        for number in 0..<count {
            let request = manager.request(origin.url("/\(number)")).validate()
                .downloadProgress { _ in }
                .response { _ in handled.add(1, ordering: .relaxed) }
                .responseString { response in
                    if let value = response.value, value != "/\(number)" { wrong.add(1, ordering: .relaxed) }
                    continuation.yield()
                }
            if number % 7 == 0 { request.cancel() }
            if number % 11 == 0 { DispatchQueue.global().async { request.cancel() } }
        }
        var left = count
        for await _ in ends {
            left -= 1
            if left == 0 { break }
        }
        #expect(handled.load(ordering: .relaxed) == count)
        #expect(wrong.load(ordering: .relaxed) == 0)
        #expect(manager.delegate.requests.isEmpty)
    }

    @Test func `managers that go in the midst leave nobody waiting`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 503)] }
        for _ in 0..<20 {
            let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
            do {
                let manager = SessionManager()
                let flaky = Flaky()
                manager.adapter = flaky
                manager.retrier = flaky
                for _ in 0..<50 {
                    manager.request(origin.url()).validate().response { _ in continuation.yield() }
                }
            }
            var left = 50
            for await _ in ends {
                left -= 1
                if left == 0 { break }
            }
        }
    }
}
