// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernTesting
import Testing

@Suite struct ParameterEncoderTests {
    private struct Unencodable: Encodable, Sendable {
        struct Reason: Error {}

        func encode(to encoder: any Encoder) throws { throw Reason() }
    }

    private func encoded(
        _ parameters: (some Encodable)?, _ encoder: any ParameterEncoder
    ) throws -> URLRequest {
        try encoder.encode(parameters, into: try URLRequest(url: "http://x/", method: .post))
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
}
