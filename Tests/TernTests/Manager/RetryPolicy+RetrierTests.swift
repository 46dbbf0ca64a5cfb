// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
import Testing

@testable import Tern
@testable import TernEngine

/// A policy as the retrier of a manager.
@Suite(.timeLimit(.minutes(1))) struct RetryPolicyRetrierTests {
    /// Closes the connection at /lost, and answers 503 elsewhere.
    private static func origin(_ fields: [(name: String, value: String)] = []) throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in
            request.target == "/lost" ? [.closeAbruptly] : [.respond(status: 503, fields: fields, body: "busy")]
        }
    }

    private static func policy(_ methods: Set<HTTPMethod>) -> RetryPolicy {
        RetryPolicy(retryLimit: 2, exponentialBackoffScale: 0.001, retryableHTTPMethods: methods)
    }

    private static func anyMethod() -> RetryPolicy {
        var policy = policy([])
        policy.requests = .idempotent
        return policy
    }

    private func manager(
        _ retrier: (any RequestRetrier)?, _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) -> SessionManager {
        var configuration = SessionConfiguration.default
        change(&configuration)
        let manager = SessionManager(configuration: configuration)
        manager.retrier = retrier
        return manager
    }

    private func response(
        _ manager: SessionManager, _ url: String, _ method: HTTPMethod = .get, _ headers: HTTPHeaders? = nil
    ) async -> (response: DataResponse<Data>, retries: UInt) {
        let request = manager.begin { $0.request(url, method: method, headers: headers).validate() }
        let response = await request.serializingData().response
        return (response, request.retryCount)
    }

    /// Who says what may be sent twice, and how often it is sent after a lost connection, a 503, and a refused connection,
    /// when nothing was sent.
    private static let table: [(policy: RetryPolicy, method: HTTPMethod, hasKey: Bool, sent: Int, unsent: UInt)] = [
        (policy([.get]), .get, false, 3, 2),
        (policy([.get]), .put, false, 1, 0),
        (policy([.get]), .post, false, 1, 0),
        (policy([.get]), .post, true, 3, 2),
        (policy([.get, .post]), .post, false, 3, 2),
        (anyMethod(), .put, false, 3, 2),
        (anyMethod(), .post, false, 1, 2),
        (anyMethod(), .post, true, 3, 2),
    ]

    @Test(arguments: table.indices) func `the policy of the retrier says what is sent again, after every outcome`(
        _ index: Int
    ) async throws {
        let row = Self.table[index]
        let manager = manager(row.policy)
        let headers: HTTPHeaders? = row.hasKey ? ["Idempotency-Key": "\"a\""] : nil
        for path in ["/lost", "/503"] {
            let origin = try Self.origin()
            _ = await response(manager, origin.url(path), row.method, headers)
            #expect(origin.requests.count == row.sent, "\(path)")
        }
        let origin = try Self.origin()
        origin.stop()
        let unsent = await response(manager, origin.url(), row.method, headers)
        #expect(unsent.retries == row.unsent)
    }

    @Test(arguments: [RetryPolicy(retryLimit: 3), RetryPolicy()], ["86400", "1000000000", "61"])
    func `a wait that the policy does not have is not begun, and the response is the result`(
        _ policy: RetryPolicy, _ seconds: String
    ) async throws {
        let origin = try Self.origin([(name: "Retry-After", value: seconds)])
        let (response, retries) = await response(manager(policy), origin.url())
        #expect(response.response?.statusCode == 503 && response.error is AFError)
        #expect(retries == 0)
    }

    @Test(arguments: [true, false]) func `nor is one that would end after the task's total time`(
        _ isOfRequest: Bool
    ) async throws {
        let origin = try Self.origin([(name: "Retry-After", value: "5")])
        let timeouts = Timeouts(total: .seconds(4))
        let manager = manager(RetryPolicy(retryLimit: 3)) { if !isOfRequest { $0.timeouts = timeouts } }
        var request = try URLRequest(string: origin.url())
        if isOfRequest { request.timeouts = timeouts }
        let sent = manager.begin { $0.request(request).validate() }
        let response = await sent.serializingData().response
        #expect(response.response?.statusCode == 503 && response.error is AFError)
        #expect(sent.retryCount == 0)
    }

    @Test func `no retry begins after the policy's maximum time since the first attempt`() async throws {
        let origin = try Self.origin()
        var policy = Self.policy([.get])
        (policy.maximumRetries, policy.maximumTime) = (.max, .milliseconds(50))
        let (response, _) = await response(manager(policy), origin.url())
        #expect(response.response?.statusCode == 503)
    }

    @Test func `back-off stops growing at a minute, or where it began`() {
        for (scale, most) in [(0.5, 60.0), (90, 90)] {
            let policy = RetryPolicy(retryLimit: .max, exponentialBackoffScale: scale)
            #expect(policy.backOff.delay(RetryRule.Count(retries: 40), 1) == .seconds(most))
            #expect(policy.maximumDelay == .seconds(most))
        }
    }

    @Test(arguments: ["/503", "/lost"]) func `a policy in both places retries as often as in one`(
        _ path: String
    ) async throws {
        var standard = RetryPolicy.standard
        standard.backOff.base = .milliseconds(1)
        let interceptor = Interceptor(retriers: [standard])
        for retrier in [standard, interceptor] as [any RequestRetrier] {
            for isOfRequest in [true, false] {
                let origin = try Self.origin()
                let manager = manager(retrier) { if !isOfRequest { $0.retryPolicy = standard } }
                var request = try URLRequest(string: origin.url(path))
                if isOfRequest { request.retryPolicy = standard }
                let sent = manager.begin { [request] in $0.request(request).validate() }
                _ = await sent.serializingData().response
                #expect(origin.requests.count == 3)
            }
        }
    }

    @Test func `what only the retrier's policy names is its own, and counts with the session's retries`() async throws {
        let statuses = Lock([503, 500, 500, 503, 500])
        let origin = try ScriptedOrigin { _, _ in
            [.respond(status: statuses.withLock { $0.isEmpty ? 200 : $0.removeFirst() }, body: "")]
        }
        let manager = manager(RetryPolicy(retryLimit: 3, exponentialBackoffScale: 0.001)) {
            $0.retryPolicy = .standard
            $0.retryPolicy.backOff.base = .milliseconds(1)
        }
        let (response, retries) = await response(manager, origin.url())
        // The session after each 503, the retrier after each 500: the fourth retry was the session's, and no more follow.
        #expect(response.response?.statusCode == 500 && retries == 2)
        #expect(origin.requests.count == 5)
    }

    /// Adds a key to every request that has none.
    private struct Adapter: RequestAdapter {
        func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
            var request = urlRequest
            request.addIdempotencyKey()
            return request
        }
    }

    @Test func `the waits of a retrier pass by the clock of the session`() async throws {
        let (origin, clock, start) = (try Self.origin(), TestClock(), ContinuousClock.now)
        let policy = RetryPolicy(retryLimit: 2, exponentialBackoffScale: 50)
        let manager = manager(policy) { $0.clock = clock }
        let mover = Task {
            for _ in 0..<2 {
                while clock.sleepCount == 0 { await Task.yield() }
                clock.advance(by: .seconds(60))
            }
        }
        #expect(await response(manager, origin.url()).retries == 2 && origin.requests.count == 3)
        await mover.value
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test(arguments: ["/503", "/lost"])
    func `an adapter's Idempotency-Key is that of the request, whatever is sent again`(
        _ path: String
    ) async throws {
        let origin = try Self.origin()
        let manager = manager(Self.policy([.get]))
        manager.adapter = Adapter()
        let requests = (0..<2).map { _ in
            manager.begin { $0.request(origin.url(path), method: .post).validate() }
        }
        for request in requests { _ = await request.serializingData().response }
        let keys = origin.requests.map { $0.values(of: "Idempotency-Key") }
        #expect(keys.count == 6 && keys.allSatisfy { $0.count == 1 })
        #expect(Set(keys).count == 2)
    }
}
