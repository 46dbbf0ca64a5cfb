// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import TernEngine

@Suite struct ContentMemoryTests {
    private func append(_ octets: [UInt8], to memory: ContentMemory) -> Int { memory.append(octets.span) }

    @Test func `what is received in the room stays there, and what is not is copied there`() {
        let memory = ContentMemory(capacity: 5)
        let room = unsafe memory.room
        unsafe room.copyBytes(from: "he".utf8)
        let received = unsafe UnsafeMutableRawBufferPointer(rebasing: room[..<2]).bindMemory(to: UInt8.self)
        let count = unsafe memory.append(received.span)
        #expect(count == 2)
        #expect(append(Array("llo!".utf8), to: memory) == 3)
        #expect(memory.data(0..<5) == Data("hello".utf8))
        #expect(unsafe memory.room.isEmpty)
        #expect(append([1], to: memory) == 0)
    }

    @Test func `what is handed out outlives the memory, and does not change as the rest is filled`() {
        var memory: ContentMemory? = ContentMemory(capacity: 4)
        #expect(memory.map { append([1, 2], to: $0) } == 2)
        let first = memory?.data(0..<2)
        #expect(memory.map { append([3, 4], to: $0) } == 2)
        let second = memory?.data(2..<4)
        memory = nil
        #expect(first == Data([1, 2]))
        #expect(second == Data([3, 4]))
    }

    @Test func `a part that is not filled is none`() {
        let memory = ContentMemory(capacity: 4)
        #expect(append([1], to: memory) == 1)
        #expect(memory.data(0..<2).isEmpty)
        #expect(memory.data(1..<1).isEmpty)
    }

    @Test func `grows around what it holds, and all of it is taken once`() {
        let memory = ContentMemory(capacity: 0)
        for count in [3, 100_000, 2] {
            let isTaken = memory.takeOver([UInt8](repeating: 7, count: count).span)
            #expect(isTaken)
        }
        #expect(memory.takeAll() == Data(repeating: 7, count: 100_005))
        #expect(memory.takeAll().isEmpty)
        #expect(unsafe memory.room.isEmpty)
    }

    @Test(.disabled(if: Sanitizer.isWatching, "AddressSanitizer ends a process that asks for so much"))
    func `more than there is memory for is not taken`() {
        let memory = ContentMemory(capacity: .max)
        #expect(memory.capacity == 0)
        memory.grow(to: .max)
        #expect(append([1], to: memory) == 0)
        let isTaken = memory.takeOver([1].span)
        #expect(isTaken)
    }
}
