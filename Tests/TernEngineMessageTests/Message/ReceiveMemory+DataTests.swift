// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernIO
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct ReceiveMemoryDataTests {
    private func append(_ bytes: [UInt8], to memory: ReceiveMemory) -> Int { memory.append(bytes.span) }

    @Test func `a borrowed region outlives the memory, and does not change as the rest is filled`() {
        var memory: ReceiveMemory? = ReceiveMemory(capacity: 4)
        #expect(memory.map { append([1, 2], to: $0) } == 2)
        let first = memory?.data(0..<2)
        #expect(memory.map { append([3, 4], to: $0) } == 2)
        let second = memory?.data(2..<4)
        memory = nil
        #expect(first == Data([1, 2]))
        #expect(second == Data([3, 4]))
    }

    /// Some bytes more than `Data` stores inline.
    @Test func `is lent as long as anybody has a part of it`() {
        let memory = ReceiveMemory(capacity: 300)
        let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
        #expect(append(bytes, to: memory) == 300)
        #expect(!memory.isBorrowed)
        var first = Optional(memory.data(0..<200))
        var part = first?.dropFirst(100)
        var second = Optional(memory.data(200..<300))
        first = nil
        #expect(memory.isBorrowed)
        #expect(part?.elementsEqual(bytes[100..<200]) == true)
        part = nil
        #expect(memory.isBorrowed)
        #expect(second?.elementsEqual(bytes[200...]) == true)
        second = nil
        #expect(!memory.isBorrowed)
    }

    @Test func `all of it is taken once`() {
        let memory = ReceiveMemory(capacity: 4)
        #expect(append([1, 2, 3], to: memory) == 3)
        #expect(memory.takeAll() == Data([1, 2, 3]))
        #expect(memory.takeAll().isEmpty)
        #expect(memory.data(0..<1).isEmpty)
    }

    @Test(.disabled(if: Sanitizer.isWatching, "AddressSanitizer ends a process that allocates this much"))
    func `more than there is memory for is not taken`() {
        let memory = ReceiveMemory(capacity: .max)
        #expect(memory.capacity == 0)
        memory.grow(to: .max)
        #expect(append([1], to: memory) == 0)
        let isTaken = memory.appendGrowing([1].span)
        #expect(isTaken)
    }
}
