// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import Testing

@testable import TernCLI

@Suite struct HeaderOptionTests {
    @Test(arguments: [
        ("A: b", "A", "b"), ("A:b", "A", "b"), ("A: \t b \t", "A", "b"), ("A: b:c", "A", "b:c"), ("A;", "A", ""),
        ("A: ;", "A", ";"),
    ])
    func `a field has a name and a value`(text: String, name: String, value: String) throws {
        guard case .add(let field) = try HeaderOption(text) else {
            Issue.record("\(try HeaderOption(text))")
            return
        }
        #expect(field == HeaderField(name: name, value: value))
    }

    @Test func `a file has a field on each line, whatever ends it`() {
        #expect(
            HeaderOption.lines(in: Data("A: b\r\n\nC: d\u{2028}e\u{85}f\n".utf8)) == ["A: b", "C: d\u{2028}e\u{85}f"])
        #expect(HeaderOption.lines(in: Data()).isEmpty)
    }

    @Test(arguments: ["A:", "A: ", "A: \t"]) func `a field without a value is removed`(text: String) throws {
        guard case .remove("A") = try HeaderOption(text) else {
            Issue.record("\(text)")
            return
        }
    }

    @Test(arguments: ["A", "", "A b"]) func `a text without a colon is refused`(text: String) {
        #expect(throws: (any Error).self) { try HeaderOption(text) }
    }

    @Test(arguments: [
        ("Transfer-Encoding: chunked", true), ("transfer-encoding:CHUNKED", true), ("Transfer-Encoding: gzip", false),
        ("Transfer-Encoding:", false), ("X: chunked", false),
    ])
    func `chunks are asked for by one field`(text: String, asks: Bool) throws {
        #expect(try HeaderOption(text).asksForChunks == asks)
    }

    @Test func `a removed field is one of the session's, and never Host`() throws {
        var request = Tern.URLRequest(url: try #require(URL(string: "http://a.test/")))
        var defaults: HeaderFields = ["User-Agent": "tern", "Accept": "*/*"]
        try HeaderOption("user-agent:").apply(to: &request, &defaults)
        try HeaderOption("X: y").apply(to: &request, &defaults)
        try HeaderOption("X: z").apply(to: &request, &defaults)
        #expect(defaults.map(\.name) == ["Accept"])
        #expect(request.value(forHTTPHeaderField: "x") == "y, z")
        #expect(throws: (any Error).self) { try HeaderOption("Host:").apply(to: &request, &defaults) }
    }
}
