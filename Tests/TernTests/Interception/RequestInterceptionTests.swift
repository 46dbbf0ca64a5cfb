// SPDX-License-Identifier: Apache-2.0
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
