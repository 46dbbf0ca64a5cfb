// SPDX-License-Identifier: Apache-2.0
import TernSystem
import Testing

@Suite struct RandomWordsTests {
    @Test func `words do not repeat, neither within one call of the kernel nor between two`() {
        var (first, second) = (RandomWords(), RandomWords())
        let words = (0..<200).map { _ in first.next() } + (0..<200).map { _ in second.next() }
        // Of 400 among 2^32, two are the same once in 50,000 times, and more practically never.
        #expect(Set(words).count >= 398)
        // Each bit is set in some, and clear in some.
        #expect(words.reduce(0, |) == .max && words.reduce(.max, &) == 0)
    }
}
