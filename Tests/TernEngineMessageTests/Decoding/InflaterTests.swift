// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct InflaterTests {
    private static let bytes = [UInt8](repeating: 3, count: 1000)

    /// The output with this much room, over as many boundaries as there are.
    private func inflate(
        _ inflater: inout Inflater, _ coded: [UInt8], from offset: inout Int, room: Int
    ) -> (outcome: Inflater.Outcome, bytes: [UInt8]) {
        var window = DecodedWindow()
        var outcome = Inflater.Outcome.boundary
        while case .boundary = outcome, window.count < room || room == 0 {
            outcome = window.append(room - window.count) { inflater.inflate(coded.span, from: &offset, into: &$0) }
        }
        var bytes: [UInt8] = []
        window.lend { span in
            for index in span.indices { bytes.append(span[index]) }
            return span.count
        }
        return (outcome, bytes)
    }

    @Test(arguments: [Inflater.Format.bare, .zlib, .gzip])
    func `makes no more than there is room for, and continues with what it holds`(format: Inflater.Format) throws {
        var inflater = try Inflater(.gzip)
        let coded = ZlibCoder.deflate(Self.bytes, format) + [9, 9]
        for _ in 0..<2 {
            inflater.begin(format)
            var made: [UInt8] = []
            var offset = 0
            while made.count < 1000 {
                let (outcome, bytes) = inflate(&inflater, coded, from: &offset, room: 100)
                #expect(bytes.count == 100)
                made += bytes
                guard case .full = outcome else {
                    #expect(made.count == 1000)
                    break
                }
            }
            #expect(made == Self.bytes)
            if case .ended = inflate(&inflater, coded, from: &offset, room: 1).outcome {
            } else {
                Issue.record("continues")
            }
            #expect(offset == coded.count - 2)
        }
    }

    @Test func `needs room, and then input`() throws {
        var inflater = try Inflater(.zlib)
        let coded = ZlibCoder.deflate(Self.bytes, .zlib)
        var offset = 0
        if case .full = inflate(&inflater, coded, from: &offset, room: 0).outcome {} else { Issue.record("has room") }
        #expect(offset == 0)
        for _ in 0..<2 {
            if case .usedUp = inflate(&inflater, [], from: &offset, room: 10).outcome {
            } else {
                Issue.record("has input")
            }
        }
        offset = 0
        let whole = inflate(&inflater, coded, from: &offset, room: 2000)
        #expect(whole.bytes == Self.bytes)
    }

    @Test func `stops at the end of each header and each block, and continues without further input`() throws {
        var inflater = try Inflater(.zlib)
        // Two stored blocks of one byte each.
        let header: [UInt8] = [0x78, 0x9C]
        let (first, last): ([UInt8], [UInt8]) = ([0, 1, 0, 0xFE, 0xFF, 65], [1, 1, 0, 0xFE, 0xFF, 66])
        for part in [header, first, last] {
            var window = DecodedWindow()
            var offset = 0
            let outcome = window.append(10) { inflater.inflate(part.span, from: &offset, into: &$0) }
            if case .boundary = outcome {} else { Issue.record("\(outcome)") }
            #expect(offset == part.count)
            #expect(window.count == (part == header ? 0 : 1))
        }
    }

    @Test func `what was made before an error stands`() throws {
        var inflater = try Inflater(.bare)
        // A stored block of one byte, and a block of an invalid type.
        let coded: [UInt8] = [0, 1, 0, 0xFE, 0xFF, 65, 0x07]
        var offset = 0
        let (outcome, bytes) = inflate(&inflater, coded, from: &offset, room: 10)
        #expect(bytes == [65])
        if case .failed(.malformed("invalid block type")) = outcome {} else { Issue.record("\(outcome)") }
    }
}
