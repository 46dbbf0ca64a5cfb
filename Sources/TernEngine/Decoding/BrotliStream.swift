// SPDX-License-Identifier: Apache-2.0
#if Brotli
    import CTernBrotli

    /// brotli's decoder for one stream (RFC 7932); the bytes after it are skipped, as those after a deflated one are.
    ///
    /// The library does not stop between meta-blocks, each of which may define 16 K contexts and hundreds of codes in a
    /// few bytes: 2.5 µs for each of them at worst, where ordinary content takes 20 ns. So each byte of input has the
    /// price of 32, and no more are read at once than a window's price allows.
    ///
    /// What the library has decoded of the input of the call that finds an error stays with it: how much output comes
    /// before an error depends on how the input is split.
    ///
    /// Safety: `decoder` is owned; the library lends nothing of it. The pointers that it gets lie within the two spans
    /// and counts, and it keeps none of them. Its sentences are constants.
    @safe struct BrotliStream: ~Copyable, CodedStreams {
        private static let bytePrice = 32
        private static let inputAtOnce = DecodedWindow.size / bytePrice

        private enum State {
            /// No input yet. Exits: stream.
            case beginning
            /// Within the stream. Exits: over.
            case stream
            /// All further input is skipped.
            case over
        }

        private let decoder: OpaquePointer
        private var state = State.beginning
        private(set) var surcharge = 0

        init() throws(ContentDecodingError) {
            guard let decoder = unsafe BrotliDecoderCreateInstance(nil, nil, nil) else { throw .outOfMemory }
            unsafe self.decoder = decoder
        }

        deinit { unsafe BrotliDecoderDestroyInstance(decoder) }

        var isComplete: Bool { state != .stream }

        mutating func decode(
            _ bytes: Span<UInt8>, from offset: inout Int, into output: inout OutputSpan<UInt8>
        ) -> Inflater.Outcome {
            guard state != .over else {
                offset = bytes.count
                return .usedUp
            }
            state = .stream
            let input = bytes.extracting(droppingFirst: offset).extracting(first: Self.inputAtOnce)
            var left = input.count
            let result = unsafe input.withUnsafeBufferPointer { input in
                unsafe output.withUnsafeMutableBufferPointer { output, written in
                    var next = input.baseAddress
                    var room = output.count - written
                    var place = unsafe output.baseAddress.map { unsafe $0 + written }
                    let result = unsafe BrotliDecoderDecompressStream(decoder, &left, &next, &room, &place, nil)
                    written = output.count - room
                    return result
                }
            }
            let consumed = input.count - left
            offset += consumed
            surcharge += consumed * (Self.bytePrice - 1)
            switch result {
            case BROTLI_DECODER_RESULT_SUCCESS:
                state = .over
                return .ended
            case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: return .full
            // It may ask for input while it holds output for which there was no room.
            case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT:
                return unsafe BrotliDecoderHasMoreOutput(decoder) != 0 ? .full : .usedUp
            default: return .failed(failure)
            }
        }

        private var failure: ContentDecodingError {
            let code = unsafe BrotliDecoderGetErrorCode(decoder)
            // The codes between these are all about memory.
            let memory =
                BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES.rawValue...BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES.rawValue
            if memory.contains(code.rawValue) { return .outOfMemory }
            // `_ERROR_FORMAT_PADDING_1`, or `PADDING_1` from libraries before 1.1.
            let words = unsafe String(cString: BrotliDecoderErrorString(code)).lowercased().split(separator: "_")
            return .malformed(words.filter { $0 != "error" && $0 != "format" }.joined(separator: " "))
        }
    }
#endif
