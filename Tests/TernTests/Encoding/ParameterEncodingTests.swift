// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernTesting
import TestProofs
import Testing

@Suite struct ParameterEncodingTests {
    /// As in Alamofire's guide: an array of strings as JSON, whatever it is called among the parameters.
    private struct StringArrayEncoding: ParameterEncoding {
        let strings: [String]

        func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
            var request = try urlRequest.asURLRequest()
            request.httpBody = try JSONSerialization.data(withJSONObject: strings)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            return request
        }
    }

    private struct Refusal: Error {}

    private struct RefusingEncoding: ParameterEncoding {
        func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
            throw Refusal()
        }
    }

    private let manager = SessionManager()

    @Test(.proves("9.10a")) func `an encoding of one's own puts in what it wants`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("")] }
        _ = await manager.request(
            origin.url(), method: .post, encoding: StringArrayEncoding(strings: ["a", "b"])
        ).serializingData().response
        #expect(origin.requests.first?.body == Array(#"["a","b"]"#.utf8))
        #expect(origin.requests.first?.value(of: "Content-Type") == "application/json")
    }

    @Test(.proves("9.10b")) func `what an encoding of one's own throws is the error`() async {
        let response = await manager.request("http://127.0.0.1:1/", encoding: RefusingEncoding()).serializingData()
            .response
        #expect(response.error is Refusal)
        #expect(response.request != nil)
    }
}
