// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import TernIO

@Suite struct ReceiveMemoryTests {
    private func append(_ bytes: [UInt8], to memory: ReceiveMemory) -> Int { memory.append(bytes.span) }

    @Test func `what is received in the room stays there, and what is not is copied there`() {
        let memory = ReceiveMemory(capacity: 5)
        let room = unsafe memory.room
        unsafe room.copyBytes(from: "he".utf8)
        let received = unsafe UnsafeMutableRawBufferPointer(rebasing: room[..<2]).bindMemory(to: UInt8.self)
        let count = unsafe memory.append(received.span)
        #expect(count == 2)
        #expect(append(Array("llo!".utf8), to: memory) == 3)
        #expect(unsafe memory.filled(0..<5)?.elementsEqual("hello".utf8) == true)
        #expect(unsafe memory.room.isEmpty)
        #expect(append([1], to: memory) == 0)
    }

    @Test func `a part that is not filled is none`() {
        let memory = ReceiveMemory(capacity: 4)
        #expect(append([1], to: memory) == 1)
        for range in [0..<2, 1..<1, -1..<1] { #expect(unsafe memory.filled(range) == nil) }
    }

    @Test func `grows around what it holds, and all of it is taken once`() {
        let memory = ReceiveMemory(capacity: 0)
        for count in [3, 100_000, 2] {
            let isTaken = memory.appendGrowing([UInt8](repeating: 7, count: count).span)
            #expect(isTaken)
        }
        let all = unsafe memory.release()
        defer { unsafe free(all?.baseAddress) }
        #expect(unsafe all?.count == 100_005)
        #expect(unsafe all?.allSatisfy { $0 == 7 } == true)
        #expect(unsafe memory.release() == nil)
        #expect(unsafe memory.room.isEmpty)
    }
}
