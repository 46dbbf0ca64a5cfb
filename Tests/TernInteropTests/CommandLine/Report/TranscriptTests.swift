// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import Testing

@testable import TernCLI

@Suite struct HeadLogTests {
    private static func response() throws -> Tern.HTTPURLResponse {
        let url = try #require(URL(string: "http://a.test/"))
        let fields = ["Location": "/again", "X": String(repeating: "x", count: 1_000)]
        let response = Tern.HTTPURLResponse(
            url: url, statusCode: 302, httpVersion: "HTTP/1.1", headerFields: fields)
        return try #require(response)
    }

    @Test func `of an endless chain a window of heads waits, and the others are handed out in order`() throws {
        let response = try Self.response()
        let length = response.head.encoded.count
        var (log, written, largest) = (HeadLog(isKept: true), 0, 0)
        for _ in 0..<20_000 {
            written += log.append(response.head)?.count ?? 0
            largest = max(largest, log.waiting.count)
        }
        #expect(largest <= HeadLog.window)
        #expect(log.size == 20_000 * length)
        #expect(written + log.waiting.count == log.size)
    }

    @Test func `heads that are written nowhere are only counted`() throws {
        let response = try Self.response()
        var log = HeadLog(isKept: false)
        for _ in 0..<20_000 { #expect(log.append(response.head) == nil) }
        #expect(log.waiting.isEmpty)
        #expect(log.size == 20_000 * response.head.encoded.count)
    }
}

@Suite struct ResponseHeadTextTests {
    @Test func `a head is written as it is on the wire`() throws {
        let url = try #require(URL(string: "http://a.test/"))
        let response = Tern.HTTPURLResponse(
            url: url, statusCode: 404, httpVersion: "HTTP/1.1", headerFields: ["A": "b"])
        let text = String(decoding: try #require(response).head.encoded, as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 404 "))
        #expect(text.hasSuffix("\r\nA: b\r\n\r\n"))
    }

    @Test(arguments: [(0, "000"), (7, "007"), (42, "042"), (200, "200"), (1000, "1000")])
    func `a status has three digits`(status: Int, text: String) {
        #expect(ResponseHeadText.status(status) == text)
    }
}
