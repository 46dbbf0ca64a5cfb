// SPDX-License-Identifier: Apache-2.0
#if Zstd
    import CTernZstd

    /// zstd's encoder for one frame (RFC 8878), with a window of 8 MB or less (RFC 9659).
    ///
    /// Safety: as for ``ZstdFrames``: `context` is owned, and the pointers that it gets lie within the two spans and
    /// counts; it keeps none of them.
    @safe struct ZstdEncoder: ~Copyable, StreamEncoder {
        private let context: OpaquePointer

        init(level: Int) throws(ContentDecodingError) {
            guard let context = unsafe ZSTD_createCCtx() else { throw .outOfMemory }
            unsafe self.context = context
            // These fail only for a parameter that the library does not know.
            _ = unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, Int32(clamping: level))
            _ = unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
        }

        deinit { unsafe ZSTD_freeCCtx(context) }

        mutating func encode(
            _ bytes: Span<UInt8>, from offset: inout Int, into output: inout OutputSpan<UInt8>, _ flush: Deflater.Flush
        ) throws(ContentDecodingError) -> Bool {
            let directive =
                switch flush {
                case .none: ZSTD_e_continue
                case .sync: ZSTD_e_flush
                case .finish: ZSTD_e_end
                }
            let input = bytes.extracting(droppingFirst: offset)
            var consumed = 0
            let code = unsafe input.withUnsafeBufferPointer { input in
                unsafe output.withUnsafeMutableBufferPointer { output, written in
                    var source = unsafe ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
                    var target = unsafe ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: written)
                    let code = unsafe ZSTD_compressStream2(context, &target, &source, directive)
                    written = unsafe target.pos
                    consumed = unsafe source.pos
                    return code
                }
            }
            offset += consumed
            // What it is given is valid, so that nothing else can be missing.
            guard ZSTD_isError(code) == 0 else { throw .outOfMemory }
            return consumed == input.count && (flush == .none || code == 0)
        }
    }
#endif
