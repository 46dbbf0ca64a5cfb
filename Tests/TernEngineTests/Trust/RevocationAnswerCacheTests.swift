// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTLS
import Testing

@testable import TernEngine

@Suite struct RevocationAnswerCacheTests {
    private static let question = RevocationQuestion.list(url: "http://a.test/")

    @Test func `one caller asks, and all get the answer, which is then known`() {
        let cache = RevocationAnswerCache()
        let count = Lock(0)
        let note: RevocationAnswerCache.Completion = { _ in count.withLock { $0 += 1 } }
        #expect(cache.isFirst(to: Self.question, note))
        #expect(!cache.isFirst(to: Self.question, note))
        #expect(count.withLock { $0 } == 0)
        cache.keep(.none, to: Self.question)
        #expect(count.withLock { $0 } == 2)
        #expect(!cache.isFirst(to: Self.question, note))
        #expect(count.withLock { $0 } == 3)
    }

    @Test func `an answer without a question is not kept`() {
        let cache = RevocationAnswerCache()
        cache.keep(.none, to: Self.question)
        #expect(cache.isFirst(to: Self.question) { _ in })
    }

    @Test func `many answers do not fill the memory, and pending questions are not forgotten`() {
        let cache = RevocationAnswerCache()
        let pending = RevocationQuestion.list(url: "http://pending.test/")
        #expect(cache.isFirst(to: pending) { _ in })
        for number in 0..<600 {
            let question = RevocationQuestion.list(url: "http://\(number).test/")
            #expect(cache.isFirst(to: question) { _ in })
            cache.keep(.none, to: question)
        }
        // The first was dropped, the last is known.
        #expect(cache.isFirst(to: .list(url: "http://0.test/")) { _ in })
        #expect(!cache.isFirst(to: .list(url: "http://599.test/")) { _ in })
        #expect(!cache.isFirst(to: pending) { _ in })
    }
}
