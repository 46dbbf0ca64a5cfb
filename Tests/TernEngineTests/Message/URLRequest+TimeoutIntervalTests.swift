// SPDX-License-Identifier: Apache-2.0
import TernEngine
import Testing

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
        #expect(urlRequest.timeouts == Timeouts(idle: .seconds(3), total: .seconds(9)))
    }
}
