// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernURLSession
import Testing

@Suite(.serialized) struct URLCacheTests {
    @Test func `the shared cache can be replaced`() {
        let former = URLCache.shared
        defer { URLCache.shared = former }
        let cache = URLCache(memoryCapacity: 1000, diskCapacity: 0, diskPath: nil)
        URLCache.shared = cache
        #expect(URLCache.shared === cache && former.memoryCapacity == 4 * 1024 * 1024)
    }

    @Test func `a stored response has values of any type under keys of any type`() throws {
        final class Value {}
        let url = try #require(URL(string: "http://a.test/"))
        let request = URLRequest(url: url)
        let response = try #require(
            HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: nil,
                headerFields: ["Cache-Control": "max-age=100"]))
        let value = Value()
        let stored = CachedURLResponse(
            response: response, data: Data([1]), userInfo: ["a": value, 5: "x"], storagePolicy: .allowed)
        #expect(stored.userInfo?["a"] as? Value === value && stored.userInfo?[5] as? String == "x")
        let cache = URLCache(memoryCapacity: 100_000, diskCapacity: 0, diskPath: nil)
        cache.storeCachedResponse(stored, for: request)
        let found = try #require(cache.cachedResponse(for: request))
        #expect(found.userInfo?["a"] as? Value === value && found.userInfo?.count == 2)
        #expect(found == stored && found.response == response)
        #expect(stored.isEqual(stored.copy()) && stored.hash == (stored.copy(with: nil) as? CachedURLResponse)?.hash)
    }
}
