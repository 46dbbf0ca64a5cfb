// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Synchronization
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

struct RecentRequestsTests {
    private static let texts = (0..<40).map { "http://host\($0 % 3).example/\($0)" }

    private func request(of text: String, counting made: borrowing Atomic<Int>, _ recent: borrowing RecentRequests)
        throws(InvalidRequest) -> URLRequest
    {
        try recent.request(of: text) { () throws(InvalidRequest) in
            made.add(1, ordering: .relaxed)
            return try URLRequest(string: text)
        }
    }

    @Test func `a text that is used again is not parsed again`() throws {
        let recent = RecentRequests()
        let made = Atomic<Int>(0)
        for _ in 0..<100 {
            let request = try request(of: "http://example.com/a", counting: made, recent)
            #expect(request.url?.absoluteString == "http://example.com/a")
        }
        #expect(made.load(ordering: .relaxed) == 1)
    }

    @Test func `more texts than are kept are answered right, in any order`() throws {
        let recent = RecentRequests()
        let made = Atomic<Int>(0)
        for _ in 0..<2000 {
            let text = Self.texts.randomElement() ?? ""
            #expect(try request(of: text, counting: made, recent).url?.absoluteString == text)
        }
        #expect(made.load(ordering: .relaxed) < 2000)
    }

    @Test func `a text that cannot be a request is an error each time, and a long one is parsed each time`() throws {
        let recent = RecentRequests()
        let made = Atomic<Int>(0)
        for _ in 0..<2 {
            #expect(throws: InvalidRequest.self) { try request(of: "ftp://example.com/", counting: made, recent) }
            _ = try request(of: "http://example.com/" + String(repeating: "a", count: 600), counting: made, recent)
        }
        #expect(made.load(ordering: .relaxed) == 4)
    }

    @Test func `a change to one copy is none to the next one`() throws {
        let recent = RecentRequests()
        var first = recent.request(of: "http://example.com/") { URLRequest(url: URL(fileURLWithPath: "/")) }
        first.httpMethod = "DELETE"
        let second = recent.request(of: "http://example.com/") { URLRequest(url: URL(fileURLWithPath: "/")) }
        #expect(second.httpMethod == "GET")
    }

    @Test func `threads that use it at once get what they asked for`() async {
        let session = Session()
        let wrong = await withTaskGroup(of: Int.self) { tasks in
            for _ in 0..<8 {
                tasks.addTask { @concurrent in
                    (0..<2000).count { _ in
                        guard let url = URL(string: Self.texts.randomElement() ?? "") else { return true }
                        return session.getRequest(for: url).url != url
                    }
                }
            }
            return await tasks.reduce(0, +)
        }
        #expect(wrong == 0)
    }

    @Test func `a response's URL is the one that was asked for, with its base`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("hello")] }
        let session = Session.limited()
        let absolute = try #require(URL(string: origin.url("/a/b")))
        let relative = try #require(URL(string: "b", relativeTo: URL(string: origin.url("/a/"))))
        for url in [absolute, relative, absolute, relative] {
            #expect(try await session.data(from: url).1.url?.relativeString == url.relativeString)
        }
    }
}
