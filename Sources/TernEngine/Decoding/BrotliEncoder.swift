// SPDX-License-Identifier: Apache-2.0
#if Brotli
    import CTernBrotli

    /// brotli's encoder for one stream (RFC 7932).
    ///
    /// Safety: as for ``BrotliStream``: `encoder` is owned, and the pointers that it gets lie within the two spans and
    /// counts; it keeps none of them.
    @safe struct BrotliEncoder: ~Copyable, StreamEncoder {
        private let encoder: OpaquePointer

        init(quality: Int) throws(ContentDecodingError) {
            guard let encoder = unsafe BrotliEncoderCreateInstance(nil, nil, nil) else { throw .outOfMemory }
            unsafe self.encoder = encoder
            // It fails only for a parameter that the library does not know.
            _ = unsafe BrotliEncoderSetParameter(encoder, BROTLI_PARAM_QUALITY, UInt32(clamping: quality))
        }

        deinit { unsafe BrotliEncoderDestroyInstance(encoder) }

        mutating func encode(
            _ bytes: Span<UInt8>, from offset: inout Int, into output: inout OutputSpan<UInt8>, _ flush: Deflater.Flush
        ) throws(ContentDecodingError) -> Bool {
            let operation =
                switch flush {
                case .none: BROTLI_OPERATION_PROCESS
                case .sync: BROTLI_OPERATION_FLUSH
                case .finish: BROTLI_OPERATION_FINISH
                }
            let input = bytes.extracting(droppingFirst: offset)
            var left = input.count
            let isWell = unsafe input.withUnsafeBufferPointer { input in
                unsafe output.withUnsafeMutableBufferPointer { output, written in
                    var next = input.baseAddress
                    var room = output.count - written
                    var place = unsafe output.baseAddress.map { unsafe $0 + written }
                    let result = unsafe BrotliEncoderCompressStream(
                        encoder, operation, &left, &next, &room, &place, nil)
                    written = output.count - room
                    return result != 0
                }
            }
            offset += input.count - left
            // What it is given is valid, so that nothing else can be missing.
            guard isWell else { throw .outOfMemory }
            return left == 0 && (unsafe BrotliEncoderHasMoreOutput(encoder)) == 0
        }
    }
#endif
