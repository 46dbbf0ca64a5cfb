// SPDX-License-Identifier: Apache-2.0
import CTernZlib

/// zlib's inflate: one stream after the other. Each call is bounded by its input, by the room, and by the end of a
/// deflate block: an empty block may cost as much as kilobytes of output (three code tables, RFC 1951 §3.2.7).
///
/// Safety: `stream` is owned and never moves, because zlib's state points back to it. `inflateInit2` has initialised
/// it, or there is no inflater. `next_in` and `next_out` are set only while `inflate` runs, within the two spans and
/// counts; `msg` is one of zlib's constants.
@safe package struct Inflater: ~Copyable {
    /// The format around a stream.
    package enum Format: Int32 {
        /// In nothing (RFC 1951).
        case bare = -15
        /// RFC 1950.
        case zlib = 15
        /// RFC 1952.
        case gzip = 31
    }

    package enum Outcome {
        /// Nothing is held: more comes of further input.
        case usedUp
        /// There is no room, and perhaps more output without further input.
        case full
        /// A header or a block of the stream is over, but not its last block. There may be more output without further
        /// input.
        case boundary
        /// The stream is over; the input after it is left.
        case ended
        /// The output before the error is valid.
        case failed(ContentDecodingError)
    }

    /// The bit of `data_type` for that.
    private static let isAtBoundary: Int32 = 128

    private let stream: UnsafeMutablePointer<z_stream>
    /// The next part of the stream, as far as it decides where to stop.
    private var place = Place.header

    private enum Place {
        case header
        /// The header is over, and the first block begins with the next byte.
        case firstBlock
        /// This block is the last. A call that does not stop at its end saves zlib from keeping 32 KB of output.
        case onlyBlock
        case blocks
    }

    package init(_ format: Format) throws(ContentDecodingError) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        guard unsafe tern_inflateInit2(stream, format.rawValue) == Z_OK else {
            unsafe stream.deallocate()
            throw .outOfMemory
        }
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Begins another stream. zlib fails only for an unknown format.
    package mutating func begin(_ format: Format) {
        _ = unsafe inflateReset2(stream, format.rawValue)
        place = .header
    }

    package mutating func inflate(
        _ bytes: Span<UInt8>, from offset: inout Int, into output: inout OutputSpan<UInt8>
    ) -> Outcome {
        guard !output.isFull else { return .full }
        let input = bytes.extracting(droppingFirst: offset)
        let given = UInt32(clamping: input.count)
        // The first bit of a block says whether it is the last (RFC 1951 §3.2.3).
        if place == .firstBlock, !input.isEmpty { place = input[0] & 1 == 1 ? .onlyBlock : .blocks }
        let flush = place == .onlyBlock ? Z_NO_FLUSH : Z_BLOCK
        let code = unsafe stream.step(input, given, into: &output) { stream in unsafe CTernZlib.inflate(stream, flush) }
        offset += unsafe Int(given - stream.pointee.avail_in)
        switch code {
        case Z_OK where unsafe stream.pointee.data_type & Self.isAtBoundary != 0:
            place = place == .header ? .firstBlock : .blocks
            return .boundary
        case Z_OK: return output.isFull ? .full : .usedUp
        // No byte consumed or produced: there was no input, and none held.
        case Z_BUF_ERROR where given == 0: return .usedUp
        case Z_STREAM_END: return .ended
        default: return .failed(failure(code))
        }
    }

    private func failure(_ code: Int32) -> ContentDecodingError {
        let message = unsafe stream.pointee.msg.map { unsafe String(cString: $0) }
        return switch (code, message) {
        case (Z_MEM_ERROR, _): .outOfMemory
        case (Z_NEED_DICT, _): .dictionaryNeeded
        case (_, "incorrect data check"), (_, "incorrect length check"), (_, "header crc mismatch"): .checksum
        case (_, let message): .malformed(message ?? "stream error")
        }
    }
}

extension UnsafeMutablePointer<z_stream> {
    /// Lends the first `given` bytes of the input and the room of `output` for one call of zlib, and returns its code.
    @unsafe func step(
        _ input: Span<UInt8>, _ given: UInt32, into output: inout OutputSpan<UInt8>, _ work: (Self) -> Int32
    ) -> Int32 {
        unsafe input.withUnsafeBufferPointer { input in
            unsafe output.withUnsafeMutableBufferPointer { output, written in
                let room = UInt32(clamping: output.count - written)
                unsafe pointee.next_in = input.baseAddress
                unsafe pointee.avail_in = given
                unsafe pointee.next_out = output.baseAddress.map { unsafe $0 + written }
                unsafe pointee.avail_out = room
                let code = unsafe work(self)
                written += unsafe Int(room - pointee.avail_out)
                unsafe pointee.next_in = nil
                unsafe pointee.next_out = nil
                return code
            }
        }
    }
}
