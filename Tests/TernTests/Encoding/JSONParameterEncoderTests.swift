// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TestProofs
import Testing

@Suite struct JSONParameterEncoderTests {
    private struct Flight: Encodable, Sendable {
        var from = "Arctic", to = "Antarctic"
        var legs = [1, 2]
        var isReturn = true
        var remark: String?
        var at = Date(timeIntervalSince1970: 0.5)
    }

    private func encoded(
        _ parameters: (some Encodable)?, _ encoder: any ParameterEncoder, _ method: HTTPMethod = .post,
        _ headers: HTTPHeaders? = nil
    ) throws -> URLRequest {
        try encoder.encode(parameters, into: try URLRequest(url: "http://x/", method: method, headers: headers))
    }

    private var byEpoch: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.dateEncodingStrategy = .secondsSince1970
        return encoder
    }

    @Test(.proves("9.8d")) func `JSON is what the encoder writes, with its type`() throws {
        let request = try encoded(Flight(), JSONParameterEncoder(encoder: byEpoch))
        #expect(
            request.httpBody
                == Data(#"{"at":0.5,"from":"Arctic","isReturn":true,"legs":[1,2],"to":"Antarctic"}"#.utf8))
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
        let typed = try encoded([1], JSONParameterEncoder.default, .post, ["Content-Type": "a/b"])
        #expect(typed.headers.values(for: "content-type") == ["a/b"])
    }
}
