// SPDX-License-Identifier: Apache-2.0
#if Brotli
    import CTernBrotli

    /// What servers do: br by the library, and meta-blocks that are put together by hand.
    enum BrotliCoder {
        static func code(_ bytes: [UInt8], quality: Int32 = 9, window: Int32 = 22) -> [UInt8] {
            let room = BrotliEncoderMaxCompressedSize(bytes.count) + 64
            return unsafe Array(unsafeUninitializedCapacity: room) { output, count in
                count = room
                let done = unsafe BrotliEncoderCompress(
                    quality, window, BROTLI_MODE_GENERIC, bytes.count, bytes, &count, output.baseAddress)
                if done == 0 { count = 0 }
            }
        }

        /// Meta-blocks of one byte, each of which defines 16,384 contexts and turns them around: the dearest there are.
        static func contexts(count: Int) -> [UInt8] {
            var bits = Bits()
            bits.add(0, 1)
            for _ in 0..<count {
                // Not the last, a length of 1, coded; 256 types of literals, with codes of one symbol each.
                for (value, length) in [(0, 1), (0, 2), (0, 16), (0, 1), (1, 1), (7, 3), (127, 7)] {
                    bits.add(value, length)
                }
                bits.addSymbol(0, 9)
                bits.addSymbol(0, 5)
                bits.add(0, 2)
                // One type of commands and of distances, whose codes have no parameters; no mode for any context.
                for length in [1, 1, 2, 4] + [Int](repeating: 2, count: 256) { bits.add(0, length) }
                // Two trees of literals, the second for each context, moved to the front; one tree of distances.
                for (value, length) in [(1, 1), (0, 3), (0, 1)] { bits.add(value, length) }
                bits.addSymbol(1, 1)
                for (value, length) in [(1, 1), (0, 1)] { bits.add(value, length) }
                for (symbol, length) in [(65, 8), (65, 8), (8, 10), (0, 6)] { bits.addSymbol(symbol, length) }
            }
            bits.add(3, 2)
            return bits.bytes
        }

        private struct Bits {
            var bytes: [UInt8] = []
            private var count = 0

            mutating func add(_ value: Int, _ length: Int) {
                for bit in 0..<length {
                    if count % 8 == 0 { bytes.append(0) }
                    bytes[bytes.count - 1] |= UInt8(value >> bit & 1) << UInt8(count % 8)
                    count += 1
                }
            }

            /// A code with one symbol (RFC 7932 §3.4).
            mutating func addSymbol(_ symbol: Int, _ length: Int) {
                add(1, 2)
                add(0, 2)
                add(symbol, length)
            }
        }
    }
#endif
