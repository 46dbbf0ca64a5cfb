// SPDX-License-Identifier: Apache-2.0

/// gzip members, one after the other, or one deflated stream, wrapped or bare.
struct DeflatedStreams: ~Copyable, CodedStreams {
    enum Wrapping {
        case gzip
        case deflate
    }

    private enum State {
        /// No input yet. Exits: choosing (deflate), stream (gzip).
        case beginning
        /// The first of two bytes that distinguish a zlib stream from a bare one. Exits: stream.
        case choosing(first: UInt8)
        /// Within a stream. Exits: between (gzip), over (deflate).
        case stream
        /// After a member. Exits: magic, over.
        case between
        /// After a member and the first byte of another one's magic number. Exits: stream, over.
        case magic
        /// All further input is skipped.
        case over
    }

    private let wrapping: Wrapping
    private var inflater: Inflater
    private var state = State.beginning
    /// ``DecodingChain/blockPrice`` for each header, block and stream that has ended.
    private(set) var surcharge = 0

    init(_ wrapping: Wrapping) throws(ContentDecodingError) {
        self.wrapping = wrapping
        inflater = try Inflater(wrapping == .gzip ? .gzip : .zlib)
    }

    var isComplete: Bool {
        switch state {
        case .beginning, .between, .magic, .over: true
        case .choosing, .stream: false
        }
    }

    mutating func decode(
        _ bytes: Span<UInt8>, from offset: inout Int, into output: inout OutputSpan<UInt8>
    ) -> Inflater.Outcome {
        switch state {
        case .beginning:
            switch wrapping {
            case .gzip: state = .stream
            case .deflate:
                state = .choosing(first: bytes[offset])
                offset += 1
            }
            return .usedUp
        case .choosing(let first):
            return begin(Self.isZlib(first, bytes[offset]) ? .zlib : .bare, with: first, into: &output)
        case .stream: return inflate(bytes, from: &offset, into: &output)
        case .between where bytes[offset] == Self.magic.0:
            state = .magic
            offset += 1
            return .usedUp
        case .magic where bytes[offset] == Self.magic.1: return begin(.gzip, with: Self.magic.0, into: &output)
        case .between, .magic, .over:
            state = .over
            offset = bytes.count
            return .usedUp
        }
    }

    private static let magic: (UInt8, UInt8) = (0x1F, 0x8B)

    /// Method 8, a window of 32 KB or less, and a valid header check (RFC 1950 §2.2). A bare stream cannot begin so
    /// unless its first block is stored and the padding of its header is not zero.
    private static func isZlib(_ first: UInt8, _ second: UInt8) -> Bool {
        first & 0x0F == 8 && first >> 4 <= 7 && (Int(first) << 8 + Int(second)) % 31 == 0
    }

    /// Begins a stream with its first byte, which came before its format was known.
    private mutating func begin(
        _ format: Inflater.Format, with first: UInt8, into output: inout OutputSpan<UInt8>
    ) -> Inflater.Outcome {
        state = .stream
        inflater.begin(format)
        let bytes: InlineArray<1, UInt8> = [first]
        var offset = 0
        return inflate(bytes.span, from: &offset, into: &output)
    }

    private mutating func inflate(
        _ bytes: Span<UInt8>, from offset: inout Int, into output: inout OutputSpan<UInt8>
    ) -> Inflater.Outcome {
        let outcome = inflater.inflate(bytes, from: &offset, into: &output)
        switch outcome {
        case .usedUp, .full, .failed: break
        case .boundary: surcharge += DecodingChain.blockPrice
        case .ended:
            surcharge += DecodingChain.blockPrice
            switch wrapping {
            case .gzip: state = .between
            case .deflate: state = .over
            }
        }
        return outcome
    }
}
