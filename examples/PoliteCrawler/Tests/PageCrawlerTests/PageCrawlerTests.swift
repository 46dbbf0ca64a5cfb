import Foundation
import PageCrawler
import TernTesting
import Testing

struct PageCrawlerTests {
    private static let index =
        #"<a href="/a">a</a><a href="b">b</a><a href="/private/c">c</a><a href="http://other.test/">d</a>"#

    private static func answer(_ request: ReceivedRequest) -> [OriginStep] {
        switch request.target {
        case "/robots.txt": [.ok("User-agent: *\nDisallow: /private\n")]
        case _ where request.value(of: "If-None-Match") != nil: [.respond(status: 304)]
        case "/": [.respond(fields: [("ETag", "\"1\"")], body: index)]
        case "/a": [.respond(fields: [("ETag", "\"2\"")], body: "page a")]
        default: [.respond(status: 404, body: "no such page")]
        }
    }

    @Test func `follows what robots allows, over two connections, and confirms in the next run what it has`()
        async throws
    {
        let origin = try ScriptedOrigin { _, request in Self.answer(request) }
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let start = try #require(URL(string: "http://127.0.0.1:\(origin.port)/"))
        for run in 1...2 {
            let pages = try await PageCrawler(cacheFolder: folder, requestsPerSecond: 1000).pages(from: start)
            #expect(Set(pages.keys.map { $0.path() }) == ["/", "/a", "/b"])
            #expect(try pages[start.appending(path: "a")]?.get() == "page a")
            guard case .failure(let error)? = pages[start.appending(path: "b")] else {
                Issue.record("a missing page is no error")
                continue
            }
            #expect(error.refusedResponse?.response.statusCode == 404)
            #expect(origin.connectionCount <= 2 * run)
        }
        #expect(origin.requests.count { $0.value(of: "If-None-Match") != nil } == 2)
        #expect(!origin.requests.contains { $0.target.hasPrefix("/private") })
    }
}
