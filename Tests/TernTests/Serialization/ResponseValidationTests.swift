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

@Suite struct MediaTypeTests {
    @Test func `a type has two names, whatever its parameters and case`() throws {
        let type = try #require(MediaType(" Text/HTML ; q=1; Charset=\"UTF-8\" "))
        #expect(type.type == "text")
        #expect(type.subtype == "html")
        #expect(type.charset == "utf-8")
        #expect(try #require(MediaType("text/html")).charset == nil)
    }

    @Test(arguments: ["", "/", "text", "text/", "/html", "a/b/c", ";", "; charset=utf-8"])
    func `what has not two names is no type`(text: String) {
        #expect(MediaType(text) == nil)
    }

    @Test(arguments: [
        ("*/*", "text/html", true), ("text/*", "text/html", true), ("*/html", "text/html", true),
        ("text/html", "text/html", true), ("TEXT/html;q=0.5", "text/HTML; charset=x", true),
        ("text/plain", "text/html", false), ("image/*", "text/html", false), ("*/plain", "text/html", false),
    ])
    func `each half of a range matches itself or is a star`(range: String, type: String, matches: Bool) throws {
        #expect(try #require(MediaType(range)).matches(try #require(MediaType(type))) == matches)
    }
}
