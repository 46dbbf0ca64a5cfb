// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Tern

@Suite struct EncodableRequestTests {
    private func request(_ url: String) -> EncodableRequest<[String: Int]> {
        EncodableRequest(
            url: url, method: .post, parameters: ["a": 1], encoder: JSONParameterEncoder.default,
            headers: ["X-Field": "value"])
    }

    @Test func `the request has the method, the header fields and the encoded parameters`() throws {
        let request = try request("http://localhost/").asURLRequest()
        #expect(request.httpMethod == "POST")
        #expect(request.value(forHTTPHeaderField: "X-Field") == "value")
        #expect(request.httpBody == Data(#"{"a":1}"#.utf8))
    }

    @Test func `an invalid URL throws`() {
        #expect(throws: AFError.self) { try request("not a url").asURLRequest() }
    }
}
