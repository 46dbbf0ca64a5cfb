// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import TernEngine

@Suite struct HTTPURLResponseSuggestedFilenameTests {
    @Test(
        arguments: [
            ("http://a.test/b/c.txt?d=/e", nil, "c.txt"), ("http://a.test/b/", nil, "b"),
            ("http://a.test/", nil, "Unknown"),
            ("http://a.test", nil, "Unknown"), ("http://a.test/%2e%2e%2fb", nil, "b"),
            ("http://a.test/a%20b", nil, "a b"),
            ("http://a.test/a%zz", nil, "a%zz"), ("http://a.test/x", "attachment; filename=\"../y\"", "y"),
            ("http://a.test/x", "attachment; filename=\"..\"", "x"), ("http://a.test/..%2f", "attachment", "Unknown"),
            ("http://a.test/%00", nil, "Unknown"),
        ] as [(String, String?, String)])
    func `the server's word comes first, then the URL's`(url: String, disposition: String?, name: String) throws {
        let url = try #require(URL(string: url))
        let fields = disposition.map { ["Content-Disposition": $0] }
        let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: fields)
        #expect(response?.suggestedFilename == name)
    }

    @Test func `without a URL it is unknown`() throws {
        #expect(try HTTPURLResponse(url: nil, statusCode: 200).suggestedFilename == "Unknown")
    }
}
