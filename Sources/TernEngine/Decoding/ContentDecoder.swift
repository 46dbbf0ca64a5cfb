// SPDX-License-Identifier: Apache-2.0

/// Decodes one coding: its streams from end to end, and the bytes around them.
final class ContentDecoder {
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

    private let coding: ContentCoding
    private var inflater: Inflater
    private var window = DecodedWindow()
    private var state = State.beginning
    /// The total number of bytes produced.
    private(set) var made = 0
    /// The number of headers, blocks and streams that have ended.
    private(set) var blockCount = 0
    /// Whether it was stopped by a full window or at the end of a block, and may produce more from its input.
    private(set) var isHolding = false
    /// A final error; it follows the waiting output.
    private(set) var failure: ContentDecodingError?

    init(_ coding: ContentCoding) throws(ContentDecodingError) {
        self.coding = coding
        let format: Inflater.Format =
            switch coding {
            case .gzip: .gzip
            case .deflate: .zlib
            }
        inflater = try Inflater(format)
    }

    /// The number of bytes produced and not taken.
    var waiting: Int { window.count }

    /// Whether the coding may end here. An empty body is valid with any coding: servers label them so.
    var isComplete: Bool {
        guard !isHolding, waiting == 0, failure == nil else { return false }
        return switch state {
        case .beginning, .between, .magic, .over: true
        case .choosing, .stream: false
        }
    }

    /// Lends the waiting bytes to `take`, which returns how many it took.
    func lend(_ take: (Span<UInt8>) -> Int) { window.lend(take) }

    /// Lends the waiting bytes to `deliver`, which takes all of them, and returns its result.
    func deliver(_ deliver: (Span<UInt8>) -> Bool) -> Bool {
        var continues = false
        window.lend { bytes in
            continues = deliver(bytes)
            return bytes.count
        }
        return continues
    }

    /// Discards the waiting bytes.
    func refuse(_ error: ContentDecodingError) {
        window.clear()
        failure = error
    }

    /// Fills the window until it is full or `bytes` are consumed. A window of bytes and ``DecodingChain/blocksAtOnce``
    /// bound the time it takes.
    ///
    /// The window must be empty, and there must be a byte to read, or held input.
    func decode(_ bytes: Span<UInt8>, from offset: inout Int, limit: Int?) {
        let bytes = bytes.extracting(first: min(bytes.count, offset + DecodedWindow.size))
        let lastBlock = blockCount + DecodingChain.blocksAtOnce
        while window.room > 0, failure == nil, blockCount < lastBlock, isHolding || offset < bytes.count {
            switch state {
            case _ where isHolding: inflate(bytes, from: &offset, limit)
            case .beginning:
                switch coding {
                case .gzip: state = .stream
                case .deflate:
                    state = .choosing(first: bytes[offset])
                    offset += 1
                }
            case .choosing(let first):
                begin(Self.isZlib(first, bytes[offset]) ? .zlib : .bare, with: first, limit)
            case .stream: inflate(bytes, from: &offset, limit)
            case .between where bytes[offset] == Self.magic.0:
                state = .magic
                offset += 1
            case .magic where bytes[offset] == Self.magic.1: begin(.gzip, with: Self.magic.0, limit)
            case .between, .magic, .over:
                state = .over
                offset = bytes.count
            }
        }
    }

    private static let magic: (UInt8, UInt8) = (0x1F, 0x8B)

    /// Method 8, a window of 32 KB or less, and a valid header check (RFC 1950 §2.2). A bare stream cannot begin so
    /// unless its first block is stored and the padding of its header is not zero.
    private static func isZlib(_ first: UInt8, _ second: UInt8) -> Bool {
        first & 0x0F == 8 && first >> 4 <= 7 && (Int(first) << 8 + Int(second)) % 31 == 0
    }

    /// Begins a stream with its first byte, which came before its format was known.
    private func begin(_ format: Inflater.Format, with first: UInt8, _ limit: Int?) {
        state = .stream
        inflater.begin(format)
        let bytes: InlineArray<1, UInt8> = [first]
        var offset = 0
        inflate(bytes.span, from: &offset, limit)
    }

    private func inflate(_ bytes: Span<UInt8>, from offset: inout Int, _ limit: Int?) {
        // One more than the limit, to detect that there is more.
        let room = limit.map { min(window.room, $0 - made) + 1 } ?? window.room
        let before = window.count
        let outcome = window.append(room) { output in inflater.inflate(bytes, from: &offset, into: &output) }
        made += window.count - before
        isHolding = false
        switch outcome {
        case .usedUp: break
        case .full: isHolding = true
        case .boundary:
            isHolding = true
            blockCount += 1
        case .ended:
            switch coding {
            case .gzip: state = .between
            case .deflate: state = .over
            }
            blockCount += 1
        case .failed(.malformed(let flaw)): failure = .malformed("no \(coding.rawValue): \(flaw)")
        case .failed(let error): failure = error
        }
        if let limit, made > limit {
            window.dropLast()
            failure = .tooLarge(limit: limit)
        }
    }
}
