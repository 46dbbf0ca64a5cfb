// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernAlamofire
import TernTesting
import TestProofs
import Testing

@Suite struct Sessions {
    @Test(.proves("2.4a")) func `a manager with a configuration of its own`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("hello")] }
        var defaultHeaders = Alamofire.SessionManager.defaultHTTPHeaders
        defaultHeaders["DNT"] = "1 (Do Not Track Enabled)"

        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = defaultHeaders
        configuration.timeoutIntervalForRequest = 5
        configuration.timeoutIntervalForResource = 30
        configuration.httpMaximumConnectionsPerHost = 2

        let sessionManager = Alamofire.SessionManager(configuration: configuration)
        let text: String? = await withCheckedContinuation { continuation in
            sessionManager.request(origin.url()).responseString { continuation.resume(returning: $0.value) }
        }
        #expect(text == "hello")
        #expect(origin.requests.first?.value(of: "DNT") == "1 (Do Not Track Enabled)")
        #expect(sessionManager.session.configuration.timeoutIntervalForRequest == 5)
        #expect(sessionManager.session.configuration.httpMaximumConnectionsPerHost == 2)
    }

    @Test(.proves("8.2b")) func `sessions, tasks and metrics have their old names`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("hello")] }
        let manager = SessionManager(configuration: .default)
        let session: URLSession = manager.session
        let request = manager.request(origin.url())
        let response: DefaultDataResponse = await withCheckedContinuation { continuation in
            request.response { continuation.resume(returning: $0) }
        }
        let task: URLSessionTask? = request.task
        let metrics: URLSessionTaskMetrics? = response.metrics
        #expect(task?.state == .completed && metrics?.transactionMetrics.count == 1)
        #expect(task?.response?.statusCode == 200)
        #expect(URLSession(configuration: URLSessionConfiguration.ephemeral) !== session)
    }
}
