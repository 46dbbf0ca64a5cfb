// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestProofs
import Testing

@testable import Tern

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

    @Test func `a date that is not a number is a text in a query`() throws {
        let request = try URLEncoding.default.encode(
            URLRequest(string: "http://a.example/"), with: ["d": Date(timeIntervalSince1970: .nan)])
        #expect(request.url?.query == "d=nan")
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

@Suite struct URLRequestBodyTests {
    @Test func `a body brings its type, and a type that is there stays`() throws {
        var request = try URLRequest(url: "http://localhost/", method: .post)
        request.setContent(.data(Data("a".utf8)), type: "text/plain")
        #expect(request.httpBody == Data("a".utf8))
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "text/plain")
        request.setContent(.data(Data("b".utf8)), type: "text/html")
        #expect(request.httpBody == Data("b".utf8))
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "text/plain")
    }
}
