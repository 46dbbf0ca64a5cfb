// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct BodyAccumulatorTests {
    private func take(_ text: String, _ body: inout BodyAccumulator) -> BodyAccumulator.Outcome {
        body.take(Array(text.utf8).span)
    }

    @Test func `collects up to the limit, and one byte more is too many`() {
        var body = BodyAccumulator(limit: 5)
        #expect(take("he", &body) == .taken)
        #expect(take("llo", &body) == .taken)
        #expect(take("", &body) == .taken)
        #expect(body.bytes == Data("hello".utf8))
        #expect(take("!", &body) == .overflowed)
        #expect(body.bytes.isEmpty)
        #expect(body.failure != nil)
    }

    @Test func `an overflow is reported once, and later bytes are not kept`() {
        var body = BodyAccumulator(limit: 1)
        #expect(take("ab", &body) == .overflowed)
        #expect(take("a", &body) == .ignored)
        body.pass([1].span)
        body.reserve(100_000)
        #expect(body.bytes.isEmpty)
    }

    @Test(arguments: [(0, true), (5, true), (6, false), (.max, false)])
    func `what is announced is known to fit or not before it comes`(length: Int, fits: Bool) {
        var body = BodyAccumulator(limit: 5)
        let isAdmitted = body.admits(length)
        #expect(isAdmitted == fits)
        #expect((body.failure == nil) == fits)
    }

    @Test func `a body refused for what its head announces is gone`() {
        var body = BodyAccumulator(limit: 5)
        #expect(take("a", &body) == .taken)
        _ = body.admits(6)
        #expect(body.failure != nil)
        #expect(body.bytes.isEmpty)
        #expect(take("b", &body) == .ignored)
    }

    @Test func `a reader who takes what is there is bound by no limit`() {
        var body = BodyAccumulator(limit: 1)
        body.pass([1, 2, 3].span)
        #expect(body.takeAll() == Data([1, 2, 3]))
        #expect(body.takeAll().isEmpty)
        #expect(take("a", &body) == .taken)
    }

    @Test(arguments: [-1, Int.min]) func `a limit below nothing is nothing`(limit: Int) {
        var body = BodyAccumulator(limit: limit)
        #expect(body.limits.size == 0)
        #expect(take("", &body) == .taken)
        #expect(take("a", &body) == .overflowed)
    }

    @Test func `who has sent half a megabyte is believed eight times as much`() {
        var body = BodyAccumulator(limit: 100 << 20)
        let piece = [UInt8](repeating: 1, count: 256 << 10)
        body.reserve(10 << 20)
        var rooms: [Int] = []
        for _ in 0..<40 {
            #expect(body.take(piece.span) == .taken)
            if rooms.last != body.room { rooms.append(body.room) }
        }
        let expected: [Int] = [512 << 10, 768 << 13, 10 << 20]
        #expect(rooms == expected)
        #expect(body.takeAll().count == 10 << 20)
        #expect(body.room == 0)
    }

    @Test func `room for what is announced is no memory before it has come`() throws {
        func residentPages() throws -> Int {
            let numbers = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
            return try #require(numbers.dropFirst().first.flatMap { Int($0) })
        }
        let before = try residentPages()
        var bodies: [BodyAccumulator] = []
        for _ in 0..<32 {
            var body = BodyAccumulator(limit: 100 << 20)
            let room = unsafe body.room(for: 60 << 20)?.count
            #expect(room ?? 0 >= 60 << 20)
            bodies.append(body)
        }
        // Of two gigabytes; a sanitizer marks each eighth byte.
        #expect(try residentPages() - before < (512 << 20) / 4096)
        withExtendedLifetime(bodies) {}
    }

    @Test func `no announcement takes more than half a megabyte, nor breaks anything`() {
        for length in [-1, 0, 16 * 1024, 16 * 1024 + 1, .max] {
            var body = BodyAccumulator(limit: .max)
            body.reserve(length)
            #expect(take("hello", &body) == .taken)
            #expect(body.bytes == Data("hello".utf8))
        }
    }
}
