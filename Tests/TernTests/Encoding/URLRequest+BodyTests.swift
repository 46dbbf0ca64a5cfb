// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Tern

@Suite struct URLRequestBodyTests {
    @Test func `a body brings its type, and a type that is there stays`() throws {
        var request = try URLRequest(url: "http://localhost/", method: .post)
        request.setBody(Data("a".utf8), contentType: "text/plain")
        #expect(request.httpBody == Data("a".utf8))
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "text/plain")
        request.setBody(Data("b".utf8), contentType: "text/html")
        #expect(request.httpBody == Data("b".utf8))
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "text/plain")
    }
}
