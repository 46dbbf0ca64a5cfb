// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import Testing

@testable import TernCLI

@Suite struct URLRequestEncodableTests {
    private func request(_ name: String, _ value: String) throws -> Tern.URLRequest {
        var request = Tern.URLRequest(url: try #require(URL(string: "http://a.test/")))
        request.headers.append(name, value)
        return request
    }

    @Test(arguments: [("A b", "c"), ("", "c"), ("A", "b\r\nC: d"), ("Content-Length", "5")])
    func `a field that cannot be sent is wrong usage`(name: String, value: String) throws {
        let request = try request(name, value)
        #expect(throws: UsageError.self) { try request.checkEncodable(.default) }
    }

    @Test func `a field that can be sent is fine`() throws { try request("A", "b").checkEncodable(.default) }
}
