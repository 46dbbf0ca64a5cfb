// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernIO

@Suite struct WorkQueueTests {
    @Test func `gives out in the order it was given, whatever comes in between`() {
        var queue = WorkQueue<Int>()
        var (sent, received) = (0, 0)
        for burst in [1, 3, 2000, 1, 5000, 10] {
            for _ in 0..<burst {
                queue.append(sent)
                sent += 1
            }
            // Never empty until the end.
            while queue.count > 1 {
                #expect(queue.popFirst() == received)
                received += 1
            }
        }
        #expect(queue.popFirst() == received)
        #expect(queue.popFirst() == nil)
        #expect(queue.isEmpty == true)
    }

    @Test func `releases each element as it is taken`() {
        final class Token {}
        var queue = WorkQueue<Token>()
        weak var first: Token?
        do {
            let token = Token()
            first = token
            queue.append(token)
            queue.append(Token())
        }
        #expect(first != nil)
        _ = queue.popFirst()
        #expect(first == nil)
        #expect(queue.count == 1)
    }

    @Test func `gives back what a burst has made of its memory`() {
        var queue = WorkQueue<Int>()
        for number in 0..<100_000 { queue.append(number) }
        #expect(queue.capacity >= 100_000)
        while queue.popFirst() != nil {}
        #expect(queue.capacity <= 2048)
    }

    @Test func `does not grow while as much is taken as is given`() {
        var queue = WorkQueue<Int>()
        for number in 0..<100_000 {
            queue.append(number)
            if number >= 10 { _ = queue.popFirst() }
        }
        #expect(queue.count == 10)
        #expect(queue.capacity <= 8192)
    }
}
