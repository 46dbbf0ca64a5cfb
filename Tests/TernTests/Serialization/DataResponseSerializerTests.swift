// SPDX-License-Identifier: Apache-2.0
// Imports what a user's test of a serializer imports: no server, no session.
import Foundation
import Tern
import TestProofs
import Testing

@Suite struct DataResponseSerializerTests {
    private struct Unexpected: Error {}

    /// As a user would write it: the lines of a text, if the server says that it is one.
    private let lines = DataResponseSerializer<[String]> { _, response, data, error in
        if let error { return .failure(error) }
        guard let data, response?.mimeType == "text/plain" else { return .failure(Unexpected()) }
        return .success(String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init))
    }

    private func serialize(_ type: String, _ text: String) throws -> Result<[String], any Error> {
        let url = try #require(URL(string: "https://example.com/"))
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: ["Content-Type": type]))
        return lines.serializeResponse(URLRequest(url: url), response, Data(text.utf8), nil)
    }

    @Test(.proves("8.5a")) func `a serializer of one's own is tested with responses of one's own`() throws {
        #expect(try serialize("text/plain; charset=utf-8", "a\nb").get() == ["a", "b"])
        #expect(throws: Unexpected.self) { try serialize("text/html", "a").get() }
        let response = try HTTPURLResponse(url: nil, statusCode: 200, headers: ["Content-Type": "text/plain"])
        let made = DataResponse(
            request: nil, response: response, data: Data("a".utf8),
            result: lines.serializeResponse(nil, response, Data("a".utf8), nil))
        #expect(made.value == ["a"])
    }
}
