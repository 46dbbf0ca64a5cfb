// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TestProofs
import Testing

@Suite struct JSONEncodingTests {
    private func request(_ headers: HTTPHeaders? = nil) throws -> URLRequest {
        try URLRequest(url: "http://x/", method: .post, headers: headers)
    }

    @Test func `nil parameters leave the request as it is`() throws {
        let encoded = try JSONEncoding.default.encode(try request(), with: nil)
        #expect(encoded.httpBody == nil)
        #expect(encoded.headers.isEmpty)
    }

    @Test(.proves("9.8a")) func `parameters become the body, with its type`() throws {
        let parameters: Parameters = ["a": [1, true, NSNull(), "ü"] as [Any], "b": ["c": 1.5]]
        let encoded = try JSONEncoding.default.encode(try request(), with: parameters)
        let body = try #require(encoded.httpBody)
        let decoded = try #require(try JSONSerialization.jsonObject(with: body) as? NSDictionary)
        #expect(decoded == parameters as NSDictionary)
        #expect(encoded.value(forHTTPHeaderField: "Content-Type") == "application/json")
    }

    @Test(.proves("9.8b")) func `an array can be the body`() throws {
        let encoded = try JSONEncoding.default.encode(try request(), withJSONObject: [1, 2])
        #expect(encoded.httpBody == Data("[1,2]".utf8))
    }

    @Test(.proves("9.8a")) func `pretty means on several lines`() throws {
        let encoded = try JSONEncoding.prettyPrinted.encode(try request(), with: ["a": 1])
        #expect(try #require(encoded.httpBody).contains(UInt8(ascii: "\n")))
    }

    @Test(.proves("9.11a")) func `the caller's Content-Type stays`() throws {
        let encoded = try JSONEncoding.default.encode(
            try request(["Content-Type": "application/problem+json"]), with: ["a": 1])
        #expect(encoded.headers.values(for: "content-type") == ["application/problem+json"])
    }

    @Test(.proves("9.8c")) func `what JSON cannot say is an error and no trap`() throws {
        for object in [["a": Date()], ["a": Double.nan], "text", 3, ["a": Data()]] as [Any] {
            let error = #expect(throws: AFError.self) {
                try JSONEncoding.default.encode(try request(), withJSONObject: object)
            }
            #expect(error?.underlyingError is JSONEncoding.Error)
        }
    }
}
