// SPDX-License-Identifier: Apache-2.0
#if Brotli
    import Testing

    @testable import TernEngine
    @testable import TernEngineTestSupport

    @Suite struct BrotliStreamTests {
        private static let text = Array("so much depends upon a red wheel barrow, so much depends".utf8)
        private static let lines = Array((0..<6000).map { "line \($0 &* $0)\n" }.joined().utf8)
        private static let noise = (0..<70_000).map { UInt8(truncatingIfNeeded: ($0 &* 0x9E37_79B9) >> 13) }

        /// Whole, byte by byte, split at each point; all must give the same result.
        private func decode(_ coded: [UInt8]) -> Delivery.Outcome {
            let whole = Delivery([.brotli], [coded]).outcome
            #expect(Delivery([.brotli], coded.map { [$0] }, stops: true).outcome == whole)
            for point in coded.indices {
                #expect(Delivery([.brotli], [Array(coded[..<point]), Array(coded[point...])]).outcome == whole)
            }
            return whole
        }

        @Test(arguments: Int32(0)...11, [Int32(10), 16, 22, 24])
        func `decodes what the library codes at any quality and with any window`(quality: Int32, window: Int32) {
            for bytes in [[], [0], Self.text] {
                let coded = BrotliCoder.code(bytes, quality: quality, window: window)
                #expect(decode(coded) == Delivery.Outcome(bytes: bytes))
                for end in 1..<coded.count {
                    let early = Delivery([.brotli], [Array(coded[..<end])])
                    #expect(early.failure == .truncated && bytes.starts(with: early.bytes))
                }
            }
            for bytes in [Self.lines, Self.noise] {
                let coded = BrotliCoder.code(bytes, quality: quality, window: window)
                for stops in [false, true] {
                    let delivery = Delivery([.brotli], [coded], stops: stops)
                    #expect(delivery.outcome == Delivery.Outcome(bytes: bytes))
                    #expect(delivery.largest <= BodyPath.windowSize && !delivery.hangs)
                }
            }
        }

        @Test(arguments: [[0], [0, 0, 0, 0], [0xFF], [3], Array("garbage".utf8)] as [[UInt8]])
        func `passes over what follows`(garbage: [UInt8]) {
            #expect(decode(BrotliCoder.code(Self.text) + garbage) == Delivery.Outcome(bytes: Self.text))
        }

        @Test func `refuses what is none, in the words of the library`() {
            // A window beyond 16 MB (RFC 7932 §9.1).
            #expect(decode([0x11, 0, 0]) == Delivery.Outcome(bytes: [], failure: .malformed("no br: window bits")))
        }

        @Test(arguments: [65_535, 65_536, 65_537, 131_072])
        func `a stream may end with the window`(size: Int) {
            let bytes = [UInt8](repeating: 5, count: size)
            let coded = BrotliCoder.code(bytes)
            for stops in [false, true] {
                let delivery = Delivery([.brotli], coded.map { [$0] }, stops: stops)
                #expect(delivery.outcome == Delivery.Outcome(bytes: bytes) && !delivery.hangs)
            }
        }

        @Test func `what expands beyond the ratio is refused, and makes no more than the allowance`() {
            let zeros = [UInt8](repeating: 0, count: 20_000_000)
            let coded = BrotliCoder.code(zeros)
            var limits = ContentDecodingLimits()
            let refused = Delivery([.brotli], [coded], limits: limits)
            #expect(refused.failure == .ratioExceeded(limit: 1032))
            #expect(refused.bytes.count <= 1024 * 1024)
            limits.maximumExpansionRatio = .max
            let whole = Delivery([.brotli], [coded], limits: limits)
            #expect(whole.outcome == Delivery.Outcome(bytes: zeros))
            #expect(whole.largest <= BodyPath.windowSize)
        }

        @Test(arguments: [1, 64, 5000])
        func `a byte costs what a meta-block of a few bytes can, and a reader can stop at every window's worth`(
            length: Int
        ) {
            let coded = BrotliCoder.contexts(count: 2000)
            let pieces = stride(from: 0, to: coded.count, by: length).map {
                Array(coded[$0..<min($0 + length, coded.count)])
            }
            let delivery = Delivery([.brotli], pieces)
            #expect(delivery.outcome == Delivery.Outcome(bytes: [UInt8](repeating: 65, count: 2000)))
            #expect(delivery.price >= 31 * (coded.count - BodyPath.windowSize / 32))
            #expect(delivery.highestPrice < 3 * BodyPath.windowSize)
        }
    }
#endif
