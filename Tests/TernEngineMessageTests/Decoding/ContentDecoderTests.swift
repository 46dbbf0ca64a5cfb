// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct ContentDecoderTests {
    private static let text = Array("so much depends upon a red wheel barrow, so much depends".utf8)

    /// Whole, byte by byte, split at each point; all must give the same result.
    private func decode(_ coding: ContentCoding, _ coded: [UInt8]) -> Delivery.Outcome {
        let whole = Delivery([coding], [coded]).outcome
        #expect(Delivery([coding], coded.map { [$0] }).outcome == whole)
        for point in coded.indices {
            #expect(Delivery([coding], [Array(coded[..<point]), Array(coded[point...])]).outcome == whole)
        }
        return whole
    }

    @Test(arguments: 0..<UInt8(32))
    func `passes over what the header of a member announces`(flags: UInt8) {
        let coded = ZlibCoder.member(Self.text, flags: flags)
        #expect(decode(.gzip, coded) == Delivery.Outcome(bytes: Self.text))
        for end in 1..<coded.count {
            #expect(Delivery([.gzip], [Array(coded[..<end])]).failure == .truncated)
        }
    }

    @Test func `refuses a header whose own checksum is wrong`() {
        var coded = ZlibCoder.member(Self.text, flags: 2)
        coded[10] ^= 1
        #expect(decode(.gzip, coded) == Delivery.Outcome(bytes: [], failure: .checksum))
    }

    @Test(arguments: [
        (0, 0x1E, "incorrect header check"), (2, 7, "unknown compression method"),
        (3, 0x20, "unknown header flags set"),
    ])
    func `refuses a header that is none`(index: Int, byte: UInt8, message: String) {
        var coded = ZlibCoder.member(Self.text, flags: 0)
        coded[index] = byte
        #expect(decode(.gzip, coded) == Delivery.Outcome(bytes: [], failure: .malformed("no gzip: " + message)))
    }

    @Test(arguments: 1...8)
    func `refuses a checksum or a length that is wrong`(fromEnd: Int) {
        var coded = ZlibCoder.gzip(Self.text)
        coded[coded.count - fromEnd] ^= 0x40
        #expect(decode(.gzip, coded) == Delivery.Outcome(bytes: Self.text, failure: .checksum))
        guard fromEnd <= 4 else { return }
        coded = ZlibCoder.deflate(Self.text, .zlib)
        coded[coded.count - fromEnd] ^= 0x40
        #expect(decode(.deflate, coded) == Delivery.Outcome(bytes: Self.text, failure: .checksum))
    }

    @Test func `decodes all members of a body, empty ones as well`() {
        let coded =
            ZlibCoder.member(Self.text, flags: 8) + ZlibCoder.gzip([]) + ZlibCoder.gzip([1]) + ZlibCoder.gzip(Self.text)
        #expect(decode(.gzip, coded) == Delivery.Outcome(bytes: Self.text + [1] + Self.text))
        let second = ZlibCoder.gzip(Self.text).count
        for end in coded.count - second + 2..<coded.count {
            #expect(Delivery([.gzip], [Array(coded[..<end])]).failure == .truncated)
        }
    }

    @Test func `small members are delivered together, as many as cost no more than a window`() {
        let members = (0..<1000).map { ZlibCoder.gzip([UInt8(truncatingIfNeeded: $0)]) }
        let delivery = Delivery([.gzip], [Array(members.joined())])
        #expect(delivery.bytes == (0..<1000).map { UInt8(truncatingIfNeeded: $0) })
        // Each has a header and a block.
        #expect(delivery.pieces == (2 * 1000 + DecodingChain.blocksAtOnce - 1) / DecodingChain.blocksAtOnce)
    }

    @Test(arguments: [65_535, 65_536, 65_537])
    func `a member may end with the window`(size: Int) {
        let bytes = [UInt8](repeating: 5, count: size)
        let coded = ZlibCoder.gzip(bytes) + ZlibCoder.gzip(bytes)
        for stops in [false, true] {
            let whole = Delivery.Outcome(bytes: bytes + bytes)
            #expect(Delivery([.gzip], [coded], stops: stops).outcome == whole)
            #expect(Delivery([.gzip], coded.map { [$0] }, stops: stops).outcome == whole)
        }
    }

    @Test(
        arguments: [[0], [0, 0, 0, 0], [0x1F], [0x1F, 0], [0x8B, 0x1F], [0, 0x1F, 0x8B], Array("garbage".utf8)]
            as [[UInt8]])
    func `passes over what follows a body and is no member`(garbage: [UInt8]) {
        #expect(decode(.gzip, ZlibCoder.gzip(Self.text) + garbage) == Delivery.Outcome(bytes: Self.text))
        #expect(decode(.deflate, ZlibCoder.deflate(Self.text, .zlib) + garbage) == Delivery.Outcome(bytes: Self.text))
        #expect(decode(.deflate, ZlibCoder.deflate(Self.text, .bare) + garbage) == Delivery.Outcome(bytes: Self.text))
    }

    @Test func `input after a body that begins as a member must be one`() {
        let coded = ZlibCoder.gzip(Self.text)
        #expect(decode(.gzip, coded + [0x1F, 0x8B]) == Delivery.Outcome(bytes: Self.text, failure: .truncated))
        #expect(
            decode(.gzip, coded + [0x1F, 0x8B, 0])
                == Delivery.Outcome(bytes: Self.text, failure: .truncated))
        #expect(
            decode(.gzip, coded + [0x1F, 0x8B, 0, 0])
                == Delivery.Outcome(bytes: Self.text, failure: .malformed("no gzip: unknown compression method")))
    }

    @Test func `what a full window leaves held comes without further input`() {
        // A bare stream has nothing after its last byte, which holds several matches of 258 bytes.
        for size in BodyPath.windowSize..<BodyPath.windowSize + 600 {
            let bytes = [UInt8](repeating: 0, count: size)
            let coded = ZlibCoder.deflate(bytes, .bare)
            #expect(Delivery([.deflate], [coded], stops: true).outcome == Delivery.Outcome(bytes: bytes))
        }
    }

    @Test(arguments: [Int32(0), 1, 6, 9], [Int32(0), 1, 2, 3, 4])
    func `deflate may be wrapped or bare, whatever its blocks`(level: Int32, strategy: Int32) {
        for bytes in [[], [0], Self.text] {
            for format in [Inflater.Format.zlib, .bare] {
                let coded = ZlibCoder.deflate(bytes, format, level: level, strategy: strategy)
                #expect(decode(.deflate, coded) == Delivery.Outcome(bytes: bytes))
                for end in 1..<coded.count {
                    #expect(Delivery([.deflate], [Array(coded[..<end])]).failure == .truncated)
                }
            }
        }
    }

    @Test func `deflate with an unknown dictionary is refused`() {
        let coded: [UInt8] = [0x78, 0xBB, 0, 0, 0, 1, 0, 0]
        #expect(decode(.deflate, coded) == Delivery.Outcome(bytes: [], failure: .dictionaryNeeded))
    }

    @Test func `a distance beyond the beginning is refused`() {
        // One fixed block: a match of length 3 at distance 1, and nothing before it.
        #expect(
            decode(.deflate, [0x03, 0x02, 0, 0])
                == Delivery.Outcome(bytes: [], failure: .malformed("no deflate: invalid distance too far back")))
    }
}

@Suite struct ContentDecodingErrorTests {
    @Test(arguments: [
        (ContentDecodingError.malformed("no gzip: invalid block type"), "the body is no gzip"), (.malformed("x"), " x"),
        (.truncated, "ends before its Content-Encoding"), (.checksum, "checksum"), (.tooLarge(limit: 12), "12"),
        (.ratioExceeded(limit: 34), "34"), (.tooManyCodings(limit: 56), "56"), (.outOfMemory, "memory"),
        (.dictionaryNeeded, "RFC 8878"), (.windowTooLarge(limit: 78), "78 bytes (RFC 9659"),
    ])
    func `says what is wrong`(error: ContentDecodingError, word: String) {
        #expect("\(error)".contains(word))
    }
}
