// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestProofs
import Testing

@testable import Tern

@Suite struct ParameterEncoderTests {
    private struct Unencodable: Encodable, Sendable {
        struct Reason: Error {}

        func encode(to encoder: any Encoder) throws { throw Reason() }
    }

    private struct Flight: Encodable, Sendable {
        var from = "Arctic", to = "Antarctic"
        var legs = [1, 2]
        var isReturn = true
        var remark: String?
        var at = Date(timeIntervalSince1970: 0.5)
    }

    private var byEpoch: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.dateEncodingStrategy = .secondsSince1970
        return encoder
    }

    private func encoded(
        _ parameters: (some Encodable)?, _ encoder: any ParameterEncoder, _ method: HTTPMethod = .post,
        _ headers: HTTPHeaders? = nil
    ) throws -> URLRequest {
        try encoder.encode(parameters, into: try URLRequest(url: "http://x/", method: method, headers: headers))
    }

    @Test(arguments: [JSONParameterEncoder.default, URLEncodedFormParameterEncoder.default] as [any ParameterEncoder])
    func `no parameters leave the request as it is, and those that throw are an error`(
        encoder: any ParameterEncoder
    ) throws {
        #expect(try encoded([String: Int]?.none, encoder).httpBody == nil)
        let error = #expect(throws: AFError.self) { try encoded(Unencodable(), encoder) }
        #expect(error?.underlyingError is Unencodable.Reason)
    }

    @Test func `requests take Encodable parameters, and handlers receive the error of what cannot be encoded`()
        async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.ok("")] }
        let manager = SessionManager()
        _ = await manager.request(
            origin.url(), method: .put, parameters: ["a": 1], encoder: JSONParameterEncoder.default,
            headers: ["X-Test": "1"]
        ).serializingData().response
        let sent = try #require(origin.requests.first)
        #expect(sent.method == "PUT" && sent.body == Array(#"{"a":1}"#.utf8) && sent.value(of: "X-Test") == "1")
        let failed = await manager.request(
            origin.url(), parameters: Unencodable(), encoder: JSONParameterEncoder.default
        ).serializingData().response
        #expect((failed.error as? AFError)?.isParameterEncodingError == true)
        #expect(origin.requests.count == 1)
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

    @Test func `a form has the same values in the chosen format`() throws {
        let query = try encoded(Flight(), URLEncodedFormParameterEncoder(encoder: byEpoch), .get)
        #expect(
            query.url?.query == "at=0.5&from=Arctic&isReturn=1&legs%5B%5D=1&legs%5B%5D=2&to=Antarctic")
        let encoding = URLEncoding(arrayEncoding: .noBrackets, boolEncoding: .literal)
        let form = try encoded(Flight(), URLEncodedFormParameterEncoder(encoding: encoding, encoder: byEpoch))
        #expect(
            form.httpBody == Data("at=0.5&from=Arctic&isReturn=true&legs=1&legs=2&to=Antarctic".utf8))
    }

    @Test func `what is null is left out of a form, at every depth`() throws {
        let nested: [String: [Int?]] = ["a": [1, nil, 2]]
        #expect(
            try encoded(nested, URLEncodedFormParameterEncoder.default).httpBody == Data("a%5B%5D=1&a%5B%5D=2".utf8))
    }

    @Test func `large numbers keep their digits`() throws {
        let numbers = ["a": Int64.max, "b": Int64.min]
        #expect(
            try encoded(numbers, URLEncodedFormParameterEncoder.default).httpBody
                == Data("a=9223372036854775807&b=-9223372036854775808".utf8))
        #expect(
            try encoded(["a": UInt64.max], URLEncodedFormParameterEncoder.default).httpBody
                == Data("a=18446744073709551615".utf8))
    }

    @Test func `what has no keys is no form`() throws {
        for encoder in [URLEncodedFormParameterEncoder.default] {
            let error = #expect(throws: AFError.self) { try encoded([1, 2], encoder) }
            #expect(error?.isParameterEncodingError == true)
            #expect(throws: AFError.self) { try encoded("text", encoder) }
        }
    }
}

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
