// SPDX-License-Identifier: Apache-2.0
#if Zstd
    import CTernZstd

    /// zstd's decoder: frames, one after the other, and skippable ones between them (RFC 8878 §3). As after a gzip
    /// member, the bytes after a frame begin the next one if they are its magic number, and are skipped otherwise. What
    /// comes first must be a frame of this format: the library would also read those of its predecessors, with the code
    /// of then.
    ///
    /// The library says how many bytes are left of a block, and adds those of the header behind it. It gets them one after
    /// the other: each call ends with a block or a header, and what a call has made is lost if it finds an error. So what
    /// is delivered of the block with an error depends on how the input is split.
    ///
    /// Safety: `context` is owned; the library lends nothing of it. The pointers that it gets lie within the two spans
    /// and counts, and it keeps none of them. Its sentences are constants.
    @safe struct ZstdFrames: ~Copyable, CodedStreams {
        /// Two to the power of this is the largest window that content may need, 8 MB (RFC 9659 §3).
        static let windowLog = 23
        private enum State {
            /// Before a frame and after this many bytes of its magic number. Exits: frame; over, unless it is the first.
            case magic(count: Int, isFirst: Bool)
            /// Within a frame, or a skippable one. Exits: magic.
            case frame
            /// All further input is skipped.
            case over
        }

        private let context: OpaquePointer
        private var state = State.magic(count: 0, isFirst: true)
        private var magic: InlineArray<4, UInt8> = [0, 0, 0, 0]
        /// How many bytes the library takes at once.
        private var due = 4
        /// ``DecodingChain/blockPrice`` for each block, which may define four codes (RFC 8878 §3.1.1.3), and for each header.
        private(set) var surcharge = 0

        init() throws(ContentDecodingError) {
            guard let context = unsafe ZSTD_createDCtx() else { throw .outOfMemory }
            unsafe self.context = context
            // It fails only for a size that the library does not know.
            _ = unsafe ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Int32(Self.windowLog))
        }

        deinit { unsafe ZSTD_freeDCtx(context) }

        var isComplete: Bool {
            switch state {
            case .magic(let count, let isFirst): count == 0 || !isFirst
            case .over: true
            case .frame: false
            }
        }

        mutating func decode(
            _ bytes: Span<UInt8>, from offset: inout Int, into output: inout OutputSpan<UInt8>
        ) -> Inflater.Outcome {
            switch state {
            case .magic(let count, let isFirst):
                guard Self.isMagic(bytes[offset], at: count, skippable: magic[0] != Self.magic[0]) else {
                    if isFirst { return .failed(.malformed("unknown frame descriptor")) }
                    state = .over
                    return .usedUp
                }
                magic[count] = bytes[offset]
                offset += 1
                guard count == 3 else {
                    state = .magic(count: count + 1, isFirst: isFirst)
                    return .usedUp
                }
                state = .frame
                due = magic.count
                let whole = magic
                var start = 0
                return decompress(whole.span, from: &start, into: &output)
            case .frame: return decompress(bytes, from: &offset, into: &output)
            case .over:
                offset = bytes.count
                return .usedUp
            }
        }

        /// That of a block.
        private static let headerLength = 3
        private static let magic: InlineArray<4, UInt8> = [0x28, 0xB5, 0x2F, 0xFD]
        /// The first of them may have any low half (RFC 8878 §3.1.2).
        private static let skippable: InlineArray<4, UInt8> = [0x50, 0x2A, 0x4D, 0x18]

        private static func isMagic(_ byte: UInt8, at index: Int, skippable isSkippable: Bool) -> Bool {
            if index == 0 { return byte == magic[0] || byte & 0xF0 == skippable[0] }
            return byte == (isSkippable ? skippable[index] : magic[index])
        }

        private mutating func decompress(
            _ bytes: Span<UInt8>, from offset: inout Int, into output: inout OutputSpan<UInt8>
        ) -> Inflater.Outcome {
            let input = bytes.extracting(droppingFirst: offset).extracting(first: due)
            let given = input.count
            var consumed = 0
            let code = unsafe input.withUnsafeBufferPointer { input in
                unsafe output.withUnsafeMutableBufferPointer { output, written in
                    var source = unsafe ZSTD_inBuffer(src: input.baseAddress, size: given, pos: 0)
                    var target = unsafe ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: written)
                    let code = unsafe ZSTD_decompressStream(context, &target, &source)
                    written = unsafe target.pos
                    consumed = unsafe source.pos
                    return code
                }
            }
            offset += consumed
            guard ZSTD_isError(code) == 0 else { return .failed(Self.failure(code)) }
            if consumed == due { surcharge += DecodingChain.blockPrice }
            due = code > Self.headerLength ? code - Self.headerLength : code
            if code == 0 {
                state = .magic(count: 0, isFirst: false)
                return .ended
            }
            return output.isFull ? .full : .usedUp
        }

        private static func failure(_ code: Int) -> ContentDecodingError {
            switch ZSTD_getErrorCode(code) {
            case ZSTD_error_frameParameter_windowTooLarge: .windowTooLarge(limit: 1 << windowLog)
            case ZSTD_error_dictionary_wrong: .dictionaryNeeded
            case ZSTD_error_checksum_wrong: .checksum
            case ZSTD_error_memory_allocation: .outOfMemory
            default: .malformed(unsafe String(cString: ZSTD_getErrorName(code)).lowercased())
            }
        }
    }
#endif
