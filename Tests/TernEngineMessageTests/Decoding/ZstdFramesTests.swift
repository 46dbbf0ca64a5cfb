// SPDX-License-Identifier: Apache-2.0
#if Zstd
    import Testing

    @testable import TernEngine
    @testable import TernEngineTestSupport

    @Suite struct ZstdFramesTests {
        private static let text = Array("so much depends upon a red wheel barrow, so much depends".utf8)
        private static let lines = Array((0..<6000).map { "line \($0 &* $0)\n" }.joined().utf8)
        private static let noise = (0..<300_000).map { UInt8(truncatingIfNeeded: ($0 &* 0x9E37_79B9) >> 13) }
        private static let frame = ZstdCoder.code(text)

        /// Whole, byte by byte, split at each point; all must give the same result.
        private func decode(_ coded: [UInt8]) -> Delivery.Outcome {
            let whole = Delivery([.zstd], [coded]).outcome
            #expect(Delivery([.zstd], coded.map { [$0] }, stops: true).outcome == whole)
            for point in coded.indices {
                #expect(Delivery([.zstd], [Array(coded[..<point]), Array(coded[point...])]).outcome == whole)
            }
            return whole
        }

        @Test(arguments: Int32(-7)...22, [false, true])
        func `decodes what the library codes at any level`(level: Int32, isChecked: Bool) {
            for bytes in [[], [0], Self.text] {
                let coded = ZstdCoder.code(bytes, level: level, isChecked: isChecked)
                #expect(decode(coded) == Delivery.Outcome(bytes: bytes))
                for end in 1..<coded.count {
                    let early = Delivery([.zstd], [Array(coded[..<end])])
                    #expect(early.failure == .truncated && bytes.starts(with: early.bytes))
                }
            }
            for bytes in [Self.lines, Self.noise] {
                let coded = ZstdCoder.code(bytes, level: level, isChecked: isChecked)
                for stops in [false, true] {
                    let delivery = Delivery([.zstd], [coded], stops: stops)
                    #expect(delivery.outcome == Delivery.Outcome(bytes: bytes))
                    #expect(delivery.largest <= BodyPath.windowSize && !delivery.hangs)
                }
            }
        }

        @Test func `all frames of a body are its content, and those that are to be skipped are none of it`() {
            let skipped = [[], [7], Self.text].enumerated().map { ZstdCoder.skippable($1, UInt8($0 * 7)) }
            let parts = [skipped[0], Self.frame, skipped[1], skipped[2], ZstdCoder.code([]), Self.frame, skipped[0]]
            let coded = Array(parts.joined())
            #expect(decode(coded) == Delivery.Outcome(bytes: Self.text + Self.text))
            #expect(decode(skipped[2]) == Delivery.Outcome(bytes: []))
            // It is whole between frames alone, and in what may be the beginning of one.
            var (whole, border): (Set<Int>, Int) = ([], 0)
            for part in parts {
                border += part.count
                whole.formUnion(border...border + 3)
            }
            for end in 1..<coded.count {
                #expect((Delivery([.zstd], [Array(coded[..<end])]).failure == nil) == whole.contains(end))
            }
        }

        @Test(
            arguments: [
                [0], [0, 0, 0, 0], [0x28], [0x28, 0xB5, 0x2F], [0x28, 0xB5, 0x2F, 0xFE], [0x5A, 0x2A, 0x4D, 0xFD],
            ] as [[UInt8]])
        func `passes over what follows and is no frame`(garbage: [UInt8]) {
            #expect(decode(Self.frame + garbage) == Delivery.Outcome(bytes: Self.text))
        }

        @Test(
            arguments: [
                [0], [0x28, 0xB5, 0x2F, 0xFE], [0x1F, 0x8B, 8, 0],
                // Of version 0.7, which the library would decode.
                [0x27, 0xB5, 0x2F, 0xFD, 0, 0, 0, 0],
            ] as [[UInt8]])
        func `refuses what begins as no frame of this format`(bytes: [UInt8]) {
            let failure = ContentDecodingError.malformed("no zstd: unknown frame descriptor")
            #expect(decode(bytes) == Delivery.Outcome(bytes: [], failure: failure))
        }

        @Test(arguments: 1...4)
        func `refuses a checksum that is wrong, after the content`(fromEnd: Int) {
            var coded = Self.frame
            coded[coded.count - fromEnd] ^= 0x40
            #expect(decode(coded) == Delivery.Outcome(bytes: Self.text, failure: .checksum))
        }

        @Test func `each changed byte of a checked frame is an error or changes nothing`() {
            let coded = ZstdCoder.code(Array(Self.lines.prefix(2000)))
            for index in coded.indices {
                var changed = coded
                changed[index] ^= 0x10
                let whole = Delivery([.zstd], [changed])
                #expect(whole.failure != nil || whole.bytes == Array(Self.lines.prefix(2000)))
                #expect(Delivery([.zstd], changed.map { [$0] }, stops: true).failure == whole.failure)
            }
        }

        @Test func `a block before one with an error is delivered`() {
            let good = ZstdCoder.raw(Self.text, isLast: false)
            // A block of the type that there is not.
            let coded = ZstdCoder.frame(window: 0, good, [0x07, 0, 0])
            for pieces in [[coded], coded.map { [$0] }] {
                let delivery = Delivery([.zstd], pieces)
                #expect(delivery.bytes == Self.text && delivery.failure != nil && delivery.failure != .truncated)
            }
        }

        @Test func `a frame that needs a dictionary is refused`() {
            // Magic, a dictionary's identifier of one byte, and a window of 1 KB.
            let coded = [0x28, 0xB5, 0x2F, 0xFD, 1, 0, 9] + ZstdCoder.raw(Self.text, isLast: true)
            #expect(decode(coded) == Delivery.Outcome(bytes: [], failure: .dictionaryNeeded))
        }

        @Test(arguments: [(0x60, true), (0x68, true), (0x69, false), (0x70, false), (0xA8, false), (0xFF, false)])
        func `a window of 8 MB is the largest`(window: UInt8, isRead: Bool) {
            let coded = ZstdCoder.frame(window: window, ZstdCoder.raw(Self.text, isLast: true))
            #expect(
                decode(coded)
                    == (isRead
                        ? Delivery.Outcome(bytes: Self.text)
                        : Delivery.Outcome(bytes: [], failure: .windowTooLarge(limit: 8 << 20))))
        }

        @Test func `what expands beyond the ratio is refused, and makes no more than the allowance`() {
            // 128 KB of each four bytes.
            let runs = (0..<200).flatMap { ZstdCoder.run(0, 128 << 10, isLast: $0 == 199) }
            let coded = ZstdCoder.frame(window: 0x68, runs)
            var limits = ContentDecodingLimits()
            let refused = Delivery([.zstd], [coded], limits: limits)
            #expect(refused.failure == .ratioExceeded(limit: 1032))
            #expect(refused.bytes.count <= 1024 * 1024)
            limits.maximumExpansionRatio = .max
            let whole = Delivery([.zstd], [coded], limits: limits, stops: true)
            #expect(whole.failure == nil && whole.bytes.count == 200 * 128 << 10)
            #expect(whole.largest <= BodyPath.windowSize)
        }

        @Test(arguments: [1, 64, 5000])
        func `a block and a frame are paid for though they hold nothing`(length: Int) {
            let blocks = Array(repeatElement(ZstdCoder.raw([], isLast: false), count: 10_000).joined())
            let frames = Array(repeatElement(ZstdCoder.code([]), count: 10_000).joined())
            for coded in [ZstdCoder.frame(window: 0, blocks, ZstdCoder.raw([], isLast: true)), frames] {
                let pieces = stride(from: 0, to: coded.count, by: length).map {
                    Array(coded[$0..<min($0 + length, coded.count)])
                }
                let delivery = Delivery([.zstd], pieces)
                #expect(delivery.outcome == Delivery.Outcome(bytes: []))
                #expect(delivery.price > 9_900 * DecodingChain.blockPrice)
                #expect(delivery.highestPrice < 3 * BodyPath.windowSize)
            }
        }
    }
#endif
