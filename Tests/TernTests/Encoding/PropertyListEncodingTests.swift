// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TestProofs
import Testing

@Suite struct PropertyListEncodingTests {
    private let parameters: Parameters = [
        "text": "ü", "number": 1.5, "yes": true, "when": Date(timeIntervalSinceReferenceDate: 0), "bytes": Data([1]),
        "list": [1, "two"] as [Any], "inner": ["a": "b"],
    ]

    private func request(_ headers: HTTPHeaders? = nil) throws -> URLRequest {
        try URLRequest(url: "http://x/", method: .post, headers: headers)
    }

    @Test func `nil parameters leave the request as it is`() throws {
        let encoded = try PropertyListEncoding.default.encode(try request(), with: nil)
        #expect(encoded.httpBody == nil)
        #expect(encoded.headers.isEmpty)
    }

    @Test(.proves("9.9a", "12.2a"), arguments: [PropertyListEncoding.default, .xml, .binary])
    func `parameters become the body, with its type`(encoding: PropertyListEncoding) throws {
        let encoded = try encoding.encode(try request(), with: parameters)
        var format = PropertyListSerialization.PropertyListFormat.openStep
        let decoded = try unsafe PropertyListSerialization.propertyList(
            from: try #require(encoded.httpBody), options: [], format: &format)
        #expect(decoded as? NSDictionary == parameters as NSDictionary)
        #expect(format == encoding.format)
        #expect(encoded.value(forHTTPHeaderField: "Content-Type") == "application/x-plist")
    }

    @Test(.proves("9.9a")) func `XML is the default`() {
        #expect(PropertyListEncoding.default.format == .xml)
        #expect(PropertyListEncoding.xml.format == .xml)
        #expect(PropertyListEncoding.binary.format == .binary)
        #expect(PropertyListEncoding.default.options == 0)
    }

    @Test(.proves("9.11a")) func `the caller's Content-Type stays`() throws {
        let encoded = try PropertyListEncoding.default.encode(
            try request(["Content-Type": "application/xml"]), with: ["a": 1])
        #expect(encoded.headers.values(for: "content-type") == ["application/xml"])
    }

    private struct Other {}

    @Test(.proves("9.9b")) func `what a property list cannot say is an error and no trap`() throws {
        let refused: [(PropertyListEncoding, Any)] = [
            (.default, NSNull()), (.binary, NSNull()), (.default, Other()), (.default, [1: 2]), (.binary, [Other()]),
            (PropertyListEncoding(format: .openStep), "text"),
        ]
        for (encoding, value) in refused {
            let error = #expect(throws: AFError.self) { try encoding.encode(try request(), with: ["a": value]) }
            guard case .parameterEncodingFailed(.propertyListEncodingFailed(let cause))? = error else {
                Issue.record("\(value): \(String(describing: error))")
                continue
            }
            #expect(error?.underlyingError != nil && "\(cause)" != "")
        }
    }
}
