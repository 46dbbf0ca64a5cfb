// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernAlamofire
import TernTesting
import Testing

@Suite struct Sessions {
    @Test func `a manager with a configuration of its own`() async throws {
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

    @Test func `configurations are references, and every one is a new one`() {
        let configuration = URLSessionConfiguration.ephemeral
        let same = configuration
        same.timeoutIntervalForRequest = 7
        #expect(configuration.timeoutIntervalForRequest == 7)
        #expect(URLSessionConfiguration.ephemeral.timeoutIntervalForRequest == 60)
        #expect(URLSessionConfiguration.default !== URLSessionConfiguration.default)
        let copy = configuration.copy() as? URLSessionConfiguration
        #expect(copy !== configuration && copy?.timeoutIntervalForRequest == 7)
        #expect(configuration.identifier == nil)
    }

    @Test func `header fields come from any dictionary`() {
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = ["X-Number": 7, "X-Text": "a"]
        #expect(configuration.httpAdditionalHeaders?["X-Number"] as? String == "7")
        #expect(configuration.value.httpAdditionalHeaders["x-text"] == "a")
        configuration.httpAdditionalHeaders?["X-More"] = "b"
        #expect(configuration.httpAdditionalHeaders?.count == 3)
        configuration.httpAdditionalHeaders = nil
        #expect(configuration.httpAdditionalHeaders == nil && configuration.value.httpAdditionalHeaders.isEmpty)
    }

    @Test func `a request's time limit`() throws {
        var urlRequest = URLRequest(url: try "https://example.com".asURL())
        #expect(urlRequest.timeoutInterval == 60)
        urlRequest.timeoutInterval = 2.5
        #expect(urlRequest.timeoutInterval == 2.5 && urlRequest.timeouts?.idle == .milliseconds(2500))
        urlRequest.timeoutInterval = 0
        #expect(urlRequest.timeoutInterval == .infinity && urlRequest.timeouts?.idle == nil)
        urlRequest.timeoutInterval = .nan
        #expect(urlRequest.timeouts?.idle == nil)
    }

    @Test func `sessions, tasks and metrics have their old names`() async throws {
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
