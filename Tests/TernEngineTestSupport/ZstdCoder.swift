// SPDX-License-Identifier: Apache-2.0
#if Zstd
    import CTernZstd

    /// What servers do: zstd by the library, and frames that are put together by hand.
    enum ZstdCoder {
        /// One frame.
        static func code(_ bytes: [UInt8], level: Int32 = 3, isChecked: Bool = true) -> [UInt8] {
            guard let context = unsafe ZSTD_createCCtx() else { return [] }
            defer { unsafe ZSTD_freeCCtx(context) }
            unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)
            unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, isChecked ? 1 : 0)
            let room = ZSTD_compressBound(bytes.count)
            return unsafe Array(unsafeUninitializedCapacity: room) { output, count in
                count = unsafe ZSTD_compress2(context, output.baseAddress, room, bytes, bytes.count)
                if ZSTD_isError(count) != 0 { count = 0 }
            }
        }

        /// A frame that a decoder skips (RFC 8878 §3.1.2).
        static func skippable(_ bytes: [UInt8], _ number: UInt8 = 0) -> [UInt8] {
            [0x50 | number, 0x2A, 0x4D, 0x18] + (0..<4).map { UInt8(truncatingIfNeeded: bytes.count >> (8 * $0)) }
                + bytes
        }

        /// A frame of blocks, with a window of `1 << (10 + window >> 3)` bytes and eighths of it, and no checksum.
        static func frame(window: UInt8, _ blocks: [UInt8]...) -> [UInt8] {
            [0x28, 0xB5, 0x2F, 0xFD, 0, window] + blocks.joined()
        }

        static func raw(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
            header(bytes.count, type: 0, isLast: isLast) + bytes
        }

        /// A byte, repeated.
        static func run(_ byte: UInt8, _ count: Int, isLast: Bool) -> [UInt8] {
            header(count, type: 1, isLast: isLast) + [byte]
        }

        private static func header(_ size: Int, type: Int, isLast: Bool) -> [UInt8] {
            let value = size << 3 | type << 1 | (isLast ? 1 : 0)
            return (0..<3).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
    }
#endif
