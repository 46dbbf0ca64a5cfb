// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct URLRequestTimeoutIntervalTests {
    @Test func `a time interval is the idle timeout, and none if it is not a number of seconds`() throws {
        var urlRequest = try URLRequest(string: "https://example.com")
        #expect(urlRequest.timeoutInterval == 60)
        urlRequest.timeoutInterval = 2.5
        #expect(urlRequest.timeoutInterval == 2.5 && urlRequest.timeouts?.idle == .milliseconds(2500))
        urlRequest.timeoutInterval = 0
        #expect(urlRequest.timeoutInterval == .infinity && urlRequest.timeouts?.idle == nil)
        urlRequest.timeoutInterval = .nan
        #expect(urlRequest.timeouts?.idle == nil)
    }

    @Test func `the other limits of a request stay as they were set`() throws {
        var urlRequest = try URLRequest(string: "https://example.com")
        urlRequest.timeouts = Timeouts(total: .seconds(9))
        urlRequest.timeoutInterval = 3
        #expect(urlRequest.timeouts == Timeouts(connect: .seconds(3), idle: .seconds(3), total: .seconds(9)))
        urlRequest.timeouts = Timeouts(connect: .seconds(5))
        urlRequest.timeoutInterval = 3
        #expect(urlRequest.timeouts == Timeouts(connect: .seconds(5), idle: .seconds(3)))
    }

    @Test func `a connection is opened within the interval, too, until that is longer`() throws {
        var configuration = SessionConfiguration()
        for (seconds, connect) in [(2, 2), (60, 10), (9, 9), (0, 10), (1, 1), (.infinity, 10)] as [(Double, Double)] {
            configuration.timeoutIntervalForRequest = seconds
            #expect(configuration.timeouts.connect == .seconds(connect), "\(seconds)")
        }
    }

    @Test func `a server that accepts a connection and says nothing of TLS takes no longer`() async throws {
        let silent = try ScriptedOrigin { _, _ in [] }
        try await BriefLimit.expect(Optional(SessionError.TimeLimit.connect)) { brief in
            var request = try URLRequest(string: "https://127.0.0.1:\(silent.port)/")
            request.timeoutInterval = brief / .seconds(1)
            return await Session.limited().failure(of: request)?.reason.limit
        }
    }
}
