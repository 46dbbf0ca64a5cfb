// SPDX-License-Identifier: Apache-2.0
// In Swift 6, and with Foundation beside it, as a file may have it.
import Foundation
import TernAlamofire
import Testing

@Suite struct URLRequestTests {
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

    @Test func `the other limits of a request stay as they were set`() throws {
        var urlRequest = URLRequest(url: try "https://example.com".asURL())
        urlRequest.timeouts = Timeouts(total: .seconds(9))
        urlRequest.timeoutInterval = 3
        #expect(urlRequest.timeouts == Timeouts(idle: .seconds(3), total: .seconds(9)))
    }
}
