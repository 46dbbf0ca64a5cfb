// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import TernEngine

@Suite struct HTTPURLResponseDescriptionTests {
    @Test func `no description or dump shows userinfo, query or secrets`() throws {
        let response = try HTTPURLResponse(
            url: URL(string: "https://joe:secret1@Example.com:8443/p?token=secret2#f"), statusCode: 201,
            headers: ["Set-Cookie": "secret3", "X-Shown": "shown"])
        #expect("\(response)" == "201 https://example.com:8443/p")
        var dumped = ""
        dump(response, to: &dumped)
        for text in [response.debugDescription, dumped, "\(String(describing: Optional(response)))"] {
            #expect(!text.contains("secret") && text.contains("201"))
        }
        #expect(response.debugDescription.contains("X-Shown: shown"))
        #expect(try "\(HTTPURLResponse(url: nil, statusCode: 204))" == "204")
        #expect(try "\(HTTPURLResponse(url: URL(string: "/p"), statusCode: 204))" == "204 (not a URL to be requested)")
    }
}
