// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TernTesting
import TestProofs
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

    /// Under ThreadSanitizer everything takes many times as long.
    private static var count: Int {
        #if THREAD_SANITIZER
            2_000
        #else
            Rounds.of(3_000)
        #endif
    }

    @Test(.proves("3.2b", "11.4a", "12.9b")) func `thousands of chained requests end once each, and nothing is left`()
        async throws
    {
        let served = Atomic<Int>(0)
        let handled = Atomic<Int>(0)
        let wrong = Atomic<Int>(0)
        let origin = try ScriptedOrigin { _, request in
            guard request.value(of: "X-Adapted") == "yes" else { return [.respond(status: 400)] }
            let number = served.add(1, ordering: .relaxed).newValue
            return number % 3 == 0 ? [.respond(status: 503)] : [.ok(request.target)]
        }
        let folder = try TemporaryFolder()
        var manager: SessionManager? = SessionManager()
        let flaky = Flaky()
        manager?.adapter = flaky
        manager?.retrier = flaky
        let delegate = try #require(manager?.delegate)
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        for number in 0..<Self.count {
            let (url, target) = (origin.url("/\(number)"), folder.url.appendingPathComponent("\(number)"))
            let request: Request?
            @Sendable func end(_ value: String?) {
                if let value, value != "/\(number)" { wrong.add(1, ordering: .relaxed) }
                continuation.yield()
            }
            switch number % 4 {
            case 0:
                request = manager?.download(url) { _, _ in (target, []) }.validate()
                    .downloadProgress { _ in }
                    .response { _ in handled.add(1, ordering: .relaxed) }
                    .responseString { end($0.value) }
            case 1:
                request = manager?.upload(Data(count: 1_000), to: url).validate()
                    .uploadProgress { _ in }
                    .response { _ in handled.add(1, ordering: .relaxed) }
                    .responseString { end($0.value) }
            default:
                request = manager?.request(url).validate()
                    .downloadProgress { _ in }
                    .response { _ in handled.add(1, ordering: .relaxed) }
                    .responseString { end($0.value) }
            }
            if number % 7 == 0 { request?.cancel() }
            if number % 11 == 0 { DispatchQueue.global().async { request?.cancel() } }
            if number % 13 == 0 {
                request?.suspend()
                DispatchQueue.global().async { request?.resume() }
            }
        }
        var left = Self.count
        for await _ in ends {
            left -= 1
            if left == 0 { break }
        }
        #expect(handled.load(ordering: .relaxed) == Self.count)
        #expect(wrong.load(ordering: .relaxed) == 0)
        #expect(delegate.requests.isEmpty)
        // With the manager go its connections, and their descriptors.
        manager = nil
        #expect(await origin.waitFor { $0.openConnections == 0 })
        // What was refused to the last has its place, too.
        #expect(folder.names.allSatisfy { ["", "/\($0)"].contains(folder.url.appendingPathComponent($0).text) })
    }

    @Test(.proves("2.6b")) func `managers that go while requests run leave no request waiting`() async throws {
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
