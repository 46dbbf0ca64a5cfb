// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import Testing

@testable import Tern

@Suite struct RedactionTests {
    @Test(arguments: [
        ("https://joe:secret@example.com/p?q", "https://example.com/p?q"),
        ("https://joe@example.com", "https://example.com"),
        ("https://a@b:secret@example.com/", "https://example.com/"),
        ("//joe:secret@example.com", "//example.com"),
        ("https://example.com/~joe@home?mail=a@b#c@d", "https://example.com/~joe@home?mail=a@b#c@d"),
        ("https://example.com?user=a@b", "https://example.com?user=a@b"),
        // A combining mark makes one character of itself and the delimiter before it.
        ("https://joe:secret@\u{301}example.com/", "https://\u{301}example.com/"),
        ("https://\u{301}joe:secret@example.com/", "https://example.com/"),
        ("https://example.com/\u{301}@home", "https://example.com/\u{301}@home"),
        ("https://example.com?\u{301}user=a@b", "https://example.com?\u{301}user=a@b"),
        ("no url at all", "no url at all"), ("", ""),
    ])
    func `userinfo is left out of URLs, and nothing else`(url: String, shown: String) {
        #expect(Redaction.url(url) == shown)
    }

    @Test(arguments: [
        ("https://a.b/p?api_key=SECRET&q=1", "https://a.b/p?api_key=<redacted>&q=1"),
        (
            "https://a.b/?q=1&X-Amz-Signature=SECRET;pw#access_token=SECRET&state=1",
            "https://a.b/?q=1&X-Amz-Signature=<redacted>;pw#access_token=<redacted>&state=1"
        ),
        ("https://a.b/?%61pi%5Fkey=SECRET=SECRET", "https://a.b/?%61pi%5Fkey=<redacted>"),
        ("https://a.b/?mine=SECRET&keyboard=1&code=SECRET", "https://a.b/?mine=<redacted>&keyboard=1&code=<redacted>"),
        ("https://a.b/token=1", "https://a.b/token=1"), ("https://joe:secret@a.b?&&=&key", "https://a.b?&&=&key"),
    ])
    func `values of a query are left out where their names say that they are secrets`(url: String, shown: String) {
        #expect(Redaction.url(url, ["Mine"]) == shown)
    }

    @Test func `no description of a request or a response shows a secret of its query, unless it is configured to`()
        throws
    {
        var request = try URLRequest(
            url: "https://example.com/?api_key=SECRET", method: .post,
            headers: ["Content-Type": "application/x-www-form-urlencoded; charset=utf-8"])
        request.httpBody = Data("user=joe&password=SECRET".utf8)
        func texts() throws -> [String] {
            let data = DataResponse(request: request, response: nil, data: nil, result: .success(1))
            let download = DownloadResponse(
                request: request, response: nil, temporaryURL: nil, destinationURL: nil, resumeData: nil,
                result: .success(1))
            let manager = SessionManager()
            manager.startRequestsImmediately = false
            let chain = manager.request(request)
            return [
                data.debugDescription, download.debugDescription, chain.description, chain.debugDescription,
                AFError.invalidURL(url: "https://example.com/?api_key=SECRET").localizedDescription,
            ]
        }
        for text in try texts() { #expect(!text.contains("SECRET") && text.contains("<redacted>"), "\(text)") }
        request.sensitiveFields.redactsQueryItems = false
        for text in try texts().dropLast() { #expect(text.contains("SECRET")) }
    }
}
