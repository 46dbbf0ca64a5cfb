// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import Testing

@Suite struct URLEncodedFormParameterEncoderTests {
    private struct Flight: Encodable, Sendable {
        var from = "Arctic", to = "Antarctic"
        var legs = [1, 2]
        var isReturn = true
        var remark: String?
        var at = Date(timeIntervalSince1970: 0.5)
    }

    private func encoded(
        _ parameters: (some Encodable)?, _ encoder: any ParameterEncoder, _ method: HTTPMethod = .post
    ) throws -> URLRequest {
        try encoder.encode(parameters, into: try URLRequest(url: "http://x/", method: method))
    }

    private var byEpoch: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.dateEncodingStrategy = .secondsSince1970
        return encoder
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
