// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TestProofs
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct WaitingContentTests {
    private func bytes(_ range: Range<Int>) -> [UInt8] { range.map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) } }

    /// As the reactor does it: the next bytes of content in the room, of `count` that are still to come.
    private func receive(_ bytes: [UInt8], of count: Int, _ content: inout WaitingContent) {
        guard let room = unsafe content.room(for: count) else { return content.append(bytes.span) }
        let received = unsafe UnsafeMutableRawBufferPointer(rebasing: room.prefix(bytes.count))
        unsafe received.copyBytes(from: bytes.prefix(received.count))
        unsafe content.append(received.bindMemory(to: UInt8.self).span)
        let rest = bytes.dropFirst(received.count)
        if !rest.isEmpty { receive(Array(rest), of: count - received.count, &content) }
    }

    private func takeAll(_ content: inout WaitingContent) -> [Data] {
        var pieces: [Data] = []
        while let piece = content.popFirst() { pieces.append(piece) }
        return pieces
    }

    @Test func `what was received elsewhere leaves as one`() {
        var content = WaitingContent()
        content.append([1, 2].span)
        content.append([3].span)
        #expect(content.count == 3)
        #expect(takeAll(&content) == [Data([1, 2, 3])])
        #expect(content.isEmpty)
    }

    @Test func `what was received in the room is not moved`() throws {
        var content = WaitingContent()
        let lent = unsafe content.room(for: 100_000)
        let room = try unsafe #require(lent)
        unsafe content.append(UnsafeMutableRawBufferPointer(rebasing: room[..<1000]).bindMemory(to: UInt8.self).span)
        let first = content.popFirst()
        let piece = try #require(first)
        let address = unsafe piece.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        #expect(address == UInt(bitPattern: room.baseAddress))
    }

    private func fill(_ content: inout WaitingContent, with count: Int) throws -> (address: UInt, piece: Data) {
        let lent = unsafe content.room(for: 10_000_000)
        let room = try unsafe #require(lent)
        unsafe content.append(
            UnsafeMutableRawBufferPointer(rebasing: room.prefix(count)).bindMemory(to: UInt8.self).span)
        let piece = content.popFirst()
        return (UInt(bitPattern: room.baseAddress), try #require(piece))
    }

    @Test func `memory that is not lent is filled again, and memory that is lent is not`() throws {
        var content = WaitingContent()
        let first = try fill(&content, with: 200_000).address
        #expect(try fill(&content, with: 100_000).address == first)
        var kept = Optional(try fill(&content, with: 200_000))
        #expect(kept?.address == first)
        let second = try fill(&content, with: 200_000).address
        #expect(second != first)
        #expect(try fill(&content, with: 200_000).address == second)
        kept = nil
        let other = Optional(try fill(&content, with: 200_000))
        #expect(other?.address == second)
        // The one that was kept comes back.
        #expect(try fill(&content, with: 200_000).address == first)
        #expect(other?.piece.count == 200_000)
    }

    /// In whatever portions, taken at whatever time, kept or not: nothing is lost, doubled, out of order or changed.
    @Test func `everything comes in the order it came`() {
        var random = SeededGenerator(seed: 12)
        for _ in 0..<Rounds.of(5) {
            let all = bytes(0..<Int.random(in: 1...2_000_000, using: &random))
            var content = WaitingContent()
            var (sent, read): (Int, [UInt8]) = (0, [])
            var kept: [(offset: Int, piece: Data)] = []
            while sent < all.count {
                let count = min(all.count - sent, Int.random(in: 1...200_000, using: &random))
                let portion = Array(all[sent..<sent + count])
                if Bool.random(using: &random) {
                    receive(portion, of: all.count - sent, &content)
                } else {
                    content.append(portion.span)
                }
                sent += count
                #expect(content.count == sent - read.count)
                if Int.random(in: 0..<3, using: &random) == 0, let piece = content.popFirst() {
                    if Bool.random(using: &random) { kept.append((read.count, piece)) }
                    read += piece
                }
                if Int.random(in: 0..<4, using: &random) == 0 { kept.removeAll() }
            }
            for piece in takeAll(&content) { read += piece }
            #expect(read == all)
            #expect(kept.allSatisfy { $0.piece.elementsEqual(all[$0.offset..<$0.offset + $0.piece.count]) })
            #expect(content.isEmpty)
        }
    }
}
