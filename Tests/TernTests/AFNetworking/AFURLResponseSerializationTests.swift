// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Tern
@testable import TernAFNetworking

@Suite struct AFURLResponseSerializationTests {
    private func response(_ status: Int, _ type: String? = nil) throws -> HTTPURLResponse {
        let url = try #require(URL(string: "http://localhost/"))
        let fields = type.map { ["Content-Type": $0] }
        return try #require(
            HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields))
    }

    private let body = Data("x".utf8)

    @Test(arguments: [(199, false), (200, true), (299, true), (300, false), (404, false)])
    func `every success is accepted, of any type, and nothing else`(status: Int, isAccepted: Bool) throws {
        let serializer = AFHTTPResponseSerializer()
        let response = try response(status, "any/thing")
        #expect(((try? serializer.responseObject(for: response, data: body)) as? Data == body) == isAccepted)
    }

    @Test func `a type is checked if there is a body, and before the status`() throws {
        let serializer = AFHTTPResponseSerializer(acceptableContentTypes: ["a/b"])
        try serializer.validate(try response(200, "A/B"), data: body)
        try serializer.validate(try response(200), data: nil)
        try serializer.validate(try response(200, "c/d"), data: Data())
        let missing = #expect(throws: AFError.self) { try serializer.validate(response(200), data: body) }
        #expect(missing?.acceptableContentTypes == ["a/b"])
        let wrong = #expect(throws: AFError.self) { try serializer.validate(response(404, "c/d"), data: body) }
        #expect(wrong?.responseContentType == "c/d")
    }

    @Test func `without limits every response is accepted, and without a response there is no error`() throws {
        let serializer = AFHTTPResponseSerializer(acceptableStatusCodes: nil)
        try serializer.validate(try response(500), data: body)
        try AFHTTPResponseSerializer().validate(nil, data: body)
    }

    @Test func `JSON is read, nothing and a single space are nil, and nulls go where asked`() throws {
        let fine = try response(200, "application/json; charset=utf-8")
        let serializer = AFJSONResponseSerializer()
        #expect(try serializer.responseObject(for: fine, data: Data("[1]".utf8)) as? [Int] == [1])
        for text in ["", " "] { #expect(try serializer.responseObject(for: fine, data: Data(text.utf8)) == nil) }
        #expect(try serializer.responseObject(for: fine, data: nil) == nil)
        let text = Data(#"{"a": null, "b": [{"c": null}], "d": [null]}"#.utf8)
        let pruning = AFJSONResponseSerializer(removesKeysWithNullValues: true)
        let object = try pruning.responseObject(for: fine, data: text) as? [String: Any]
        #expect(object?.keys.sorted() == ["b", "d"])
        #expect((object?["b"] as? [[String: Any]])?.first?.isEmpty == true)
        #expect((object?["d"] as? [Any])?.count == 1)
    }

    @Test func `statuses and types are validated, a type only with a body`() throws {
        let serializer = AFJSONResponseSerializer()
        func failure(_ status: Int, _ type: String?, _ text: String) throws -> AFError? {
            let response = try response(status, type)
            do {
                _ = try serializer.responseObject(for: response, data: Data(text.utf8))
                return nil
            } catch {
                return error as? AFError
            }
        }
        #expect(try failure(204, nil, "") == nil)
        #expect(try failure(200, "text/javascript", "1")?.isResponseSerializationError == true)
        #expect(try failure(500, "application/json", "{}")?.responseCode == 500)
        #expect(try failure(200, "text/html", "<p>")?.responseContentType == "text/html")
        #expect(try failure(200, nil, "[]")?.isResponseValidationError == true)
        #expect(try failure(200, "APPLICATION/JSON", "[]") == nil)
    }
}
