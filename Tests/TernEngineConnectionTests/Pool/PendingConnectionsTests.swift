// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

@Suite struct PendingConnectionsTests {
    private final class Waiter {}

    @Test func `a connection that its waiter has left is spare until another waiter relies on it`() {
        let (one, two) = (Waiter(), Waiter())
        var pending = PendingConnections<Waiter>()
        let number = pending.begin(for: one)
        pending.leave(one)
        let left = (pending.hasSpare, pending.number(for: one), pending.count)
        #expect(left == (true, nil, 1))
        let inherited = pending.inheritSpare(two)
        let (reliant, hasSpare) = (pending.reliant(on: number), pending.hasSpare)
        #expect(inherited == number)
        #expect(reliant === two)
        #expect(!hasSpare)
        let ended = pending.end(number)
        let isEmpty = pending.isEmpty
        #expect(ended?.waiter === two)
        #expect(ended?.isInherited == true)
        #expect(isEmpty)
    }

    @Test func `connections have numbers of their own, and an end counts once`() {
        let (one, two) = (Waiter(), Waiter())
        var pending = PendingConnections<Waiter>()
        let numbers = [pending.begin(for: one), pending.begin(for: two)]
        #expect(Set(numbers).count == 2)
        let ends = [pending.end(numbers[0]), pending.end(numbers[0])]
        #expect(ends.map { $0?.waiter === one } == [true, false])
        let spare = pending.inheritSpare(one)
        #expect(spare == nil)
        let reliant = pending.reliantCount
        #expect(reliant == 1)
    }
}
