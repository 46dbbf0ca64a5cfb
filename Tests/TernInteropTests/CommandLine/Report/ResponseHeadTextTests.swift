// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import Testing

@testable import TernCLI

@Suite struct ResponseHeadTextTests {
    @Test func `a head is written as it is on the wire`() throws {
        let url = try #require(URL(string: "http://a.test/"))
        let response = Tern.HTTPURLResponse(
            url: url, statusCode: 404, httpVersion: "HTTP/1.1", headerFields: ["A": "b"])
        let text = String(decoding: ResponseHeadText.bytes(try #require(response)), as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 404 "))
        #expect(text.hasSuffix("\r\nA: b\r\n\r\n"))
    }

    @Test(arguments: [(0, "000"), (7, "007"), (42, "042"), (200, "200"), (1000, "1000")])
    func `a status has three digits`(status: Int, text: String) {
        #expect(ResponseHeadText.status(status) == text)
    }
}
