// SPDX-License-Identifier: Apache-2.0

/// Decodes one coding into a window.
final class ContentDecoder {
    private let coding: ContentCoding
    private var streams: any CodedStreams & ~Copyable
    private var window = DecodedWindow()
    /// The total number of bytes produced.
    private(set) var made = 0
    /// Whether it was stopped by a full window or at the end of a block, and may produce more from its input.
    private(set) var isHolding = false
    /// A final error; it follows the waiting output.
    private(set) var failure: ContentDecodingError?

    init(_ coding: ContentCoding) throws(ContentDecodingError) {
        self.coding = coding
        switch coding {
        case .gzip: streams = try DeflatedStreams(.gzip)
        case .deflate: streams = try DeflatedStreams(.deflate)
        #if Brotli
            case .brotli: streams = try BrotliStream()
        #endif
        #if Zstd
            case .zstd: streams = try ZstdFrames()
        #endif
        }
    }

    /// What the work so far has cost beyond its bytes.
    var surcharge: Int { streams.surcharge }

    /// The number of bytes produced and not taken.
    var waiting: Int { window.count }

    /// Whether the coding may end here.
    var isComplete: Bool { !isHolding && waiting == 0 && failure == nil && streams.isComplete }

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

    /// Fills the window until it is full or `bytes` are consumed. A window of bytes and a surcharge of as many bound
    /// the time it takes.
    ///
    /// The window must be empty, and there must be a byte to read, or held input.
    func decode(_ bytes: Span<UInt8>, from offset: inout Int, limit: Int?) {
        let bytes = bytes.extracting(first: min(bytes.count, offset + DecodedWindow.size))
        let most = surcharge + DecodedWindow.size
        while window.room > 0, failure == nil, surcharge < most, isHolding || offset < bytes.count {
            // One more than the limit, to detect that there is more.
            let room = limit.map { min(window.room, $0 - made) + 1 } ?? window.room
            let before = window.count
            let outcome = window.append(room) { output in streams.decode(bytes, from: &offset, into: &output) }
            made += window.count - before
            switch outcome {
            case .usedUp, .ended: isHolding = false
            case .full, .boundary: isHolding = true
            case .failed(let error):
                isHolding = false
                failure = named(error)
            }
            if let limit, made > limit {
                window.dropLast()
                failure = .tooLarge(limit: limit)
            }
        }
    }

    private func named(_ error: ContentDecodingError) -> ContentDecodingError {
        if case .malformed(let flaw) = error { .malformed("no \(coding.rawValue): \(flaw)") } else { error }
    }
}
