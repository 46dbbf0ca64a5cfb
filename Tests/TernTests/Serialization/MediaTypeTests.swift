// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Tern

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
