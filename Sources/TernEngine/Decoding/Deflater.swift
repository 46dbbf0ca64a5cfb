// SPDX-License-Identifier: Apache-2.0
import CTernZlib

/// zlib's deflate. Each call is bounded by its input and by the room.
///
/// Safety: as for ``Inflater``: `stream` is owned and never moves, and `deflateInit2` has initialised it. `next_in` and
/// `next_out` are set only while `deflate` runs, within the two spans and counts.
@safe package struct Deflater: ~Copyable {
    /// The format around a stream.
    package enum Format: Sendable, Hashable {
        /// In nothing (RFC 1951), with a window of two to the power of this, 9 to 15.
        case bare(windowBits: Int)
        /// RFC 1950.
        case zlib
        /// RFC 1952.
        case gzip

        fileprivate var windowBits: Int32 {
            switch self {
            // zlib makes 9 of 8, which a peer with a window of 8 could not read.
            case .bare(let bits): -Int32(min(max(9, bits), 15))
            case .zlib: 15
            case .gzip: 31
            }
        }
    }

    /// What follows the input.
    package enum Flush: Int32, Sendable {
        /// More input.
        case none = 0
        /// Nothing for now: all of it can be read, and the output ends with an empty stored block (`00 00 FF FF`).
        case sync = 2
        /// The end of the stream.
        case finish = 4
    }

    /// zlib's own choice between time and size.
    package static let defaultLevel = Int(Z_DEFAULT_COMPRESSION)

    private let stream: UnsafeMutablePointer<z_stream>

    /// - Parameter level: 0 (stored) to 9 (smallest), or ``defaultLevel``.
    package init(_ format: Format, level: Int) throws(ContentDecodingError) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let level = Int32(min(max(-1, level), 9))
        guard unsafe tern_deflateInit2(stream, level, format.windowBits, Z_DEFAULT_STRATEGY) == Z_OK else {
            unsafe stream.deallocate()
            throw .outOfMemory
        }
    }

    deinit {
        unsafe deflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Begins another stream, which refers to nothing of the one before.
    package mutating func reset() { _ = unsafe deflateReset(stream) }

    /// True once all input is consumed and `flush` is done; before that there must be more room.
    package mutating func deflate(
        _ bytes: Span<UInt8>, from offset: inout Int, into output: inout OutputSpan<UInt8>, _ flush: Flush
    ) -> Bool {
        guard !output.isFull else { return false }
        let input = bytes.extracting(droppingFirst: offset)
        let given = UInt32(clamping: input.count)
        let isWhole = input.count == Int(given)
        let code = unsafe stream.step(input, given, into: &output) { stream in
            unsafe CTernZlib.deflate(stream, isWhole ? flush.rawValue : Z_NO_FLUSH)
        }
        offset += unsafe Int(given - stream.pointee.avail_in)
        guard isWhole, offset == bytes.count else { return false }
        // Without room left there may be more output, and the same flush must be repeated.
        return flush == .finish ? code == Z_STREAM_END : !output.isFull
    }
}
