// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Tern

@Suite struct ResponseValidationTests {
    private func response(_ type: String?) throws -> HTTPURLResponse {
        let url = try #require(URL(string: "http://localhost/"))
        return try #require(
            HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: "HTTP/1.1",
                headerFields: type.map { ["Content-Type": $0] }))
    }

    @Test func `a status code outside the acceptable ones is the error`() {
        #expect(ResponseValidation.check(204, by: 200..<300) == nil)
        #expect((ResponseValidation.check(404, by: 200..<300) as? AFError)?.responseCode == 404)
    }

    @Test func `a media type matches by halves, whatever its parameters`() throws {
        let json = try response("application/json; charset=utf-8")
        #expect(ResponseValidation.check(json, by: ["text/*", "application/*"]) == nil)
        let error = ResponseValidation.check(json, by: ["text/*"]) as? AFError
        #expect(error?.responseContentType == "application/json")
    }

    @Test func `a missing type passes only where every type does`() throws {
        #expect(ResponseValidation.check(try response(nil), by: ["*/*"]) == nil)
        #expect(ResponseValidation.check(try response(nil), by: ["text/plain"]) is AFError)
    }
}
