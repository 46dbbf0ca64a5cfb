// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TestProofs
import Testing

@Suite struct URLRequestConvertibleTests {
    private struct Failing: URLRequestConvertible {
        struct Reason: Error {}

        func asURLRequest() throws -> URLRequest { throw Reason() }
    }

    @Test func `a request has the method and the header fields it is made with`() throws {
        let request = try URLRequest(url: "http://x/", method: .patch, headers: ["B": "2", "A": "1"])
        #expect(request.httpMethod == "PATCH")
        #expect(request.headers.map(\.name) == ["A", "B"])
        #expect(request.urlRequest?.url?.absoluteString == "http://x/")
    }

    @Test func `what is no URL makes no request`() {
        #expect(throws: AFError.self) { try URLRequest(url: "", method: .get) }
    }

    @Test(.proves("9.2b")) func `what cannot be made into a request is none`() {
        #expect(Failing().urlRequest == nil)
    }
}
